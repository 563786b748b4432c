import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { makeLanes, Outcome } from '../load/lanes.ts';
import type { Sending } from '../load/sending.ts';

/**
 * The process that only inserts: a row and a commit for each position of a fleet, into a small table with the one index
 * that finds a track. It reads its task as JSON and prints the result as JSON. What it stores is the least that any
 * server on the same database must.
 */
export interface RowSending extends Sending {
  /** A data folder, or the address of a PostgreSQL database. */
  readonly place: string;
}

type Cells = [device: number, time: number, lat: number, lng: number, speed: number];

const TABLE = 'CREATE TABLE IF NOT EXISTS plain (device INTEGER, time BIGINT, lat REAL, lng REAL, speed REAL)';
const INDEX = 'CREATE INDEX IF NOT EXISTS plain_track ON plain (device, time)';

const sending = JSON.parse(await text(process.stdin)) as RowSending;
const { place, keys } = sending;
const devices = new Map(keys.map((key, index) => [key, index + 1]));
const outcome = new Outcome();
const { lanes, endedAt } = makeLanes(sending, (key, body) => Buffer.from(JSON.stringify(cellsOf(key, body))));
const rows = lanes.map((lane) => lane.map((cells) => JSON.parse(cells.toString()) as Cells));
let cpuMs: number | undefined;
const startedAt = await (place.startsWith('postgres') ? insertAtServer() : insertHere());
process.stdout.write(JSON.stringify({ ...outcome.sum(sending, startedAt, endedAt), cpuMs }));

function cellsOf(key: string, body: string): Cells {
  const { points } = JSON.parse(body);
  const [{ timestamp, location, speed }] = points;
  return [devices.get(key)!, new Date(timestamp).getTime(), location.lat, location.lng, speed];
}

/** On SQLite a commit is one at a time whatever happens, so there is nothing to do side by side. */
async function insertHere(): Promise<number> {
  const database = new DatabaseSync(join(place, 'plain.db'));
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; ${TABLE}; ${INDEX}`);
  const insert = database.prepare('INSERT INTO plain VALUES (?, ?, ?, ?, ?)');
  const before = process.cpuUsage();
  const from = performance.now();
  for (const cells of rows.flat()) {
    const at = performance.now();
    insert.run(...cells);
    outcome.take(performance.now() - at, '', true);
  }
  const { user, system } = process.cpuUsage(before);
  cpuMs = (user + system) / 1000;
  return from;
}

async function insertAtServer(): Promise<number> {
  const clients = await Promise.all(
    rows.map(async () => {
      const client = new pg.Client({ connectionString: place });
      await client.connect();
      return client;
    }),
  );
  await clients[0]!.query(`${TABLE}; ${INDEX}`);
  const from = performance.now();
  await Promise.all(
    rows.map(async (lane, index) => {
      for (const values of lane) {
        const at = performance.now();
        await clients[index]!.query({ name: 'insert', text: 'INSERT INTO plain VALUES ($1, $2, $3, $4, $5)', values });
        outcome.take(performance.now() - at, '', true);
      }
    }),
  );
  const until = performance.now() - from;
  await Promise.all(clients.map((client) => client.end()));
  return performance.now() - until;
}
