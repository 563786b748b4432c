import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { createLog } from '../../platform/log.ts';
import { onBothEngines } from '../../testing/databases.ts';
import { NOW } from '../../testing/people.ts';
import { storePositions } from '../../testing/positions.ts';
import { citusUrl } from '../../testing/storage/citus-places.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { startCarryOver } from './carry-over.ts';
import type { NewPosition } from './encode.ts';
import { identityOf } from './identity.ts';
import { positions } from './positions.ts';
import type { StoredPosition } from './stored-position.ts';
import {
  changePosition,
  deletePositions,
  forgetPositions,
  insertPositions,
  markJudged,
  readPosition,
} from './write.ts';

const orNull = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null });
/** Numbers as devices send them, with few decimals, and any others. */
const number = (min: number, max: number, decimals: number) =>
  orNull(
    fc.oneof(
      fc.integer({ min: Math.ceil(min * decimals), max: Math.floor(max * decimals) }).map((value) => value / decimals),
      fc.double({ min, max, noNaN: true }),
      fc.integer({ min: Math.ceil(min), max: Math.floor(max) }),
      fc.constantFrom(min, max),
    ),
  );
const whole = (max: number) => orNull(fc.integer({ min: 0, max }));
const text = orNull(fc.string({ unit: 'grapheme', maxLength: 20 }).filter((value) => !value.includes('\0')));

/** All that a report, an import or somebody by hand can put into a position. */
const POSITION: fc.Arbitrary<NewPosition> = fc.record({
  deviceId: fc.integer({ min: 1, max: 2_147_483_647 }),
  timestamp: fc.integer({ min: 0, max: NOW * 2 }),
  created: fc.oneof(fc.constant(NOW), fc.integer({ min: 0, max: NOW * 2 })),
  locationLat: number(-90, 90, 1e7),
  locationLng: number(-180, 180, 1e7),
  speed: number(0, 100_000, 100),
  altitude: number(-20_000, 1e7, 10),
  course: number(0, 360, 100),
  accuracy: number(0, 1e8, 10),
  locationType: fc.constantFrom('gps', 'wifi', 'gsm', 'gateway', 'invalid'),
  sats: whole(1000),
  hdop: number(0, 10_000, 100),
  batteryPct: number(0, 255, 10),
  batteryVoltage: number(-1000, 1000, 1000),
  averageCharge: whole(255),
  sendReason: whole(255),
  alertType: whole(255),
  mode: whole(255),
  gsmSignal: number(-1000, 1000, 1),
  address: text,
  correlationId: text,
  stringValue: text,
  currentUsed: number(0, 2 ** 53 - 1, 10),
  num_value: text,
  judged: fc.constantFrom('implausible', 'tooOld', null),
  heardBy: orNull(fc.constant('[{"gatewayId":5,"rssi":-70.5}]')),
  isHeard: fc.constantFrom(0, 1),
  reportedHash: orNull(fc.constant('h6KFO6eu83m6t-Nr')),
});

/** Zero has two signs, which mean the same; PostgreSQL writes JSON in its own way. */
const plain = ({ heardBy, ...position }: NewPosition | StoredPosition) => ({
  ...Object.fromEntries(Object.entries(position).map(([name, value]) => [name, value === 0 ? 0 : value])),
  heardBy: heardBy ? JSON.parse(heardBy) : null,
});

const without = ({ id: _, slot: __, ...position }: StoredPosition & { slot?: number }) => position;

