import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { byTime } from '../../platform/packing/with-packed.ts';
import { onBothEngines } from '../../testing/databases.ts';
import { addDevices } from '../../testing/positions.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { ALL, overReadings } from './over-readings.ts';
import {
  clearSightings,
  insertReadings,
  packedReading,
  packReadingsOf,
  unpackReading,
  unpackReadingsWithin,
} from './pack-readings.ts';
import { readingHash } from './packed-readings.ts';
import { newestReading } from './reading-segments.ts';
import { readings } from './readings.ts';
import { DAY_MS } from './segments.ts';
import { keeperOf, type ReadingPair, type ReadingScope, type StoredReadingRow } from './stored-reading.ts';

const START = Date.parse('2026-05-04T00:00:00Z');
const BEFORE = START + 100 * DAY_MS;
const FOREVER = Number.MAX_SAFE_INTEGER;
const PAIRS: readonly ReadingPair[] = [
  { gatewayId: 1, deviceId: 3 },
  { gatewayId: 2, deviceId: 3 },
  { gatewayId: 1, deviceId: null },
  { gatewayId: null, deviceId: 3 },
  { gatewayId: null, deviceId: 1 },
];
const SCOPES: readonly ReadingScope[] = [
  { deviceId: 3 },
  { gatewayId: 1 },
  { gatewayId: 1, deviceId: null },
  { gatewayId: null, deviceId: 3 },
  { gatewayId: 2 },
];

const moment = fc.integer({ min: 0, max: 24 }).map((step) => START + (step * DAY_MS) / 8);
const value = fc
  .oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.constantFrom('on', true, [1], { b: 1, a: 'x' }),
  )
  .map((one) => JSON.stringify(one));
const cells = fc.record({
  pair: fc.constantFrom(...PAIRS),
  timestamp: moment,
  late: fc.nat(100_000),
  type: fc.constantFrom('temp', 'humidity', 'a"b', 'b'),
  value,
  // SQLite stores no zero with a sign.
  rssi: fc.option(fc.double({ min: -120, max: 0, noNaN: true }).map((one) => one + 0)),
  meta: fc.option(fc.constantFrom('{"a":1}', '{}')),
  relatedId: fc.option(fc.nat(1000)),
  correlationId: fc.option(fc.constantFrom('x', 'y')),
  sensorDeviceId: fc.option(fc.constantFrom('aa:bb', 'cc')),
  datapointId: fc.option(fc.nat(1_000_000)),
  hash: fc.constantFrom('follows', 'other', null),
});
type Cells = typeof cells extends fc.Arbitrary<infer T> ? T : never;

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ does: fc.constant('store' as const), cells }) },
  {
    weight: 4,
    arbitrary: fc.record({ does: fc.constant('pack' as const), keeper: fc.constantFrom(1, 2, 3), at: moment }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('unpack' as const), at: moment }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('delete' as const), which: fc.nat(100) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('change' as const), which: fc.nat(100), cells }) },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('read' as const),
      scope: fc.constantFrom(...SCOPES),
      from: moment,
      to: moment,
      limit: fc.integer({ min: 1, max: 5 }),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function readingOf({ pair, late, hash, ...rest }: Cells, id: number): StoredReadingRow {
  const reading = { ...rest, ...pair, id, created: rest.timestamp + late };
  const own = readingHash({ ...reading, value: JSON.stringify(JSON.parse(rest.value)) });
  return { ...reading, hash: hash === 'follows' ? own : hash };
}

/** PostgreSQL writes JSON in its own way. */
const plain = (rows: readonly StoredReadingRow[]) =>
  rows.map(({ value, meta, ...row }) => ({
    ...row,
    value: JSON.parse(value) as unknown,
    meta: meta === null ? null : (JSON.parse(meta) as unknown),
  }));

const isIn = (scope: ReadingScope, row: ReadingPair) =>
  (scope.gatewayId === undefined || scope.gatewayId === row.gatewayId) &&
  (scope.deviceId === undefined || scope.deviceId === row.deviceId);

