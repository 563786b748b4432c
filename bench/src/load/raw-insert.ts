import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { createFleet } from '@trackway/simulator/fleet.ts';
import { calm } from '@trackway/simulator/profile.ts';
import { Reporter } from '@trackway/simulator/reporter.ts';
import { CITY } from './sending.ts';

/**
 * The process that only inserts: the same table, indexes and columns as the server's, one durable transaction per
 * hundred rows. It reads its task as JSON and prints the time it took as JSON.
 */

export interface RawInsert {
  readonly folder: string;
  readonly devices: number;
  readonly rows: number;
  readonly startAt: number;
}

export interface RawInserted {
  readonly seconds: number;
  readonly cpuMs: number;
}

const BATCH = 100;
const { folder, devices, rows, startAt } = JSON.parse(await text(process.stdin)) as RawInsert;
const database = new DatabaseSync(join(folder, 'trackway.db'));
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -16384');
const columns = [
  ...[
    'deviceId',
    'timestamp',
    'delay',
    'lat',
    'lng',
    'speed',
    'altitude',
    'course',
    'accuracy',
    'kind',
    'sats',
    'hdop',
  ],
  ...['batteryPct', 'batteryVoltage', 'averageCharge', 'sendReason', 'alertType', 'mode', 'gsmSignal', 'extra'],
];
const insert = database.prepare(
  `INSERT INTO "positions" (${columns.map((column) => `"${column}"`).join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
);
const made = makeRows();
const cpuBefore = process.cpuUsage();
const startedAt = performance.now();
for (let start = 0; start < made.length; start += BATCH) {
  database.exec('BEGIN IMMEDIATE');
  for (let row = start; row < start + BATCH; row += 1) insert.run(...made[row]!);
  database.exec('COMMIT');
}
const { user, system } = process.cpuUsage(cpuBefore);
const inserted: RawInserted = { seconds: (performance.now() - startedAt) / 1000, cpuMs: (user + system) / 1000 };
database.close();
process.stdout.write(JSON.stringify(inserted));

function scaled(value: number, scale: number): number {
  return Math.round(value * scale);
}

/** The rows that the server makes of the same reports. */
function makeRows(): (string | number | null)[][] {
  const profile = { ...calm, intervalsS: [1], packing: BATCH };
  const fleet = createFleet({ devices, seed: CITY.seed, city: CITY, profile, shift: 'always' });
  const reporters = fleet.devices.map((device) => new Reporter(device, startAt));
  const all: (string | number | null)[][] = [];
  for (let report = 0; report < rows / BATCH; report += 1) {
    const device = report % devices;
    for (const point of reporters[device]!.next().points) {
      all.push([
        ...[device + 1, point.timestamp, 900, scaled(point.location!.lat, 1e7), scaled(point.location!.lng, 1e7)],
        ...[scaled(point.speed!, 100), scaled(point.altitude!, 100), scaled(point.course!, 100) - 18_000],
        ...[scaled(point.accuracy!, 100), null, point.sats ?? null, null, scaled(point.batteryPct, 100), null],
        ...[point.averageCharge ?? null, point.sendReason ?? null, point.alertType ?? null, point.mode, null, null],
      ]);
    }
  }
  return all;
}
