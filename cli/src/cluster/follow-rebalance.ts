import { setTimeout as pause } from 'node:timers/promises';
import type { RebalanceProgress } from '@trackway/server/platform/storage/postgres/citus/workers.ts';

const LOOK_MS = 1000;

/** Prints the progress of the rebalancing on standard error, whenever it changes. */
export function followRebalance() {
  let said = '';
  return {
    report({ done, of, trouble }: RebalanceProgress) {
      const line = `${done} of ${of} groups of shards moved${trouble === undefined ? '' : `; it says: ${trouble}`}`;
      if (line !== said) console.error(line);
      said = line;
    },
    pause: () => pause(LOOK_MS),
  };
}
