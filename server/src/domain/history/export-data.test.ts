import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEitherEngine } from '../../testing/databases.ts';
import { makeDevice, makeUser, NOW } from '../../testing/people.ts';
import { storePositions } from '../../testing/positions.ts';
import { unzip } from '../../testing/unzip.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { type DataExport, dataExports } from './export-data.ts';
import { DEVICE_HOLDINGS, USER_HOLDINGS } from './personal-holdings.ts';
import { isTimeColumn } from './rows-chunk.ts';
import { fillTables } from './testing/fill-tables.ts';

/** A busy machine takes long to start the threads that read. */
const PATIENT = { searchDeadlineMs: 600_000 };

/** What people ask for by name, whatever the program lists. */
const PROMISED = ['positions', 'readings', 'notifications', 'trips', 'stops', 'messages', 'events', 'device'];

async function filesOf({ bytes }: DataExport): Promise<Map<string, string>> {
  const parts: Uint8Array[] = [];
  for await (const part of bytes) parts.push(part);
  return unzip(Buffer.concat(parts));
}

const rowsIn = (files: Map<string, string>, name: string) =>
  files
    .get(name)!
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

test('every time of the schema that is exported is known as one', () => {
  const exported = [...DEVICE_HOLDINGS, ...USER_HOLDINGS].filter(({ file }) => file !== undefined);
  const tables = new Set<string>(exported.map(({ table }) => table));
  for (const { up } of MIGRATIONS) {
    const ddl = typeof up === 'string' ? up : `${up('sqlite')}${up('postgres')}`;
    for (const [, table, body] of ddl.matchAll(/(?:CREATE|ALTER) TABLE "(\w+)" ([^;]+)/g))
      for (const [, column] of body!.matchAll(/"(\w+)" \{time\}/g))
        if (tables.has(table!) && !/^lease/.test(column!))
          assert.ok(isTimeColumn(column!), `${table}.${column}: add it to rows-chunk.ts`);
  }
});

onEitherEngine<Tables>('exports of persons', { migrations: MIGRATIONS }, (open) => {
  test('all that is held about a device is in the archive, over many chunks, and no secret', async () => {
    const store: Store = await open(PATIENT);
    const { userId } = await makeUser(store, 'jo@example.com');
    const { userId: other } = await makeUser(store, 'other@example.com');
    const device = await makeDevice(store, userId, { name: 'Car' });
    const elsewhere = await makeDevice(store, other, { name: 'Elsewhere' });
    await store.query
      .updateTable('devices')
      .set({ secret: 'hidden 1', keyHash: 'hidden 2' })
      .where('id', '=', device)
      .execute();
    await fillTables(store, device, userId);
    await fillTables(store, elsewhere, other);
    const points = Array.from({ length: 1300 }, (_, index) => ({
      deviceId: device,
      timestamp: NOW + Math.floor(index / 7) * 1000,
      created: NOW,
      locationLat: index / 1000,
      locationLng: -0.5,
      locationType: 'gps',
    }));
    await storePositions(store, points);
    // Of another user, who shares the device: not the owner's.
    const reported = {
      created: NOW,
      timestamp: NOW,
      decidedAt: NOW,
      deviceId: device,
      userId: other,
      triggerId: 1,
      late: 0,
    };
    const kind = {
      params: '{}',
      explanation: '{}',
      kind: 'x',
      status: 'valid',
      isForPeople: 1,
      isOrdered: 1,
      triggerVersion: 1,
    };
    await store.query
      .insertInto('notifications')
      .values({ ...reported, ...kind } as never)
      .execute();

    const files = await filesOf(await dataExports(store).ofDevice(device, 'jo'));
    for (const name of PROMISED) assert.ok(rowsIn(files, `${name}.jsonl`).length > 0, `${name} is missing`);
    for (const { file } of DEVICE_HOLDINGS)
      if (file !== undefined) assert.ok(rowsIn(files, `${file}.jsonl`).length > 0, `${file} is empty`);
    const positions = rowsIn(files, 'positions.jsonl').filter(({ locationLat }) => locationLat !== null);
    assert.deepEqual(
      positions.map(({ timestamp, locationLat }) => [timestamp, locationLat]),
      points.map(({ timestamp, locationLat }) => [new Date(timestamp).toISOString(), locationLat]),
    );
    assert.equal([...files.get('track.gpx')!.matchAll(/<trkpt /g)].length, 1300);
    assert.deepEqual(
      rowsIn(files, 'notifications.jsonl').map((row) => row.userId),
      [userId],
    );
    const all = [...files.values()].join('\n');
    for (const secret of ['hidden 1', 'hidden 2', 'Elsewhere']) assert.ok(!all.includes(secret), secret);
    assert.match(files.get('README.txt')!, /^Everything that Trackway holds about the device \d+, Car\.\n/);
  });

  test('all that is held about a person, with each of their devices', async () => {
    const store: Store = await open(PATIENT);
    const { userId } = await makeUser(store, 'jo@example.com');
    const { userId: other } = await makeUser(store, 'other@example.com');
    const device = await makeDevice(store, userId, { name: 'Car' });
    const shared = await makeDevice(store, other, { name: 'Elsewhere' });
    await fillTables(store, shared, userId);
    const files = await filesOf(await dataExports(store).ofUser(userId, 'jo'));
    for (const { file } of USER_HOLDINGS)
      if (file !== undefined) assert.ok(rowsIn(files, `${file}.jsonl`).length > 0, `${file} is empty`);
    assert.deepEqual(
      rowsIn(files, `devices/${device}/device.jsonl`).map(({ name }) => name),
      ['Car'],
    );
    const [account] = rowsIn(files, 'account.jsonl');
    assert.equal(account.email, 'jo@example.com');
    assert.equal(account.created, new Date(NOW).toISOString());
    assert.ok(!('passwordHash' in account));
    assert.ok(!files.has(`devices/${shared}/device.jsonl`), 'devices of others are theirs');
  });

  test('a reader that goes away ends it', async () => {
    const store: Store = await open(PATIENT);
    const { userId } = await makeUser(store, 'jo@example.com');
    const { bytes } = await dataExports(store).ofUser(userId, 'jo');
    for await (const part of bytes) {
      assert.ok(part.length > 0);
      break;
    }
  });
});
