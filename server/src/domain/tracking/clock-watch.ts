import type { Log } from '../../platform/log.ts';
import type { Store } from '../schema/tables.ts';
import type { Pipeline } from './pipeline.ts';
import { releaseQuarantined } from './release.ts';
import { quarantineReason } from './report/normalize.ts';
import type { ClockDoubt } from './timers/clock-doubt.ts';

const RELEASE_MS = 60_000;

/** Says when the server's clock is in doubt, and takes in what was quarantined for that once the clock is right again. */
export function watchClock(
  store: Store,
  intake: Pipeline,
  clockDoubt: ClockDoubt,
  log: Log,
): { look(now: number, steady: number): Promise<void> } {
  let isInDoubt = false;
  let nextRelease = Number.NEGATIVE_INFINITY;
  return {
    async look(now, steady) {
      const offsetMs = clockDoubt.offsetMs();
      if (isInDoubt !== (offsetMs !== null)) {
        isInDoubt = offsetMs !== null;
        nextRelease = steady;
        if (offsetMs === null) log.info({}, 'The clock of this server agrees with the devices again');
        else
          log.warn(
            { offsetSeconds: Math.round(offsetMs / 1000) },
            offsetMs > 0
              ? 'The clock of this server is behind the clocks of most devices: set it'
              : 'The clock of this server is ahead of the clocks of most devices, or all their reports arrive late: check it',
          );
      }
      if (isInDoubt || steady < nextRelease) return;
      nextRelease = steady + RELEASE_MS;
      const waiting = await store.query
        .selectFrom('quarantine')
        .select('id')
        .where('reason', '=', quarantineReason('clockInDoubt'))
        .limit(1)
        .executeTakeFirst();
      if (waiting === undefined) return;
      const { released } = await releaseQuarantined(store, intake, { reason: quarantineReason('clockInDoubt') }, now);
      if (released > 0) log.info({ released }, 'Items that were quarantined while the clock was in doubt are released');
    },
  };
}
