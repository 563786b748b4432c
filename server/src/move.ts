import { createHash } from 'node:crypto';
import { makeMonthsSince } from './domain/positions/segment-months.ts';
import { OLD_POINTS, postgresCell } from './domain/positions/write.ts';
import { MIGRATIONS } from './domain/schema/migrations.ts';
import { slotOf } from './domain/schema/slot.ts';
import { timeNow } from './platform/clock.ts';
import { type MoveProgress, type MoveResult, move } from './platform/storage/move/move.ts';
import { MoveRefused } from './platform/storage/move/refused.ts';
import { openSource } from './platform/storage/move/source.ts';
import { cellTypes } from './platform/storage/postgres/types.ts';

/** How far the log of live events was deleted, which PostgreSQL keeps for each slot. */
const FORGOTTEN = 'liveForgotten';
/** The columns that name the device by which a row has its slot, where that is not `deviceId`; the first that is set. */
const OWNERS: Readonly<Record<string, readonly string[]>> = {
  devices: ['id'],
  gatewayReadings: ['keptBy'],
  readingSegments: ['keptBy'],
};
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Moves the embedded database to PostgreSQL. What is encrypted stays encrypted with the same key. The caller has locked
 * the folder, and the database is of this version.
 * @param file that of the embedded database, which is only read
 */
export async function moveToPostgres(
  file: string,
  url: string,
  report: (progress: MoveProgress) => void,
): Promise<MoveResult> {
  const source = openSource(file);
  try {
    if (source.tables.includes(OLD_POINTS))
      throw new MoveRefused(
        'Positions of an earlier version are still being carried over. Start the server, wait until it says that all are, and stop it again.',
      );
    const { default: pg } = await import('pg');
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      application_name: 'trackway move',
      keepAlive: true,
      types: cellTypes,
    });
    client.on('error', () => {});
    await client.connect();
    try {
      // The database's own proof of its key, which no other has.
      const proof = source.cell(`SELECT "value" FROM "settings" WHERE "name" = 'vault'`) ?? '';
      const forgotten = Number(source.cell(`SELECT "value" FROM "settings" WHERE "name" = '${FORGOTTEN}'`) ?? 0);
      const newest = Math.max(forgotten, source.highestId('liveEvents'));
      return await move(source, client, {
        sourceName: createHash('sha256').update(String(proof)).digest('hex'),
        migrations: MIGRATIONS,
        skipped: ['migrations', 'slots', 'slotClocks'],
        conditions: { settings: `"name" <> '${FORGOTTEN}'` },
        computed(table, column, cell) {
          if (table === 'positions' && column !== 'slot') return postgresCell(column, cell);
          if (column !== 'slot') return undefined;
          const owners = OWNERS[table] ?? ['deviceId'];
          return slotOf(Number(owners.map(cell).find((owner) => owner !== null) ?? 0));
        },
        async prepare(on) {
          // A few may be of clocks that were wrong.
          const oldest = source.cell(
            'SELECT "first" FROM "segments" ORDER BY "first" LIMIT 1 OFFSET (SELECT COUNT(*) / 100 FROM "segments")',
          );
          if (typeof oldest === 'number') await makeMonthsSince(on, { oldest, now: timeNow() });
        },
        async finish(on) {
          // As for a database whose log had one order until now: each slot counts on from its last entry.
          await on.query('UPDATE "slots" SET "last" = $1, "forgotten" = $2, "since" = $1', [newest, forgotten]);
        },
        report,
      });
    } finally {
      await client.end().catch(() => {});
    }
  } finally {
    source.close();
  }
}