onBothEngines<Tables>('positions', { migrations: MIGRATIONS }, (open) => {
  test('what is read is what was stored', async () => {
    const store: Store = await open();
    await fc.assert(
      fc.asyncProperty(fc.array(POSITION, { minLength: 1, maxLength: 40 }), async (given) => {
        const ids = await insertPositions(store.query, store.storeKind, given);
        for (const [index, id] of ids.entries()) {
          const read = (await readPosition(store.query, id))!;
          assert.deepEqual(plain(without(read)), plain(given[index]!));
          assert.equal(identityOf(read), identityOf(given[index] as StoredPosition));
        }
      }),
      { numRuns: 60 },
    );
  });

  test('a position that is changed is what it was changed to', async () => {
    const store: Store = await open();
    await fc.assert(
      fc.asyncProperty(POSITION, POSITION, async (before, { deviceId: _, ...changes }) => {
        const after = { ...changes, deviceId: before.deviceId };
        const [id] = await insertPositions(store.query, store.storeKind, [before]);
        const changed = (await changePosition(store.query, store.storeKind, id!, changes))!;
        assert.deepEqual(plain(without(changed)), plain(after));
        await markJudged(store.query, store.storeKind, [id!], 'implausible');
        assert.deepEqual(
          plain(without((await readPosition(store.query, id!))!)),
          plain({ ...after, judged: 'implausible' }),
        );
        await markJudged(store.query, store.storeKind, [id!], null);
        assert.deepEqual(plain(without((await readPosition(store.query, id!))!)), plain({ ...after, judged: null }));
        assert.equal(await deletePositions(store.query, store.storeKind, [id!]), 1);
        assert.equal(await readPosition(store.query, id!), undefined);
      }),
      { numRuns: 40 },
    );
  });

  test('they are read by time, then by id, from where a reader was', async () => {
    const store: Store = await open();
    const times = [3, 1, 2, 2, 2, 5];
    await storePositions(
      store,
      times.map((time, index) => ({ deviceId: 7, timestamp: NOW + time, locationLat: index, locationLng: 1 })),
    );
    await storePositions(store, { deviceId: 8, timestamp: NOW + 2, locationLat: 1, locationLng: 1 });
    const wanted = {
      deviceId: 7,
      from: NOW,
      to: NOW + 4,
      columns: ['id', 'timestamp', 'locationLat'],
      limit: 2,
    } as const;
    const read: number[] = [];
    for (let after: { timestamp: number; id: number } | undefined; ; ) {
      const some = await positions(store.query, { ...wanted, after });
      read.push(...some.map(({ locationLat }) => locationLat!));
      after = some.at(-1);
      if (some.length < 2) break;
    }
    assert.deepEqual(read, [1, 2, 3, 4, 0]);
    const newest = await positions(store.query, { ...wanted, isNewestFirst: true, limit: 9 });
    assert.deepEqual(
      newest.map(({ locationLat }) => locationLat),
      read.toReversed(),
    );
  });

  // Citus shows the plan of one of its tasks, with few of the rows.
  const skip = citusUrl() !== undefined;
  test('a device and a time, and an id, are found by an index', { skip }, async () => {
    const store: Store = await open();
    const rows = Array.from({ length: 20_000 }, (_, index) => ({
      deviceId: 1 + (index % 50),
      timestamp: NOW + index * 1000,
      locationLat: 1,
      locationLng: 1,
    }));
    await store.transaction((query) => storePositions({ query, storeKind: store.storeKind }, rows));
    if (store.storeKind === 'postgres') await sql`ANALYZE "positions"`.execute(store.query);
    else await sql`ANALYZE`.execute(store.query);
    const planOf = async (text: string) => {
      const explain = store.storeKind === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN';
      const { rows: lines } = await sql.raw<Record<string, unknown>>(`${explain} ${text}`).execute(store.query);
      return lines.map((line) => Object.values(line).join(' ')).join('\n');
    };
    const byTime = `SELECT * FROM "points" WHERE "deviceId" = 7 AND "timestamp" >= ${NOW} AND "timestamp" <= ${NOW + 100_000} ORDER BY "timestamp", "id"`;
    assert.match(await planOf(byTime), /positions_device_timestamp/);
    const newest = 'SELECT * FROM "points" WHERE "deviceId" = 7 ORDER BY "timestamp" DESC, "id" DESC LIMIT 1';
    assert.match(await planOf(newest), /positions_device_timestamp/);
    assert.match(await planOf('SELECT * FROM "points" WHERE "id" = 7'), /positions_id|INTEGER PRIMARY KEY/);
    assert.match(await planOf('SELECT * FROM "points" WHERE "id" IN (7, 9, 13)'), /positions_id|INTEGER PRIMARY KEY/);
    assert.match(
      await planOf('SELECT 1 FROM "points" WHERE "deviceId" = 9007199254740991'),
      /positions_device_timestamp/,
    );
  });
});

