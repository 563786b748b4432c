import { existsSync, globSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { number } from '../print/table.ts';
import { Api, startTrackway } from '../trackway.ts';
import { CACHE, schemaName } from './readings-database.ts';

/**
 * A database with a month of vehicles: positions, eight trips a day, the ignition. It is created once and reused. The
 * server packs the trips, as it does with trips that ended before it could.
 */
export const FLEET = 100;
const DAY_MS = 86_400_000;
const MONTH_MS = 30 * DAY_MS;
const TO = Date.parse('2026-03-01T00:00:00Z');
const FROM = TO - MONTH_MS;
export const MONTH = [new Date(FROM).toISOString(), new Date(TO).toISOString()];
const EVERY_MS = 3 * 3_600_000;
const TRIP_MS = 40 * 60_000;
const WAY_DEG = 0.1;
const DEPOT = { lat: 38.4, lng: -8 };

export async function monthFolder(each: number): Promise<string> {
  const name = `month-of-${each}-`;
  const folder = join(CACHE, `${name}${schemaName()}`);
  if (existsSync(folder)) return folder;
  mkdirSync(CACHE, { recursive: true });
  for (const outdated of globSync(`${name}*`, { cwd: CACHE })) rmSync(join(CACHE, outdated), { recursive: true });
  console.log(`Making a database of ${number(each * FLEET)} positions …`);
  const unfinished = `${folder}.unfinished`;
  const server = await startTrackway({ TRACKWAY_DATA: unfinished });
  try {
    const api = await Api.signIn(server.address);
    for (let device = 1; device <= FLEET; device += 1) await api.post('/devices', { name: `Vehicle ${device}` });
    await api.post('/users/me/geofences', { name: 'Depot', type: 'work', center: DEPOT, radius: 500 });
  } finally {
    await server.stop();
  }
  fill(join(unfinished, 'trackway.db'), each);
  await letPack(unfinished);
  renameSync(unfinished, folder);
  return folder;
}

async function letPack(folder: string): Promise<void> {
  const server = await startTrackway({ TRACKWAY_DATA: folder });
  const database = new DatabaseSync(join(folder, 'trackway.db'), { readOnly: true });
  try {
    const unpacked = database.prepare('SELECT COUNT(*) AS "count" FROM "trips" WHERE "track" IS NULL');
    while (Number(unpacked.get()!.count) > 0) await pause(1000);
  } finally {
    database.close();
    await server.stop();
  }
}

/** Every three hours a vehicle drives away for forty minutes, or back. */
function fill(file: string, each: number): void {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -262144; BEGIN');
  const insertPoint = database.prepare(
    `INSERT INTO "positions" ("deviceId", "timestamp", "delay", "lat", "lng", "speed", "accuracy")
       VALUES (?, ?, 0, ROUND(? * 1e7), ROUND(? * 1e7), ? * 100, 500)`,
  );
  const insertTrip = database.prepare(
    `INSERT INTO "trips" ("deviceId", "start", "end", "distance", "duration", "idle", "maxSpeed", "averageSpeed",
       "startLocationLat", "startLocationLng", "endLocationLat", "endLocationLng", "startPointId", "endPointId",
       "decidedAt") VALUES (?, ?, ?, 11120, 2400, 0, 62, 17, ?, ?, ?, ?, 1, 2, ?)`,
  );
  const insertIgnition = database.prepare('INSERT INTO "ignitionChanges" ("deviceId", "at", "isOn") VALUES (?, ?, ?)');
  const stepMs = MONTH_MS / each;
  const latAt = (at: number) => {
    const trip = Math.floor((at - FROM) / EVERY_MS);
    const done = Math.min(1, ((at - FROM) % EVERY_MS) / TRIP_MS);
    // As devices report them.
    return Math.round((DEPOT.lat + WAY_DEG * (trip % 2 === 0 ? done : 1 - done)) * 1e7) / 1e7;
  };
  for (let at = FROM; at < TO; at += stepMs)
    for (let device = 1; device <= FLEET; device += 1) {
      const speed = (at - FROM) % EVERY_MS < TRIP_MS ? 17 : 0;
      insertPoint.run(device, at, latAt(at), DEPOT.lng, speed);
    }
  for (let start = FROM; start < TO; start += EVERY_MS)
    for (let device = 1; device <= FLEET; device += 1) {
      const end = start + TRIP_MS;
      insertTrip.run(device, start, end, latAt(start), DEPOT.lng, latAt(end), DEPOT.lng, end);
      // A trip begins at the last fix before the vehicle left, and its ignition is switched on after that.
      insertIgnition.run(device, start + 10_000, 1);
      insertIgnition.run(device, end + 20_000, 0);
    }
  database.exec('COMMIT');
  database.close();
}
