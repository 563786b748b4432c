import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { number } from '../print/table.ts';
import { ROOT } from '../process.ts';
import { Api, startTrackway } from '../trackway.ts';

/**
 * Databases with many gateway readings, all of one gateway: the worst case, because every list of a device reads within
 * that device. They are created once and reused as long as the schema is the same.
 */
export const CACHE = join(ROOT, 'bench/.cache');
export const DEVICE_ID = 1;
export const SENSED_DEVICES = 500;
export const TYPES = ['temp', 'humidity', 'pressure', 'light', 'battery', 'ble_seen', 'uwb_seen', 'accel_3d'];
export const RARE_TYPE = 'tamper_detected';
const EVERY_RARE = 5000;
/** Readings are evenly spaced up to this time, slightly out of order. */
export const NEWEST_AT = Date.parse('2026-03-01T00:00:00Z');
const SPAN_MS = 80 * 86_400_000;

/** The data folder of a server whose only gateway has reported a number of readings. */
export async function readingsFolder(readings: number): Promise<string> {
  const folder = join(CACHE, `${readings}-readings-${schemaName()}`);
  if (existsSync(folder)) return folder;
  mkdirSync(CACHE, { recursive: true });
  for (const outdated of globSync(`${readings}-readings-*`, { cwd: CACHE })) {
    rmSync(join(CACHE, outdated), { recursive: true });
  }
  console.log(`Making a database of ${number(readings)} readings …`);
  const unfinished = `${folder}.unfinished`;
  await makeDevice(unfinished);
  insertReadings(join(unfinished, 'trackway.db'), readings);
  renameSync(unfinished, folder);
  return folder;
}

/** Changes with the migrations, so that a database of another schema is never used. */
export function schemaName(): string {
  const hash = createHash('sha256');
  const folder = join(ROOT, 'server/src/domain/schema/migrations');
  for (const file of globSync('[0-9]*.ts', { cwd: folder }).sort()) hash.update(readFileSync(join(folder, file)));
  return hash.digest('hex').slice(0, 8);
}

/** The server itself creates the schema, its admin and the gateway. */
async function makeDevice(folder: string): Promise<void> {
  const server = await startTrackway({ TRACKWAY_DATA: folder });
  try {
    const { id } = await (await Api.signIn(server.address)).post('/devices', { name: 'gateway' });
    if (id !== DEVICE_ID) throw new Error(`The first device is number ${id}`);
  } finally {
    await server.stop();
  }
}

function insertReadings(file: string, readings: number): void {
  const database = new DatabaseSync(file);
  const insert = database.prepare(
    `INSERT INTO "gatewayReadings" ("timestamp", "created", "type", "value", "rssi", "meta", "relatedId",
       "correlationId", "gatewayId", "reporterId", "deviceId", "sensorDeviceId") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  database.exec('PRAGMA synchronous = OFF; BEGIN');
  for (let i = 0; i < readings; i += 1) {
    const type = i % EVERY_RARE === 17 ? RARE_TYPE : TYPES[scattered(i) % TYPES.length]!;
    const sensed = scattered(i + 1) % SENSED_DEVICES;
    const created = Math.round(NEWEST_AT - SPAN_MS + ((i + 1) * SPAN_MS) / readings);
    const timestamp = created - (scattered(i + 2) % 60_000);
    const value = JSON.stringify({ x: (scattered(i + 3) % 1000) / 10, y: i % 7 });
    const meta = JSON.stringify({ firmware: '2.4.1', channel: i % 40 });
    const correlation = `transmission-${scattered(i + 4).toString(16)}`;
    const sensor = `d4:ca:6e:00:${(sensed >> 8).toString(16)}:${(sensed & 255).toString(16)}`;
    const rssi = -40 - (i % 60);
    insert.run(
      timestamp,
      created,
      type,
      value,
      rssi,
      meta,
      i % 900,
      correlation,
      DEVICE_ID,
      DEVICE_ID,
      2 + sensed,
      sensor,
    );
  }
  database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}

/** A deterministic number that looks random. */
function scattered(i: number): number {
  let bits = Math.imul(i ^ (i >>> 16), 0x45d9f3b);
  bits = Math.imul(bits ^ (bits >>> 16), 0x45d9f3b);
  return (bits ^ (bits >>> 16)) >>> 0;
}
