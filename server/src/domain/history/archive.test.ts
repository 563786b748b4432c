import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { fingerprint } from '../../platform/formats/parquet.ts';
import { onEitherEngine } from '../../testing/databases.ts';
import { makeDevice, makeUser } from '../../testing/people.ts';
import { storePositions } from '../../testing/positions.ts';
import { storeReadings } from '../../testing/readings.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { type ArchiveOptions, archive } from './archive.ts';
import { eraseArchived } from './erase-archived.ts';
import { NotAnArchive, readManifest } from './manifest.ts';

const MARCH = Date.UTC(2026, 2, 1);
const APRIL = Date.UTC(2026, 3, 1);
const MAY = Date.UTC(2026, 4, 1);
const HOUR_MS = 3_600_000;

async function tempFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'trackway-archive-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** What DuckDB, a program of others, reads from the files. */
async function duck(sql: string): Promise<Record<string, unknown>[]> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(sql)).getRowObjectsJson() as Record<string, unknown>[];
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

const point = (deviceId: number, timestamp: number, more: Record<string, unknown> = {}) => ({
  deviceId,
  timestamp,
  created: timestamp + 5,
  locationLat: 47.1234567,
  locationLng: -8.7654321,
  locationType: 'gps',
  speed: 12.5,
  ...more,
});

async function addPoints(store: Store, rows: readonly Record<string, unknown>[]): Promise<void> {
  await storePositions(store, rows as never);
}

