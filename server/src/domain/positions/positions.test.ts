import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { onBothEngines } from '../../testing/databases.ts';
import { NOW } from '../../testing/people.ts';
import { addDevices, storePositions } from '../../testing/positions.ts';
import { citusUrl } from '../../testing/storage/citus-places.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import type { NewPosition } from './encode.ts';
import { identityOf } from './identity.ts';
import type { StoredPosition } from './packed-positions.ts';
import { positions } from './positions.ts';
import { changePosition, deletePositions, insertPositions, markJudged, readPosition } from './write.ts';

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

/** All that a report, an import or a manual change can put into a position. */
const DEVICES = [1, 7, 8, 2_147_483_647];
const POSITION: fc.Arbitrary<NewPosition> = fc.record({
  deviceId: fc.constantFrom(...DEVICES),
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
  locatingGateways: orNull(fc.constant('[{"gatewayId":5,"rssi":-70.5}]')),
  isLocatedByGateways: fc.constantFrom(0, 1),
  reportedHash: orNull(fc.constant('h6KFO6eu83m6t-Nr')),
  cell: orNull(fc.constant('{"mcc":262,"mnc":1,"lac":6360,"cid":24897,"rssi":-60}')),
});

/** Zero has two signs, which mean the same; PostgreSQL writes JSON in its own way. */
const plain = ({ locatingGateways, cell, ...position }: NewPosition | StoredPosition) => ({
  ...Object.fromEntries(Object.entries(position).map(([name, value]) => [name, value === 0 ? 0 : value])),
  locatingGateways: locatingGateways ? JSON.parse(locatingGateways) : null,
  cell: cell ? JSON.parse(cell) : null,
});

const without = ({ id: _, ...position }: StoredPosition) => position;

onBothEngines<Tables>('positions', { migrations: MIGRATIONS }, (open) => {
  test('what is read is what was stored', async () => {
    const store: Store = await open();
    await addDevices(store, DEVICES);
    await fc.assert(
      fc.asyncProperty(fc.array(POSITION, { minLength: 1, maxLength: 40 }), async (given) => {
        const ids = await insertPositions(store.query, given);
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
    await addDevices(store, DEVICES);
    await fc.assert(
      fc.asyncProperty(POSITION, POSITION, async (before, { deviceId: _, ...changes }) => {
        const after = { ...changes, deviceId: before.deviceId };
        const [id] = await insertPositions(store.query, [before]);
        const changed = (await changePosition(store.query, id!, changes))!;
        assert.deepEqual(plain(without(changed)), plain(after));
        await markJudged(store.query, [id!], 'implausible');
        assert.deepEqual(
          plain(without((await readPosition(store.query, id!))!)),
          plain({ ...after, judged: 'implausible' }),
        );
        await markJudged(store.query, [id!], null);
        assert.deepEqual(plain(without((await readPosition(store.query, id!))!)), plain({ ...after, judged: null }));
        assert.equal(await deletePositions(store.query, [id!]), 1);
        assert.equal(await readPosition(store.query, id!), undefined);
      }),
      { numRuns: 40 },
    );
  });

  test('they are read by time, then by id, from where a reader was', async () => {
    const store: Store = await open();
    await addDevices(store, DEVICES);
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
    await store.transaction((query) => storePositions({ query }, rows));
    if (store.dialect.name === 'postgres') await sql`ANALYZE "positions"`.execute(store.query);
    else await sql`ANALYZE`.execute(store.query);
    const planOf = async (text: string) => {
      const explain = store.dialect.name === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN';
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
