import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@trackway/server/testing/postgres-server.ts';
import { packedBytes } from './bytes/packed.ts';
import { packedReadingBytes } from './bytes/packed-readings.ts';
import { postgresBytes, sqliteBytes, type TableBytes } from './bytes/table-bytes.ts';
import { startFleet } from './fleet/tracked-fleet.ts';
import { send } from './load/sending.ts';
import { number, printTable, verdict } from './print/table.ts';

/** How much room a position takes, and all else that follows from it, after devices have reported for a day. */

const DEVICES = 350;
const INTERVAL_S = 30;
/** A day of each device: a million in all. */
const DAY = (24 * 3600) / INTERVAL_S;
const HOT = ['points', 'positions'];
const BARS = { SQLite: 80, PostgreSQL: 135, packed: 20, 'all else': 10 };
/** Simulated for a day. */
const PACKED_DEVICES = 100;
const READING_DEVICES = 40;
/** What a position brings besides its row. */
const ELSE = ['deviceStates', 'checkpoints', 'liveEvents', 'slots', 'trips', 'stops'];

/** `--short` lets them report for an hour, `--single` one position in each report instead of ten. */
export async function benchBytes(flags: ReadonlySet<string>): Promise<void> {
  const each = flags.has('--short') ? DAY / 24 : DAY;
  const packed = flags.has('--single') ? 1 : 10;
  const folder = mkdtempSync(join(tmpdir(), 'trackway-bench-'));
  const postgres = flags.has('--no-postgres') ? undefined : await startPostgres({});
  try {
    const rows: string[][] = [];
    const add = (engine: 'SQLite' | 'PostgreSQL', bytes: TableBytes) => {
      const sum = (tables: readonly string[]) =>
        tables.reduce((all, table) => all + (bytes.get(table) ?? 0), 0) / (DEVICES * each);
      const [hot, remaining] = [sum(HOT), sum(ELSE)];
      rows.push([`${engine}: a position`, number(hot, 1), `≤ ${BARS[engine]}`, verdict(hot <= BARS[engine])]);
      rows.push([
        `${engine}: all else of it`,
        number(remaining, 1),
        `≤ ${BARS['all else']}`,
        verdict(remaining <= BARS['all else']),
      ]);
    };
    const file = join(folder, 'sqlite');
    await report(file, each, packed);
    add('SQLite', sqliteBytes(join(file, 'trackway.db')));
    if (postgres) {
      await report(postgres.url, each, packed);
      add('PostgreSQL', await postgresBytes(postgres.url));
    }
    const pack = async (engine: 'SQLite' | 'PostgreSQL', place: string) => {
      const { bytes } = await packedBytes(place, PACKED_DEVICES);
      rows.push([`${engine}: a packed position`, number(bytes, 1), `≤ ${BARS.packed}`, verdict(bytes <= BARS.packed)]);
    };
    const packReadings = async (engine: 'SQLite' | 'PostgreSQL', place: string) => {
      const bytes = await packedReadingBytes(place, READING_DEVICES);
      rows.push([`${engine}: a packed reading`, number(bytes, 1), `≤ ${BARS.packed}`, verdict(bytes <= BARS.packed)]);
    };
    await pack('SQLite', join(folder, 'packed'));
    await packReadings('SQLite', join(folder, 'readings'));
    if (postgres) {
      const other = await startPostgres({});
      try {
        await pack('PostgreSQL', other.url);
        await packReadings('PostgreSQL', other.url);
      } finally {
        await other.stop();
      }
    }
    const title = `Bytes of ${number(DEVICES * each)} positions of ${DEVICES} devices, ${packed} in a report`;
    printTable(title, ['', 'bytes', 'bar', ''], rows);
  } finally {
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function report(place: string, each: number, packed: number): Promise<void> {
  const environment = { TRACKWAY_RATE_LIMIT: '0' };
  const { server, keys } = await startFleet(place, { devices: DEVICES, fences: [], environment });
  try {
    const startAt = Date.now() - each * INTERVAL_S * 1000;
    const load = {
      reports: (DEVICES * each) / packed,
      positions: packed,
      connections: 32,
      startAt,
      intervalS: INTERVAL_S,
    };
    await send({ address: server.address, keys, ...load }, server.pid);
  } finally {
    await server.stop();
  }
}
