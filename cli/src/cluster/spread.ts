import type { SpreadProgress } from '@trackway/server/platform/storage/postgres/citus/place-tables.ts';
import { spreadTables } from '@trackway/server/spread.ts';
import type { Command } from '../command.ts';
import { storeFlags } from '../setting-flags.ts';
import { askCluster } from './cluster-address.ts';

export const command: Command = {
  describe: () => ({
    about:
      'Spread the tables over the workers that Citus has, to try it: Trackway on Citus is not ready for service yet. All nodes must be stopped until it is done.',
    flags: storeFlags(),
    more: `What is missing is in docs/scaling.md; try it with a copy of the database. How long it takes depends on the rows. If
it is interrupted, run it again: it goes on with the table where it stopped. Each table is at its old place or at its new one, never in between.`,
  }),

  async run(given) {
    const startedAt = performance.now();
    let tables = 0;
    await askCluster(given, (url) =>
      spreadTables(url, (progress) => {
        tables += 1;
        console.error(lineOf(progress));
      }),
    );
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    console.log(
      tables === 0
        ? 'All tables were spread already.'
        : `${tables} tables are at their place (${seconds} s). Nodes can start.`,
    );
    return 0;
  },
};

const lineOf = ({ table, rows, done, of, place }: SpreadProgress) =>
  `${done + 1} of ${of}: ${table}, about ${rows} rows, ${PLACES[place]}`;

const PLACES = {
  distributed: 'spread by slot',
  reference: 'copied to each worker',
  local: 'stays at the coordinator',
} as const;