onBothEngines<Tables>('packed readings', { migrations: MIGRATIONS }, (open) => {
  /** Does the same to the store and to a plain list, and compares them. */
  async function follow(store: Store, todo: readonly Step[]): Promise<void> {
    let model: StoredReadingRow[] = [];
    let nextId = 1;
    const change = (before: StoredReadingRow, after: StoredReadingRow | undefined) =>
      store.transaction(async (tx) => {
        await unpackReading(tx, before, before.id);
        const { numDeletedRows } = await tx
          .deleteFrom('gatewayReadings')
          .where('id', '=', before.id)
          .executeTakeFirst();
        assert.equal(Number(numDeletedRows), 1);
        if (after) await insertReadings(tx, [after]);
      });
    for (const one of todo) {
      if (one.does === 'store') {
        const reading = readingOf(one.cells, nextId++);
        model.push(reading);
        await store.transaction((tx) => insertReadings(tx, [reading]));
      } else if (one.does === 'pack')
        await store.transaction((tx) => packReadingsOf(tx, one.keeper, { at: one.at, before: BEFORE }));
      else if (one.does === 'unpack')
        await store.transaction((tx) => unpackReadingsWithin(tx, { deviceId: 3 }, { from: one.at, to: one.at }));
      else if (one.does === 'read') {
        const expected = model
          .filter((row) => isIn(one.scope, row) && row.timestamp >= one.from && row.timestamp <= one.to)
          .sort(byTime);
        const found: StoredReadingRow[] = [];
        for (;;) {
          const after = found.at(-1);
          const { scope, from, to, limit } = one;
          const some = await readings(store.query, { scope, from, to, limit, columns: ALL, ...(after && { after }) });
          found.push(...(some as StoredReadingRow[]));
          if (some.length < limit) break;
        }
        assert.deepEqual(plain(found), plain(expected));
      } else {
        const before = model[one.which % Math.max(model.length, 1)];
        if (before === undefined) continue;
        const after = one.does === 'change' ? readingOf(one.cells, before.id) : undefined;
        await change(before, after);
        model = model.flatMap((row) => (row.id === before.id ? (after ?? []) : [row]));
      }
    }
    await compare(store, model);
  }

  async function compare(store: Store, model: readonly StoredReadingRow[]): Promise<void> {
    for (const scope of SCOPES) {
      const of = model.filter((row) => isIn(scope, row)).sort(byTime);
      const all = { scope, from: 0, to: FOREVER, columns: ALL, limit: 1000 };
      assert.deepEqual(plain((await readings(store.query, all)) as StoredReadingRow[]), plain(of));
      const counted = await overReadings<{ type: string; count: number; high: number }>(
        store.query,
        { scope, span: { from: 0, to: FOREVER } },
        (source) => ({
          sql: `SELECT r."type", COUNT(*) AS "count", MAX(r."id") AS "high" FROM ${source} r
            WHERE ${Object.entries(scope)
              .map(([name, id]) => (id === null ? `r."${name}" IS NULL` : `r."${name}" = ${id}`))
              .join(' AND ')}
            GROUP BY r."type" ORDER BY 1`,
          cells: [],
        }),
      );
      const types = [...Map.groupBy(of, ({ type }) => type)].sort(([a], [b]) => (a < b ? -1 : 1));
      assert.deepEqual(
        counted.map(({ type, count, high }) => [type, Number(count), Number(high)]),
        types.map(([type, rows]) => [type, rows.length, Math.max(...rows.map(({ id }) => id))]),
      );
      for (const [type, rows] of types)
        assert.equal((await newestReading(store.query, scope, type))?.id, rows.at(-1)!.id, type);
    }
    const rows = new Set((await store.query.selectFrom('gatewayReadings').select('id').execute()).map(({ id }) => id));
    for (const reading of model) {
      const { gatewayId, deviceId } = reading;
      const found = await packedReading(store.query, { gatewayId, deviceId }, reading.id, ALL);
      assert.equal(found !== undefined, !rows.has(reading.id), 'each is stored once');
      if (!found) continue;
      const { segmentId: _, ...packed } = found;
      assert.deepEqual(plain([packed]), plain([reading]));
    }
  }

  test('readings that are stored, packed, unpacked, changed and deleted in any order read like plain rows', async () => {
    const store = await open();
    await addDevices(store, [1, 2, 3]);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60, size: 'max' }), async (todo) => {
        await store.query.deleteFrom('gatewayReadings').execute();
        await store.query.deleteFrom('readingSegments').execute();
        await follow(store, todo);
      }),
      { numRuns: 25 },
    );
  });

  test('recent readings stay rows, and readings of other devices are packed with those devices', async () => {
    const store = await open();
    await addDevices(store, [1, 2, 3]);
    const row = (id: number, pair: ReadingPair, more: Partial<StoredReadingRow> = {}): StoredReadingRow => ({
      ...pair,
      ...{
        id,
        timestamp: START + id,
        created: START + id,
        type: 'temp',
        value: String(id / 10),
        rssi: null,
        meta: null,
      },
      ...{ relatedId: null, correlationId: null, sensorDeviceId: null, datapointId: null, hash: null, ...more },
    });
    const all = [row(1, PAIRS[0]!), row(2, PAIRS[0]!, { created: BEFORE }), row(3, PAIRS[3]!), row(4, PAIRS[2]!)];
    const pack = (keeper: number) =>
      store.transaction((tx) => packReadingsOf(tx, keeper, { at: START, before: BEFORE }));
    await store.transaction((tx) => insertReadings(tx, all));
    assert.deepEqual([await pack(1), await pack(3), await pack(1)], [2, 1, 0]);
    const rows = await store.query.selectFrom('gatewayReadings').select('id').execute();
    assert.deepEqual(
      rows.map(({ id }) => id),
      [2],
    );
    assert.deepEqual(new Set(all.map(keeperOf)), new Set([1, 3]));
  });

  test('sightings of an erased device stay, without the device', async () => {
    const store = await open();
    await addDevices(store, [1, 2, 3]);
    const sightings = fc
      .sample(cells, { numRuns: 20, seed: 7 })
      .map((one, index) =>
        readingOf({ ...one, pair: PAIRS[index % 4]!, timestamp: START + index, late: 0 }, index + 1),
      );
    await store.transaction(async (tx) => {
      await insertReadings(tx, sightings);
      for (const keeper of [1, 2, 3]) await packReadingsOf(tx, keeper, { at: START, before: BEFORE });
      await clearSightings(tx, 3, 1000);
    });
    const left = sightings
      .filter(({ gatewayId }) => gatewayId === 1)
      .map((one) => (one.deviceId === 3 ? { ...one, deviceId: null, sensorDeviceId: null } : one));
    const found = await readings(store.query, {
      scope: { gatewayId: 1 },
      from: 0,
      to: FOREVER,
      columns: ALL,
      limit: 99,
    });
    const withoutHash = (rows: readonly StoredReadingRow[]) => plain(rows).map(({ hash: _, ...row }) => row);
    assert.deepEqual(withoutHash(found as StoredReadingRow[]), withoutHash(left));
    assert.deepEqual(
      await readings(store.query, { scope: { deviceId: 3 }, from: 0, to: FOREVER, columns: [], limit: 9 }),
      [],
    );
  });
});
