import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { timeNow } from '../../platform/clock.ts';
import type { Report } from '../../reports.ts';
import { onBothEngines } from '../../testing/databases.ts';
import { makeDevice, makeUser } from '../../testing/people.ts';
import { makeMonths, makeMonthsSince, segmentParts, startOfMonth } from '../positions/segment-months.ts';
import { DAY_MS, segmentsWithin } from '../positions/segments.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { positionPacker } from '../tracking/timers/pack-positions.ts';
import { dropOutlived, outlivedUntil } from './drop-months.ts';
import { forgetSlice } from './forget-device.ts';
import { cutsOf, type KeptHistory } from './kept-history.ts';
import { always, evaluatedStore, log } from './testing/evaluated-store.ts';

const HOUR_MS = 3_600_000;
/** A new database has parts from this month on; the history of the tests lies before. */
const START = startOfMonth(timeNow(), -5);
const month = (index: number) => startOfMonth(START, index);
/** In the fourth month: with sixty days, the first is outlived, and a part of the second. */
const NOW = month(3) + 5 * DAY_MS;
const KEEP_DAYS = 60;

/** A drive of ten minutes, and half an hour of rest. */
function driveAt(from: number): Report {
  const points = Array.from({ length: 60 }, (_, index) => {
    const isDriving = index < 40;
    return {
      timestamp: from + (isDriving ? index * 15_000 : 600_000 + (index - 40) * 90_000),
      location: { lat: 46 + Math.min(index, 40) * 0.0024, lng: 11 },
      speedKmh: isDriving ? 64 : 0,
      accuracyM: 5,
    };
  });
  return { points, readings: [], gatewayReadings: [], messages: [] };
}

/** The days with drives, until the end of the third month. */
const DAYS = Array.from({ length: 16 }, (_, index) => START + index * 6 * DAY_MS + 8 * HOUR_MS).filter(
  (at) => at < month(3),
);
const timesAt = (days: readonly number[]) => days.flatMap((at) => driveAt(at).points.map(({ timestamp }) => timestamp));

