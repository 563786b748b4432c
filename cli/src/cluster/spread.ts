import { spreadTables } from '@trackway/server/app/spread.ts';
import type { SpreadProgress } from '@trackway/server/platform/storage/postgres/citus/place-tables.ts';
import { isShardCount } from '@trackway/server/platform/storage/postgres/citus/shards.ts';
import { type Command, UsageError } from '../command.ts';
import { storeFlags } from '../setting-flags.ts';
import { askCluster } from './cluster-address.ts';

export const command: Command = {
  describe: () => ({
    about:
      'Distribute the tables to the workers of Citus. All nodes must be stopped until it is done. Citus needs more CPU time than a single PostgreSQL server: see docs/operations/scaling.md first.',
    flags: {
      ...storeFlags(),
      parts: {
        about:
          'Number of shards of each table, which is the maximum number of workers: a power of two up to 64. Can be set only the first time. [default: 4 for each worker, at least 8]',
        takes: 'NUMBER',
      },
    },
    more: `There is no way back but a copy of the database, so make one before. How long it takes depends on the rows. If it is
interrupted, run it again: it goes on with the table where it stopped. Each table is at its old place or at its new one, never in between.`,
  }),

  async run(given) {
    const { parts } = given.flags;
    if (parts !== undefined && !isShardCount(Number(parts)))
      throw new UsageError(`--parts must be a power of two from 1 to 64.`);
    const startedAt = performance.now();
    let tables = 0;
    await askCluster(given, (url) =>
      spreadTables(url, {
        parts: parts === undefined ? undefined : Number(parts),
        report(progress) {
          tables += 1;
          console.error(lineOf(progress));
        },
      }),
    );
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    console.log(
      tables === 0
        ? 'All tables were already distributed.'
        : `${tables} tables are distributed (${seconds} s). Nodes can start.`,
    );
    return 0;
  },
};

const lineOf = ({ table, rows, done, of, place }: SpreadProgress) =>
  `${done + 1} of ${of}: ${table}, about ${rows} rows, ${PLACES[place]}`;

const PLACES = {
  distributed: 'distributed by device',
  reference: 'copied to each worker',
  local: 'stays on the coordinator',
} as const;
