import { createHash } from 'node:crypto';
import { makeMonthsSince } from '../domain/positions/segment-months.ts';
import { postgresCell } from '../domain/positions/write.ts';
import { MIGRATIONS } from '../domain/schema/migrations.ts';
import { SLOT_KEYS, slotOf } from '../domain/schema/owned-devices.ts';
import { timeNow } from '../platform/clock.ts';
import { type MoveProgress, type MoveResult, move } from '../platform/storage/move/move.ts';
import { openSource } from '../platform/storage/move/source.ts';
import { cellTypes } from '../platform/storage/postgres/types.ts';

/** How far the log of live events was deleted, which PostgreSQL keeps for each slot. */
const FORGOTTEN = 'liveForgotten';
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
        skipped: ['migrations', 'slots', 'slotTimers'],
        conditions: { settings: `"name" <> '${FORGOTTEN}'` },
        computed(table, column, cell) {
          if (table === 'positions') return postgresCell(column, cell);
          return table === 'liveEvents' && column === 'slot' ? SLOT_KEYS[slotOf(Number(cell('deviceId')))] : undefined;
        },
        async prepare(on) {
          // A few may be of clocks that were wrong.
          const oldest = source.cell(
            'SELECT "firstAt" FROM "positionSegments" ORDER BY "firstAt" LIMIT 1 OFFSET (SELECT COUNT(*) / 100 FROM "positionSegments")',
          );
          if (typeof oldest === 'number') await makeMonthsSince(on, { oldest, now: timeNow() });
        },
        async finish(on) {
          // The log had one order: each slot counts on from its last entry.
          await on.query('UPDATE "slots" SET "lastId" = $1, "deletedId" = $2, "startId" = $1', [newest, forgotten]);
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
