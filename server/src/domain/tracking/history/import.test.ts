import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Report } from '../../../reports.ts';
import { onEitherEngine } from '../../../testing/databases.ts';
import { effectsIn, letClockDecide } from '../../../testing/effects.ts';
import { at, minutes, reportAt, watchedDevice } from '../../../testing/watched-device.ts';
import { PACKED_CELLS } from '../../positions/packed-positions.ts';
import { positions } from '../../positions/positions.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { Pipeline } from '../pipeline.ts';
import { replay } from '../replay/replay.ts';
import { RulesCache } from '../state/rules-cache.ts';
import { endImport } from './import-row.ts';
import { rebuild } from './rebuild.ts';

/** Far after the history, so that all of it is too old to be evaluated where it is not imported. */
const LATER = 60 * 24 * 90;
const WINDOW_MS = 30 * 86_400_000;
const PACK_AFTER_MS = 40 * 86_400_000;
const DAY = 120;

/** Several days, each with its way out and home, at an uneven step. */
const history = (days: number): Report => {
  const points = Array.from({ length: days }, (_, day) =>
    reportAt(...minutes(0, 100, (day % 3) + 1)).points.map((point) => ({
      ...point,
      timestamp: point.timestamp! + day * DAY * 60_000,
      alertType: point.speedKmh ? 32 : 0,
    })),
  ).flat();
  return { points, readings: [], gatewayReadings: [], messages: [] };
};
const partsOf = (report: Report, size: number): Report[] =>
  Array.from({ length: Math.ceil(report.points.length / size) }, (_, part) => ({
    ...report,
    points: report.points.slice(part * size, (part + 1) * size),
  }));

/** The same order each time. */
function shuffled<T>(items: readonly T[], seed: number): T[] {
  const left = [...items];
  const found: T[] = [];
  for (let next = seed; left.length > 0; next = (next * 48_271) % 2_147_483_647)
    found.push(...left.splice(next % left.length, 1));
  return found;
}