onBothEngines<Tables>('months of packed positions', { migrations: MIGRATIONS }, (open) => {
  async function setting(kept: Partial<KeptHistory> = {}) {
    const store: Store = await open();
    const run = (text: string) => sql.raw(text).execute(store.query);
    if (store.dialect.name === 'postgres') await makeMonthsSince({ query: run }, { oldest: START, now: NOW });
    const owner = await makeUser(store, 'owner@example.com');
    const { all, intake, settle, forgetter, timesOf } = evaluatedStore(store, kept);
    /** A device that drove on some days, all of it packed but for the last day. */
    async function driven(days: readonly number[], more: Parameters<typeof makeDevice>[2] = {}): Promise<number> {
      const deviceId = await makeDevice(store, owner.userId, more);
      for (const at of days) await intake.store(deviceId, driveAt(at), at + HOUR_MS);
      await settle(deviceId, days.at(-1)! + DAY_MS);
      await positionPacker(store)(month(3), always);
      return deviceId;
    }
    const tripsOf = async (deviceId: number) =>
      (await store.query.selectFrom('trips').select('start').where('deviceId', '=', deviceId).execute()).length;
    /** When months begin that have a part. */
    const months = async () =>
      (await segmentParts(store)).flatMap(({ end, isMonth }) =>
        isMonth && end <= month(4) ? [startOfMonth(end, -1)] : [],
      );
    const packedBefore = async (at: number) =>
      (await store.query.selectFrom('positionSegments').select('id').where('firstAt', '<', at).execute()).length;
    return { store, all, intake, driven, settle, forgetter, timesOf, tripsOf, months, packedBefore };
  }
  const isPostgres = open.storeKind === 'postgres';

  test('are dropped after they expired, and the others read as without partitions', async () => {
    const { store, driven, forgetter, timesOf, tripsOf, months } = await setting({ positions: KEEP_DAYS });
    const [first, second] = [await driven(DAYS), await driven(DAYS)];
    const short = await driven(DAYS, { keepDays: 30 });
    const quiet = await driven(DAYS.slice(0, 3));
    if (isPostgres) assert.deepEqual(await months(), [0, 1, 2, 3].map(month));
    const trips = await tripsOf(first);
    await forgetter.run(NOW, always);
    if (isPostgres) assert.deepEqual(await months(), [1, 2, 3].map(month));
    const kept = (days: number) => timesAt(DAYS.filter((at) => at >= NOW - (NOW % DAY_MS) - days * DAY_MS));
    for (const deviceId of [first, second]) {
      const times = await timesOf(deviceId);
      // The last hour or so before the cut stays where no state of the cut is known.
      assert.deepEqual(times.slice(-kept(KEEP_DAYS).length), kept(KEEP_DAYS));
      assert.ok(times.length - kept(KEEP_DAYS).length <= 60);
      assert.ok(times[0]! >= month(1));
    }
    assert.deepEqual((await timesOf(short)).slice(-kept(30).length), kept(30));
    assert.deepEqual(await timesOf(quiet), timesAt(DAYS.slice(0, 3)).slice(-1), 'the newest stays');
    assert.equal(await tripsOf(first), trips, 'trips have a setting of their own');
    let gone = 0;
    for (const deviceId of [first, second, short]) gone += timesAt(DAYS).length - (await timesOf(deviceId)).length;
    gone += timesAt(DAYS.slice(0, 3)).length - 1;
    assert.equal(forgetter.progress().removed.positions, gone);
    await forgetter.run(NOW + 100 * DAY_MS, always);
    for (const deviceId of [first, second, short, quiet]) assert.equal((await timesOf(deviceId)).length, 1);
    if (isPostgres) assert.deepEqual(await months(), []);
    assert.equal((await store.query.selectFrom('positionSegments').select('id').execute()).length, 0);
  });

  test('stay where one device keeps more, and others forget row by row', async () => {
    const { driven, forgetter, timesOf, months, packedBefore } = await setting();
    const [long, short] = [await driven(DAYS), await driven(DAYS, { keepDays: KEEP_DAYS })];
    await forgetter.run(NOW, always);
    if (isPostgres) assert.deepEqual(await months(), [0, 1, 2, 3].map(month));
    assert.deepEqual(await timesOf(long), timesAt(DAYS));
    assert.ok((await timesOf(short))[0]! >= month(1));
    assert.equal(await packedBefore(month(1)), DAYS.filter((at) => at < month(1)).length);
  });

  test('what came late to an old month is packed with it, and what is of no month is kept too', async () => {
    const { store, intake, driven, settle, timesOf } = await setting();
    const deviceId = await driven(DAYS);
    const late = DAYS[2]! + 5 * HOUR_MS;
    const wrong = Date.parse('2006-08-22T00:00:00.000Z');
    for (const at of [late, wrong]) await intake.store(deviceId, { ...driveAt(at), isImported: true }, NOW);
    await settle(deviceId, NOW);
    await positionPacker(store)(month(3), always);
    const all = timesAt([...DAYS, late, wrong]).sort((a, b) => Number(a) - Number(b));
    assert.deepEqual(await timesOf(deviceId), all);
  });

  if (!isPostgres) return;

  test('are left unchanged by the round of devices, and then dropped', async () => {
    const { store, all, driven, timesOf, packedBefore } = await setting({ positions: KEEP_DAYS });
    const [deviceId, busy, deleted] = [await driven(DAYS), await driven(DAYS), await driven(DAYS)];
    const change = (of: number, values: object) =>
      store.query.updateTable('deviceStates').set(values).where('deviceId', '=', of).execute();
    await change(busy, { lateFrom: START });
    await store.query.updateTable('devices').set({ deletedAt: NOW }).where('id', '=', deleted).execute();
    const until = await outlivedUntil(store, KEEP_DAYS, NOW);
    assert.equal(until, month(1));
    const before = await packedBefore(month(1));
    const forget = store.work(forgetSlice, {});
    const cuts = cutsOf(all, null, NOW);
    while ((await forget({ deviceId, cuts, droppedUntil: until })).next === 'more');
    assert.equal(await packedBefore(month(1)), before, 'nothing is deleted');
    assert.equal(await dropOutlived(store, until, { log, goOn: always }), true);
    assert.equal(await packedBefore(month(1)), before / 3, 'what waits to be evaluated stays');
    assert.deepEqual(await timesOf(busy), timesAt(DAYS));
    assert.equal((await timesOf(deviceId))[0]! >= month(1), true);
    assert.equal((await timesOf(deleted))[0]! >= month(1), true);
    await change(busy, { lateFrom: null });
    assert.equal(await outlivedUntil(store, KEEP_DAYS, NOW), month(1), 'what stayed is looked at again');
    while ((await forget({ deviceId: busy, cuts, droppedUntil: until })).next === 'more');
    assert.equal(await dropOutlived(store, until, { log, goOn: always }), true);
    assert.equal(await packedBefore(month(1)), 0);
    assert.equal(await outlivedUntil(store, KEEP_DAYS, NOW), undefined);
  });

  test('wait during reads, and are deleted row by row after a day', async () => {
    const { store, driven, forgetter, timesOf, months } = await setting({ positions: KEEP_DAYS });
    const deviceId = await driven(DAYS);
    await store.transaction(async (tx) => {
      await tx.selectFrom('positionSegments').select('id').execute();
      await forgetter.run(NOW, always);
      assert.deepEqual(await months(), [0, 1, 2, 3].map(month));
      await forgetter.run(NOW + DAY_MS, always);
      assert.ok((await timesOf(deviceId))[0]! >= month(1));
    });
    await forgetter.run(NOW + DAY_MS, always);
    assert.deepEqual(await months(), [1, 2, 3].map(month));
  });

  test('are made before their time, with what is there of them already', async () => {
    const { store, driven } = await setting();
    await driven(DAYS.slice(0, 2));
    const far = startOfMonth(timeNow(), 5);
    const { id: _, ...row } = await store.query
      .selectFrom('positionSegments')
      .selectAll()
      .limit(1)
      .executeTakeFirstOrThrow();
    await store.query
      .insertInto('positionSegments')
      .values({ ...row, firstAt: far + 1, lastAt: far + 1 })
      .execute();
    const whereIs = async () =>
      (await sql<{ name: string }>`SELECT 1 FROM "positionSegments_rest"`.execute(store.query)).rows.length;
    assert.equal(await whereIs(), 1);
    await Promise.all([makeMonths(store, far), makeMonths(store, far)]);
    await makeMonths(store, far);
    assert.equal(await whereIs(), 0);
    const found = await store.query
      .selectFrom('positionSegments')
      .select('firstAt')
      .where('firstAt', '>', far)
      .execute();
    assert.deepEqual(
      found.map(({ firstAt }) => firstAt),
      [far + 1],
    );
    assert.equal((await segmentParts(store)).at(-1)!.end, startOfMonth(far, 3));
  });

  test('a day is looked for in its month alone', async () => {
    const { store } = await setting();
    const span = { from: month(1) + 3 * DAY_MS, to: month(1) + 4 * DAY_MS };
    const plan = await segmentsWithin(store.query, 7, span).select('data').orderBy('firstAt').limit(2).explain('text');
    const read = new Set(JSON.stringify(plan).match(/positionSegments_(\d{4}_\d\d|before|rest)/g));
    assert.equal(read.size, 1, [...read].join());
  });
});
