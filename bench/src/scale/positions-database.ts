import { existsSync, globSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { number } from '../print/table.ts';
import { Api, startTrackway } from '../trackway.ts';
import { CACHE, schemaName } from './readings-database.ts';

/** A database with a year of many devices: positions, and their trips. It is created once and reused. */
export const DEVICES = 200;
const DAYS = 365;
const TRIPS_A_DAY = 8;
const DAY_MS = 86_400_000;
const TRIP_MS = 40 * 60_000;
export const NEWEST_AT = Date.parse('2026-03-01T00:00:00Z');

export async function positionsFolder(positions: number): Promise<string> {
  const folder = join(CACHE, `${positions}-positions-${schemaName()}`);
  if (existsSync(folder)) return folder;
  mkdirSync(CACHE, { recursive: true });
  for (const outdated of globSync(`${positions}-positions-*`, { cwd: CACHE })) {
    rmSync(join(CACHE, outdated), { recursive: true });
  }
  console.log(`Making a database of ${number(positions)} positions …`);
  const unfinished = `${folder}.unfinished`;
  await makeDevices(unfinished);
  fill(join(unfinished, 'trackway.db'), positions);
  renameSync(unfinished, folder);
  return folder;
}

async function makeDevices(folder: string): Promise<void> {
  const server = await startTrackway({ TRACKWAY_DATA: folder });
  try {
    const api = await Api.signIn(server.address);
    for (let device = 1; device <= DEVICES; device += 1) await api.post('/devices', { name: `Device ${device}` });
  } finally {
    await server.stop();
  }
}

/**
 * In the order in which devices report: all of them at one time, then all of them at the next, so that their rows are
 * interleaved.
 */
function fill(file: string, positions: number): void {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -262144; BEGIN');
  const insertPoint = database.prepare(
    `INSERT INTO "positions" ("deviceId", "timestamp", "delay", "lat", "lng", "speed", "accuracy", "batteryPct", "mode")
       VALUES (?, ?, ?, ROUND(? * 1e7), ROUND(? * 1e7), ? * 100, ? * 100, ? * 100, 0)`,
  );
  const insertTrip = database.prepare(
    `INSERT INTO "trips" ("deviceId", "start", "end", "distance", "duration", "idle", "maxSpeed", "averageSpeed",
       "startLocationLat", "startLocationLng", "endLocationLat", "endLocationLng", "startPointId", "endPointId",
       "decidedAt") VALUES (?, ?, ?, 12000, 2400, 120, 62, 18, 38.4, -8.0, 38.5, -8.1, 1, 2, ?)`,
  );
  const from = NEWEST_AT - DAYS * DAY_MS;
  const stepMs = (DAYS * DAY_MS) / (positions / DEVICES);
  for (let step = 0; step < positions / DEVICES; step += 1) {
    const at = Math.round(from + step * stepMs);
    for (let device = 1; device <= DEVICES; device += 1) {
      const lat = 38.42 + ((step * 7 + device) % 1000) / 40_000;
      insertPoint.run(device, at, 900, lat, -8.02, (step * 13) % 60, 6, 100 - (step % 60));
    }
  }
  for (let trip = 0; trip < DAYS * TRIPS_A_DAY; trip += 1) {
    const start = Math.round(from + (trip * DAY_MS) / TRIPS_A_DAY);
    for (let device = 1; device <= DEVICES; device += 1)
      insertTrip.run(device, start, start + TRIP_MS, start + TRIP_MS);
  }
  database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE); ANALYZE');
  database.close();
}