onEitherEngine<Tables>('history that is imported', { migrations: MIGRATIONS }, (open) => {
  async function setting(windowMs: number, packAfterMs?: number) {
    const store: Store = await open();
    const deviceId = await watchedDevice(store);
    const rulesCache = new RulesCache(store, windowMs);
    const intake = new Pipeline(store, rulesCache, { windowMs, packAfterMs, publish: () => {}, lateDataOf: () => {} });
    const evaluate = async (minute: number) => {
      for (let turn = 0; turn < 1000; turn++) {
        const rebuilt = await rebuild(store, rulesCache, deviceId, () => at(minute));
        if (rebuilt === 'more') continue;
        if ((await replay(store, rulesCache, deviceId, () => at(minute))) === undefined) return;
      }
      assert.fail('it is never done');
    };
    return { store, deviceId, intake, evaluate };
  }

  /** What follows where it is received in its turn. */
  async function received(report: Report) {
    const { store, deviceId, intake } = await setting(Number.MAX_SAFE_INTEGER);
    const points = report.points.toSorted((a, b) => a.timestamp! - b.timestamp!);
    for (const part of partsOf({ ...report, points }, 40))
      await intake.store(deviceId, part, part.points.at(-1)!.timestamp!);
    await letClockDecide(store, at(LATER));
    return effectsIn(store);
  }

  async function imported(
    parts: readonly Report[],
    live: readonly Report[] = [],
    packAfterMs: number | undefined = PACK_AFTER_MS,
  ) {
    const { store, deviceId, intake, evaluate } = await setting(WINDOW_MS, packAfterMs);
    for (const report of live) await intake.store(deviceId, report, report.points.at(-1)!.timestamp!);
    await evaluate(LATER);
    const reported = (await effectsIn(store)).notifications;
    for (const report of parts) await intake.store(deviceId, { ...report, isImported: true }, at(LATER));
    const needsEvaluation = await endImport(store, deviceId, at(LATER));
    if (needsEvaluation) await evaluate(LATER);
    await letClockDecide(store, at(LATER));
    return { effects: await effectsIn(store), reported, store, deviceId, intake, evaluate };
  }

  const same = (one: Awaited<ReturnType<typeof received>>, other: Awaited<ReturnType<typeof received>>) => {
    const { notifications: _, ...expected } = other;
    const { notifications: __, ...found } = one;
    assert.deepEqual(found, expected);
  };

  test('in order gives the same as receiving it, without notifications', async () => {
    const report = history(6);
    const expected = await received(report);
    assert.ok(expected.trips.length >= 10 && expected.notifications.length > 20, 'there is something to compare');
    const { effects } = await imported(partsOf(report, 37));
    same(effects, expected);
    assert.deepEqual(effects.notifications, []);
  });

  const stored = (store: Store, deviceId: number) =>
    positions(store.query, { deviceId, from: 0, to: Number.MAX_SAFE_INTEGER, limit: 10_000, columns: PACKED_CELLS });
  /** Ids follow the order in which they came. */
  const withoutIds = (all: readonly object[]) => all.map((one) => ({ ...one, id: 0 }));
  const rowsOf = (store: Store) => store.query.selectFrom('points').select('timestamp').orderBy('timestamp').execute();

  test('old days are packed at once, but for the newest position, and read as rows do', async () => {
    const report = history(30);
    const jump = report.points[500]!;
    const points = report.points.with(500, { ...jump, location: { lat: jump.location!.lat + 8, lng: 3 } });
    const parts = partsOf({ ...report, points }, 190);
    const plain = await imported(parts, [], Number.MAX_SAFE_INTEGER);
    const expected = await stored(plain.store, plain.deviceId);
    assert.equal((await rowsOf(plain.store)).length, points.length);
    assert.ok(expected.some(({ judged }) => judged === 'implausible'));
    for (const order of [parts, parts.toReversed(), shuffled(parts, 3)]) {
      const { store, deviceId, effects, intake } = await imported(order);
      assert.deepEqual(withoutIds(await stored(store, deviceId)), withoutIds(expected));
      same(effects, plain.effects);
      assert.deepEqual((await rowsOf(store)).at(-1)?.timestamp, points.at(-1)!.timestamp);
      assert.ok((await rowsOf(store)).length <= 1);
      for (const part of parts) {
        const again = await intake.store(deviceId, { ...part, isImported: true }, at(LATER));
        assert.deepEqual([again?.accepted, again?.duplicates], [0, part.points.length]);
      }
      assert.equal((await stored(store, deviceId)).length, points.length);
    }
  });

  test('days that are too young to be packed are rows, and old rows of a day are packed with it', async () => {
    const report = history(30);
    const { store, deviceId, intake } = await setting(WINDOW_MS, PACK_AFTER_MS);
    const [own, others] = [partsOf(report, 7), partsOf(report, 11)];
    // What the device sent itself while it was new.
    for (const part of own.filter((_, index) => index % 2 === 0))
      await intake.store(deviceId, part, part.points.at(-1)!.timestamp!);
    const young = report.points.map((point) => ({ ...point, timestamp: point.timestamp! + (LATER - 4000) * 60_000 }));
    for (const part of [...others, ...partsOf({ ...report, points: young }, 100)])
      await intake.store(deviceId, { ...part, isImported: true }, at(LATER));
    const rows = (await rowsOf(store)).map(({ timestamp }) => timestamp);
    const isYoung = (at: number) => at >= young[0]!.timestamp;
    assert.deepEqual(
      rows.filter(isYoung),
      young.map(({ timestamp }) => timestamp).sort((a, b) => a - b),
    );
    assert.ok(rows.filter((at) => !isYoung(at)).length <= 2, 'the newest ones are left to the packer');
    const times = [...report.points, ...young].map(({ timestamp }) => timestamp!).sort((a, b) => a - b);
    assert.deepEqual(
      (await stored(store, deviceId)).map(({ timestamp }) => timestamp),
      times,
    );
  });

  for (const seed of [1, 7, 1234])
    test(`in any order, too (${seed})`, async () => {
      const report = history(5);
      const { effects } = await imported([
        ...shuffled(partsOf(report, 23), seed),
        // Sent again, as after a break.
        ...partsOf(report, 23).slice(0, 3),
      ]);
      same(effects, await received(report));
      assert.deepEqual(effects.notifications, []);
    });

  test('before and between what the device reported itself, whose notifications stay', async () => {
    const report = history(12);
    const days = partsOf(report, 60);
    const own = days.filter((_, index) => index % 3 === 1);
    const { effects, reported } = await imported(
      shuffled(
        days.filter((_, index) => index % 3 !== 1),
        5,
      ),
      own,
    );
    same(effects, await received(report));
    assert.ok(reported.length > 0);
    assert.deepEqual(effects.notifications, reported, 'none was added, changed or taken back');
  });

  test('stays silent when late data comes afterwards, and new events are notified', async () => {
    const report = history(4);
    const parts = partsOf(report, 30);
    const late = parts[2]!;
    const { store, deviceId, intake, evaluate } = await imported(parts.filter((part) => part !== late));
    await intake.store(deviceId, { ...late, isImported: true }, at(LATER));
    await endImport(store, deviceId, at(LATER));
    await evaluate(LATER + 1);
    assert.deepEqual((await effectsIn(store)).notifications, []);
    const next = {
      ...report,
      points: reportAt(...minutes(0, 30)).points.map((point) => ({
        ...point,
        timestamp: point.timestamp! + (LATER + 10) * 60_000,
      })),
    };
    for (const part of partsOf(next, 1)) await intake.store(deviceId, part, part.points[0]!.timestamp!);
    await evaluate(LATER + 60);
    assert.ok((await effectsIn(store)).notifications.length > 0);
  });

  test('is evaluated to its end by another process if one dies in between', async () => {
    const report = history(40);
    const { store, deviceId, intake, evaluate } = await setting(WINDOW_MS, PACK_AFTER_MS);
    for (const part of partsOf(report, 200).toReversed())
      await intake.store(deviceId, { ...part, isImported: true }, at(LATER));
    await endImport(store, deviceId, at(LATER));
    const rulesCache = new RulesCache(store, WINDOW_MS);
    await rebuild(store, rulesCache, deviceId, () => at(LATER));
    const first = await store.query.selectFrom('deviceStates').select('replayFrom').executeTakeFirstOrThrow();
    assert.ok(first.replayFrom !== null, 'one slice is done, and where it ended is stored');
    await evaluate(LATER);
    await letClockDecide(store, at(LATER));
    same(await effectsIn(store), await received(report));
  });
});
