import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { byTime } from '../../platform/packing/with-packed.ts';
import { onBothEngines } from '../../testing/databases.ts';
import { addDevices } from '../../testing/positions.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { markPacked, markPackedWithin } from './edit-packed.ts';
import { deletePositionsOf, packDay, packedPosition, unpackHolding, unpackWithin } from './pack.ts';
import { PACKED_CELLS, type StoredPosition } from './packed-positions.ts';
import { KINDS, type PositionKind, positions } from './positions.ts';
import { DAY_MS } from './segments.ts';
import { storePacked } from './store-packed.ts';
import { deletePositions, insertPositionsWithIds } from './write.ts';

const START = Date.parse('2026-03-02T00:00:00Z');
const DAYS = 4;
/** The other one has an id of more than 32 bits. */
const [DEVICE, OTHER] = [7, 2 ** 40 + 7];
const ALL = { from: 0, to: Number.MAX_SAFE_INTEGER, limit: 1_000_000, columns: PACKED_CELLS } as const;

function positionOf(id: number, timestamp: number, more: Partial<StoredPosition> = {}): StoredPosition {
  const nothing = Object.fromEntries(PACKED_CELLS.map((name) => [name, null])) as unknown as StoredPosition;
  return {
    ...nothing,
    id,
    deviceId: DEVICE,
    timestamp,
    created: timestamp + 1500,
    isLocatedByGateways: 0,
    locationType: 'gps',
    ...more,
  };
}

const place = fc.integer({ min: -800_000_000, max: 800_000_000 }).map((whole) => whole / 1e7);
const double = fc.double({ min: 0, max: 300, noNaN: true }).map((value) => value + 0);
const cells = fc.record({
  locationLat: fc.option(place),
  speed: fc.option(
    fc.oneof(
      double,
      fc.integer({ min: 0, max: 9000 }).map((whole) => whole / 100),
    ),
  ),
  locationType: fc.constantFrom('gps', 'invalid', 'gateway'),
  judged: fc.option(fc.constantFrom('implausible', 'tooOld')),
  batteryVoltage: fc.option(fc.integer({ min: 0, max: 30_000 }).map((whole) => whole / 1000)),
  address: fc.option(fc.constantFrom('Main Street 1', 'Ünter “den” Linden\n2')),
  locatingGateways: fc.option(fc.constant('[{"gatewayId": 4}]')),
});
/** Few moments, so that some have several positions. */
const moment = fc
  .tuple(fc.nat(DAYS - 1), fc.nat(5))
  .map(([day, step]) => START + day * DAY_MS + step * (DAY_MS / 6) + (step === 5 ? DAY_MS / 6 - 1 : 0));

type Step =
  | { readonly does: 'store'; readonly at: number; readonly cells: Partial<StoredPosition> }
  | { readonly does: 'pack' | 'unpack'; readonly at: number }
  | { readonly does: 'import'; readonly all: readonly number[]; readonly rowsBefore: number; readonly besides: number }
  | { readonly does: 'mark'; readonly which: readonly number[] }
  | { readonly does: 'mark again'; readonly which: readonly number[]; readonly from: number; readonly to: number }
  | { readonly does: 'delete'; readonly which: number }
  | { readonly does: 'change'; readonly which: number; readonly cells: Partial<StoredPosition> }
  | {
      readonly does: 'read';
      readonly kind: PositionKind;
      readonly from: number;
      readonly to: number;
      readonly limit: number;
      readonly isNewestFirst: boolean;
    };

const withLng = (one: { locationLat: number | null }) => ({
  ...one,
  locationLng: one.locationLat === null ? null : one.locationLat / 2,
});
const someCells = cells.map((one) => withLng(one) as Partial<StoredPosition>);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ does: fc.constant('store' as const), at: moment, cells: someCells }) },
    { weight: 4, arbitrary: fc.record({ does: fc.constant('pack' as const), at: moment }) },
    { weight: 1, arbitrary: fc.record({ does: fc.constant('unpack' as const), at: moment }) },
    {
      weight: 4,
      arbitrary: fc.record({
        does: fc.constant('import' as const),
        all: fc.array(moment, { minLength: 1, maxLength: 8 }),
        rowsBefore: fc.oneof(moment, fc.constant(Number.MAX_SAFE_INTEGER)),
        besides: moment,
      }),
    },
    { weight: 1, arbitrary: fc.record({ does: fc.constant('mark' as const), which: fc.array(fc.nat(100)) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        does: fc.constant('mark again' as const),
        which: fc.array(fc.nat(100)),
        from: moment,
        to: moment,
      }),
    },
    { weight: 1, arbitrary: fc.record({ does: fc.constant('delete' as const), which: fc.nat(100) }) },
    { weight: 1, arbitrary: fc.record({ does: fc.constant('change' as const), which: fc.nat(100), cells: someCells }) },
    {
      weight: 3,
      arbitrary: fc.record({
        does: fc.constant('read' as const),
        kind: fc.constantFrom(...(Object.keys(KINDS) as PositionKind[])),
        from: moment,
        to: moment,
        limit: fc.integer({ min: 1, max: 6 }),
        isNewestFirst: fc.boolean(),
      }),
    },
  ),
  // Long enough that there are several segments, with rows before, between and behind them.
  { minLength: 20, maxLength: 60, size: 'max' },
);