onBothEngines<Tables>('positions of an earlier version', { migrations: MIGRATIONS }, (open) => {
  const before = MIGRATIONS.slice(
    0,
    MIGRATIONS.findIndex(({ name }) => name === '0055-slim-positions'),
  );
  const LOG = createLog('silent');
  const COLUMNS = ['deviceId', 'timestamp', 'created', 'locationLat', 'locationLng', 'speed', 'batteryPct'] as const;

  /** A database with positions that a version before stored. */
  async function older(count: number): Promise<{ store: Store; place: string; stored: Map<number, object> }> {
    const place = await open.emptyPlace();
    const old: Store = await open.at(place, { migrations: before });
    for (let start = 0; start < count; start += 500) {
      const values = Array.from({ length: Math.min(500, count - start) }, (_, index) => {
        const number = start + index;
        const cells = { deviceId: 1 + (number % 3), timestamp: NOW + number, created: NOW + 2 * number };
        const more = {
          locationLat: number / 7,
          locationLng: 8.1234567,
          speed: 50.5,
          batteryPct: 99,
          locationType: 'gps',
        };
        return {
          ...cells,
          ...more,
          judged: number % 10 === 0 ? 'implausible' : null,
          hash: hashFor(number, { ...cells, ...more }),
        };
      });
      await old.query
        .insertInto('points')
        .values(values as never)
        .execute();
    }
    await old.close();
    const store: Store = await open.at(place);
    return { store, place, stored: await all(store) };
  }

  const EMPTY = { altitude: null, course: null, accuracy: null, sats: null, hdop: null, batteryVoltage: null };
  const NONE = { averageCharge: null, sendReason: null, alertType: null, mode: null, gsmSignal: null };
  function hashFor(number: number, cells: object): string | null {
    if (number % 5 === 1) return 'heard';
    if (number % 5 === 2) return 'h6KFO6eu83m6t-Nr';
    return number % 5 === 3 ? null : identityOf({ ...EMPTY, ...NONE, ...cells } as StoredPosition);
  }

  async function all(store: Store): Promise<Map<number, object>> {
    const rows = await store.query
      .selectFrom('points')
      .select(['id', ...COLUMNS, 'locationType', 'judged', 'isHeard'])
      .orderBy('id')
      .execute();
    return new Map(rows.map(({ id, ...row }) => [id, { ...row }]));
  }

  const isThere = async (store: Store) =>
    (await store.query.selectFrom('settings').select('name').where('name', '=', 'oldPoints').execute()).length > 0;

  test('are shown as they were, before they are carried over and after', async () => {
    const { store, stored } = await older(5000);
    assert.equal(stored.size, 5000);
    assert.equal(await isThere(store), true);
    const carrying = startCarryOver(store, LOG);
    await carrying.ended;
    assert.equal(await isThere(store), false);
    assert.deepEqual(await all(store), stored);
    const kept = await store.query.selectFrom('points').select('reportedHash').where('id', '=', 3).executeTakeFirst();
    assert.equal(kept?.reportedHash, 'h6KFO6eu83m6t-Nr', 'what was changed is still known by what was reported');
    const same = await store.query.selectFrom('points').select('reportedHash').where('id', '=', 5).executeTakeFirst();
    assert.equal(same?.reportedHash, null);
    const [next] = await storePositions(store, { deviceId: 1, timestamp: NOW });
    assert.ok(next! > Math.max(...stored.keys()), 'no id is given twice');
  });

  test('go on being carried over by whoever comes next', async () => {
    const { store, place, stored } = await older(6000);
    const carrying = startCarryOver(store, LOG);
    while ((carrying.progress()?.done ?? 0) === 0) await new Promise((resolve) => setImmediate(resolve));
    await carrying.stop();
    assert.deepEqual(await all(store), stored);
    await store.close();
    const again: Store = await open.at(place);
    assert.equal(await isThere(again), true, 'it was stopped before the end');
    assert.deepEqual(await all(again), stored);
    await startCarryOver(again, LOG).ended;
    assert.equal(await isThere(again), false);
    assert.deepEqual(await all(again), stored);
  });

  test('are changed, marked and deleted meanwhile as if they had been carried over', async () => {
    const { store, stored } = await older(6000);
    const { storeKind } = store;
    const carrying = startCarryOver(store, LOG);
    for (let id = 7; id < 6000; id += 371) {
      await store.transaction((tx) => changePosition(tx, storeKind, id, { speed: 12.3456 }));
      stored.set(id, { ...stored.get(id), speed: 12.3456 });
      await store.transaction((tx) => deletePositions(tx, storeKind, [id + 1]));
      stored.delete(id + 1);
      await store.transaction((tx) => markJudged(tx, storeKind, [id + 2], 'implausible'));
      stored.set(id + 2, { ...stored.get(id + 2), judged: 'implausible' });
      const [made] = await storePositions(store, { deviceId: 9, timestamp: NOW + id, locationLat: 1, locationLng: 2 });
      const read = (await all(store)).get(made!)!;
      stored.set(made!, read);
    }
    await store.transaction((tx) => forgetPositions(tx, storeKind, 2));
    for (const [id, row] of stored) if ((row as { deviceId: number }).deviceId === 2) stored.delete(id);
    await carrying.ended;
    assert.deepEqual(await all(store), stored);
  });

  test('a database without any has nothing to carry over', async () => {
    const { store } = await older(0);
    assert.equal(await isThere(store), false);
  });
});