onEitherEngine<Tables>('archive', { migrations: MIGRATIONS }, (open) => {
  async function setUp(t: TestContext) {
    const store: Store = await open();
    const { userId } = await makeUser(store, 'a@example.com');
    const van = await makeDevice(store, userId, { name: 'Van' });
    const car = await makeDevice(store, userId, { name: 'Car' });
    const folder = await tempFolder(t);
    const run = (more: Partial<ArchiveOptions> = {}) =>
      archive(store, { folder, before: MAY, removes: false, program: 'test', report() {}, ...more });
    const all = `'${folder}/positions/*/*.parquet'`;
    return { store, userId, van, car, folder, run, all };
  }

  test('every row of whole months is there once, with all its values, for other programs to read', async (t) => {
    const { store, userId, van, car, folder, run, all } = await setUp(t);
    const rows = Array.from({ length: 5000 }, (_, index) => point(van, MARCH + Math.floor(index / 3) * 60_000));
    await addPoints(store, [
      ...rows,
      point(car, APRIL - 1, {
        locationLat: null,
        locationLng: null,
        locationType: 'invalid',
        stringValue: 'Größe "x"',
      }),
      point(car, APRIL),
      point(car, MAY),
    ]);
    const reading = { timestamp: MARCH, created: MARCH, type: 'temp', rssi: -70 };
    await storeReadings(
      store,
      { ...reading, gatewayId: van, deviceId: car, value: '{"a":[1,"ü"]}' },
      { ...reading, deviceId: car, value: '21.5' },
    );
    const places = { startLocationLat: 1, startLocationLng: 2, endLocationLat: 3, endLocationLng: 4 };
    const sums = { distance: 1000, duration: 60, idle: 0, maxSpeed: 50, averageSpeed: 40 };
    const trip = { deviceId: van, start: MARCH, end: MARCH + HOUR_MS, startPointId: 1, endPointId: 2, decidedAt: 0 };
    await store.query
      .insertInto('trips')
      .values({ ...trip, ...places, ...sums } as never)
      .execute();
    const stop = { deviceId: van, start: APRIL, end: MAY, duration: 1, locationLat: 1, locationLng: 2, decidedAt: 0 };
    await store.query
      .insertInto('stops')
      .values(stop as never)
      .execute();
    const reported = {
      created: MARCH,
      timestamp: MARCH,
      decidedAt: MARCH,
      deviceId: van,
      userId,
      triggerId: 1,
      late: 0,
    };
    const kind = {
      params: '{"speed":90}',
      explanation: '{}',
      kind: 'speeding',
      status: 'valid',
      isForPeople: 1,
      isOrdered: 1,
    };
    await store.query
      .insertInto('notifications')
      .values({ ...reported, ...kind, triggerVersion: 1 } as never)
      .execute();

    const result = await run();
    assert.deepEqual(result.written, { positions: 5002, readings: 2, trips: 1, stops: 1, notifications: 1 });

    const [sum] = await duck(`SELECT count(*) AS n, count(DISTINCT id) AS ids, count(DISTINCT month) AS months,
      min(timestamp)::VARCHAR AS first, max(timestamp)::VARCHAR AS last FROM read_parquet(${all}, hive_partitioning = true)`);
    const ids = { n: '5002', ids: '5002', months: '2' };
    assert.deepEqual(sum, { ...ids, first: '2026-03-01 00:00:00', last: '2026-04-01 00:00:00' });
    const stored = await store.query
      .selectFrom('points')
      .selectAll()
      .where('timestamp', '<', MAY)
      .orderBy('id')
      .execute();
    const read = await duck(`SELECT * REPLACE (epoch_ms(timestamp) AS timestamp, epoch_ms(created) AS created)
      FROM read_parquet(${all}, hive_partitioning = false) ORDER BY id`);
    assert.equal(read.length, stored.length);
    for (const [index, row] of read.entries())
      for (const [name, value] of Object.entries(row)) {
        const own = (stored[index] as unknown as Record<string, string | number | null>)[name]!;
        assert.equal(typeof own === 'number' ? Number(value) : value, own, name);
      }
    assert.deepEqual(
      await duck(`SELECT gatewayId::INTEGER AS g, deviceId::INTEGER AS d, value::VARCHAR AS v, rssi
        FROM '${folder}/readings/*/*.parquet' ORDER BY id`),
      [
        { g: van, d: car, v: '{"a":[1,"ü"]}', rssi: -70 },
        { g: null, d: car, v: '21.5', rssi: -70 },
      ],
    );
    const [trips] = await duck(`SELECT "end"::VARCHAR AS e, distance FROM '${folder}/trips/*/*.parquet'`);
    assert.deepEqual(trips, { e: '2026-03-01 01:00:00', distance: 1000 });
    const [notified] = await duck(`SELECT params->>'speed' AS s, late FROM '${folder}/notifications/*/*.parquet'`);
    assert.deepEqual(notified, { s: '90', late: false });

    const manifest = await readManifest(folder);
    assert.deepEqual(manifest.rows, { positions: 5002, readings: 2, trips: 1, stops: 1, notifications: 1 });
    for (const { path, rows: count, bytes, sha256, firstAt, lastAt } of manifest.files) {
      assert.deepEqual(await fingerprint(join(folder, path)), { bytes, sha256 });
      assert.deepEqual(await duck(`SELECT count(*) AS n FROM '${folder}/${path}'`), [{ n: String(count) }]);
      assert.ok(firstAt <= lastAt);
    }
  });

  test('a later run adds what came since, and writes nothing else again', async (t) => {
    const { store, van, car, folder, run, all } = await setUp(t);
    await addPoints(store, [point(van, MARCH), point(car, MARCH)]);
    await run();
    const before = await readManifest(folder);
    await addPoints(store, [point(van, MARCH + 1), point(van, APRIL)]);
    const { written } = await run();
    assert.equal(written.positions, 3, 'the file that changed, and the new one');
    const after = await readManifest(folder);
    assert.deepEqual(
      after.files.find(({ bucket }) => bucket === car % 64),
      before.files.find(({ bucket }) => bucket === car % 64),
    );
    assert.deepEqual(await duck(`SELECT count(*) AS n, count(DISTINCT id) AS ids FROM ${all}`), [{ n: '4', ids: '4' }]);
  });

  test('a run that is interrupted goes on where it was', async (t) => {
    const { store, van, car, folder, run, all } = await setUp(t);
    await addPoints(store, [point(van, MARCH), point(car, MARCH), point(van, APRIL)]);
    let steps = 0;
    const interrupted = run({
      report() {
        if (++steps === 2) throw new Error('power cut');
      },
    });
    await assert.rejects(interrupted, /power cut/);
    // A line that was cut off while it was written.
    await writeFile(join(folder, 'progress.jsonl'), '{"file', { flag: 'a' });
    const { isResumed, written } = await run();
    assert.ok(isResumed);
    assert.equal(written.positions, 2, 'one file was whole');
    assert.deepEqual(await duck(`SELECT count(*) AS n, count(DISTINCT id) AS ids FROM ${all}`), [{ n: '3', ids: '3' }]);
    const left = (await readdir(folder, { recursive: true })).filter((name) => /\.new$|progress/.test(name));
    assert.deepEqual(left, [], 'nothing unfinished is left');
  });

  test('what is removed is in the archive, the newest stays, and what comes later is added', async (t) => {
    const { store, van, car, folder, run, all } = await setUp(t);
    await addPoints(store, [
      point(van, MARCH),
      point(van, MARCH + HOUR_MS),
      point(van, MARCH + 2 * HOUR_MS, { locationLat: null, locationLng: null, locationType: 'invalid' }),
      point(car, MARCH),
      point(car, APRIL),
      point(car, MAY),
    ]);
    const { removed } = await run({ removes: true });
    assert.equal(removed, 3);
    const left = async () =>
      (await store.query.selectFrom('points').select(['deviceId', 'timestamp']).orderBy('id').execute()).map(
        ({ deviceId, timestamp }) => [deviceId, timestamp],
      );
    const newest = [
      [van, MARCH + HOUR_MS],
      [van, MARCH + 2 * HOUR_MS],
      [car, MAY],
    ];
    assert.deepEqual(await left(), newest);

    await addPoints(store, [point(van, MARCH + 5)]);
    assert.equal((await run({ removes: true })).removed, 1);
    assert.deepEqual(await left(), newest);
    assert.equal((await run({ removes: true })).written.positions, 0);
    assert.deepEqual(await duck(`SELECT count(*) AS n, count(DISTINCT id) AS ids FROM ${all}`), [{ n: '6', ids: '6' }]);
    assert.ok((await readManifest(folder)).files.every(({ state }) => state === 'removed'));
  });

  test('a removal that is interrupted loses nothing', async (t) => {
    const { store, van, folder, run, all } = await setUp(t);
    await addPoints(store, [point(van, MARCH), point(van, MARCH + 1), point(van, MAY)]);
    await run();
    // The state after the first rows were removed.
    const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'));
    manifest.files[0].state = 'removing';
    await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest));
    await store.query.deleteFrom('positions').where('timestamp', '=', MARCH).execute();
    await run({ removes: true });
    const left = await store.query.selectFrom('points').select('timestamp').execute();
    assert.deepEqual(
      left.map(({ timestamp }) => timestamp),
      [MAY],
    );
    assert.deepEqual(await duck(`SELECT count(*) AS n FROM ${all}`), [{ n: '2' }]);
  });

  test('positions of a trip whose way is not stored yet stay', async (t) => {
    const { store, van, run } = await setUp(t);
    await addPoints(store, [point(van, MARCH), point(van, MAY)]);
    const places = { startLocationLat: 1, startLocationLng: 2, endLocationLat: 3, endLocationLng: 4 };
    const sums = { distance: 1000, duration: 60, idle: 0, maxSpeed: 50, averageSpeed: 40 };
    const trip = { deviceId: van, start: MARCH, end: MARCH + HOUR_MS, startPointId: 1, endPointId: 2, decidedAt: 0 };
    await store.query
      .insertInto('trips')
      .values({ ...trip, ...places, ...sums } as never)
      .execute();
    const first = await run({ removes: true });
    assert.deepEqual([first.removed, first.waiting], [0, 1]);
    await store.query.updateTable('trips').set({ track: '' }).execute();
    const second = await run({ removes: true });
    assert.deepEqual([second.removed, second.waiting], [1, 0]);
  });

  test('erased data is removed from the files, and sightings of other gateways stay without the device', async (t) => {
    const { store, van, car, folder, run, all } = await setUp(t);
    await addPoints(store, [point(van, MARCH), point(car, MARCH)]);
    const sighting = { timestamp: MARCH, created: MARCH, type: 'rssi', value: '1' };
    await storeReadings(
      store,
      { ...sighting, gatewayId: car, deviceId: van, sensorDeviceId: 'of the van' },
      { ...sighting, gatewayId: van, deviceId: car },
    );
    await run();
    const before = (await readManifest(folder)).files.find(
      ({ table, bucket }) => table === 'positions' && bucket === car,
    );
    const erased = { deviceIds: new Set([van]), userIds: new Set<number>() };
    assert.deepEqual(await eraseArchived(folder, 'test', erased), { rows: 3, files: 3 });
    assert.deepEqual(await duck(`SELECT DISTINCT deviceId::INTEGER AS d FROM ${all}`), [{ d: car }]);
    assert.deepEqual(
      await duck(
        `SELECT gatewayId::INTEGER AS g, deviceId AS d, sensorDeviceId AS s FROM '${folder}/readings/*/*.parquet'`,
      ),
      [{ g: car, d: null, s: null }],
    );
    const { files } = await readManifest(folder);
    assert.equal(files.length, 2);
    for (const { path, bytes, sha256 } of files)
      assert.deepEqual(await fingerprint(join(folder, path)), { bytes, sha256 });
    assert.deepEqual(
      files.find(({ table }) => table === 'positions'),
      before,
      'what is not about it stays',
    );
    assert.deepEqual(await eraseArchived(folder, 'test', erased), { rows: 0, files: 0 });
  });

  test('what was deleted is not written, and a folder with something else is refused', async (t) => {
    const { store, van, car, folder, run } = await setUp(t);
    await addPoints(store, [point(van, MARCH), point(car, MARCH)]);
    await store.query.updateTable('devices').set({ deletedAt: 1 }).where('id', '=', van).execute();
    assert.equal((await run()).written.positions, 1);
    await writeFile(join(folder, 'manifest.json'), '{"files":[]}');
    await assert.rejects(run(), NotAnArchive);
  });
});