const plain = (rows: readonly object[]) =>
  rows.map((row) =>
    'locatingGateways' in row && row.locatingGateways
      ? { ...row, locatingGateways: JSON.parse(row.locatingGateways as string) }
      : { ...row },
  );

onBothEngines<Tables>('packed positions', { migrations: MIGRATIONS }, (open) => {
  /** Does the same to the store and to a plain list, and compares them. */
  async function follow(store: Store, todo: readonly Step[]): Promise<void> {
    let model: StoredPosition[] = [];
    let nextId = 1;
    const change = (id: number, after: StoredPosition | undefined) =>
      store.transaction(async (tx) => {
        await unpackHolding(tx, DEVICE, id);
        assert.equal(await deletePositions(tx, [id]), 1);
        if (after) await insertPositionsWithIds(tx, [after]);
      });
    for (const step of todo) {
      switch (step.does) {
        case 'store': {
          const position = positionOf(nextId++, step.at, step.cells);
          model.push(position);
          await store.transaction((tx) => insertPositionsWithIds(tx, [position]));
          break;
        }
        case 'pack':
          await store.transaction((tx) => packDay(tx, DEVICE, step.at));
          break;
        case 'import': {
          const some = step.all.map((at) => positionOf(nextId++, at));
          model.push(...some);
          const packed = some.map(({ deviceId: _, ...position }) => position);
          const { rowsBefore, besides } = step;
          await store.transaction((tx) => storePacked(tx, DEVICE, { positions: packed, rowsBefore, besides }));
          break;
        }
        case 'mark':
        case 'mark again': {
          const ids = step.which.flatMap((which) => model[which % Math.max(1, model.length)]?.id ?? []);
          const isPacked = new Set<number>();
          for (const { id } of model) if (await packedPosition(store.query, DEVICE, id, ['id'])) isPacked.add(id);
          if (step.does === 'mark') await store.transaction((tx) => markPacked(tx, DEVICE, ids));
          else await store.transaction((tx) => markPackedWithin(tx, DEVICE, step, ids));
          model = model.map((one) => {
            if (!isPacked.has(one.id)) return one;
            if (step.does === 'mark again' && (one.timestamp < step.from || one.timestamp > step.to)) return one;
            if (ids.includes(one.id)) return { ...one, judged: 'implausible' };
            return step.does === 'mark again' && one.judged === 'implausible' ? { ...one, judged: null } : one;
          });
          break;
        }
        case 'unpack':
          await store.transaction((tx) => unpackWithin(tx, DEVICE, { from: step.at, to: step.at }));
          break;
        case 'delete':
        case 'change': {
          const before = model[step.which % Math.max(1, model.length)];
          if (before === undefined) break;
          const after = step.does === 'change' ? { ...before, ...step.cells } : undefined;
          await change(before.id, after);
          model = model.flatMap((one) => (one.id !== before.id ? [one] : after ? [after] : []));
          break;
        }
        case 'read':
          await compareRead(store, model, step);
      }
    }
    const found = await positions(store.query, { ...ALL, deviceId: DEVICE });
    const expected = model.toSorted(byTime).map(({ deviceId: _, ...position }) => position);
    assert.deepEqual(plain(found), plain(expected));
    const segments = await store.query
      .selectFrom('positionSegments')
      .select(['firstAt', 'lastAt'])
      .orderBy('firstAt')
      .execute();
    assert.ok(segments.every(({ firstAt }, index) => index === 0 || segments[index - 1]!.lastAt < firstAt));
    for (const { id } of model) {
      const packed = await packedPosition(store.query, DEVICE, id, ['timestamp']);
      const row = await store.query.selectFrom('points').select('id').where('id', '=', id).executeTakeFirst();
      assert.notEqual(packed === undefined, row === undefined, 'each is either packed or a row');
    }
  }

  async function compareRead(
    store: Store,
    model: readonly StoredPosition[],
    { kind, from, to, limit, isNewestFirst }: Step & { does: 'read' },
  ): Promise<void> {
    const expected = model
      .filter((one) => one.timestamp >= from && one.timestamp <= to && KINDS[kind].is(one))
      .sort((a, b) => (isNewestFirst ? byTime(b, a) : byTime(a, b)))
      .map(({ id, speed }) => ({ id, speed }));
    const wanted = {
      deviceId: DEVICE,
      from,
      to,
      limit,
      isNewestFirst,
      kind,
      columns: ['id', 'speed', 'timestamp'],
    } as const;
    const found: { id: number; speed: number | null; timestamp: number }[] = [];
    for (;;) {
      const page = await positions(store.query, { ...wanted, after: found.at(-1) });
      found.push(...page);
      if (page.length < limit) break;
    }
    assert.deepEqual(
      found.map(({ id, speed }) => ({ id, speed })),
      expected,
    );
  }

  test('positions that are stored, packed, unpacked, changed and deleted in any order read like plain rows', async () => {
    const store = await open();
    await addDevices(store, [DEVICE, OTHER]);
    await fc.assert(
      fc.asyncProperty(steps, async (todo) => {
        await store.transaction((tx) => deletePositionsOf(tx, DEVICE));
        await follow(store, todo);
      }),
      { numRuns: 60 },
    );
  });

  test('positions that are stored packed get their own segment next to a large one, and join a small one', async () => {
    const store = await open();
    await addDevices(store, [DEVICE, OTHER]);
    const at = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => {
        const { deviceId: _device, ...position } = positionOf(from + index, START + (from + index) * 1000);
        return position;
      });
    const add = (from: number, count: number) =>
      store.transaction((tx) =>
        storePacked(tx, DEVICE, { positions: at(from, count), rowsBefore: Number.MAX_SAFE_INTEGER }),
      );
    const counts = async () =>
      (await store.query.selectFrom('positionSegments').select('count').orderBy('firstAt').execute()).map(
        ({ count }) => count,
      );
    await add(5000, 10);
    await add(5010, 1000);
    assert.deepEqual(await counts(), [1010]);
    await add(6010, 20);
    assert.deepEqual(await counts(), [1010, 20]);
    await add(6030, 30);
    await add(4000, 40);
    assert.deepEqual(await counts(), [40, 1010, 50]);
    await add(4500, 5);
    assert.deepEqual(await counts(), [45, 1010, 50]);
    const found = await positions(store.query, { ...ALL, deviceId: DEVICE, columns: ['id'] });
    assert.equal(new Set(found.map(({ id }) => id)).size, 1105);
  });

  test('segments of a day are one row, of other devices are theirs, and long ones are cut between moments', async () => {
    const store = await open();
    await addDevices(store, [DEVICE, OTHER]);
    const many = Array.from({ length: 25_000 }, (_, index) =>
      positionOf(index + 1, START + Math.floor(index / 2) * 6000, { locationLat: 46 + index / 1e5, locationLng: 11 }),
    );
    const others = [{ ...positionOf(30_000, START), deviceId: OTHER }];
    await store.transaction((tx) => insertPositionsWithIds(tx, [...many, ...others]));
    const packed = await store.transaction((tx) => packDay(tx, DEVICE, START + 5000));
    const segments = await store.query.selectFrom('positionSegments').selectAll().orderBy('firstAt').execute();
    assert.equal(
      segments.reduce((sum, { count }) => sum + count, 0),
      packed,
    );
    assert.ok(segments.every(({ deviceId }) => deviceId === DEVICE));
    assert.ok(segments.every(({ firstAt }, index) => index === 0 || segments[index - 1]!.lastAt < firstAt));
    assert.deepEqual([segments[0]!.south, segments[0]!.west], [46, 11]);
    const found = await positions(store.query, { ...ALL, deviceId: DEVICE, columns: ['id'] });
    assert.deepEqual(
      found.map(({ id }) => id),
      many.map(({ id }) => id),
    );
    assert.equal((await positions(store.query, { ...ALL, deviceId: OTHER })).length, 1);
  });
});
