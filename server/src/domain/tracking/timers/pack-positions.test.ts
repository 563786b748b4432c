import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Report } from '../../../reports.ts';
import { onBothEngines } from '../../../testing/databases.ts';
import { callOf, makeDevice, makeUser, NOW } from '../../../testing/people.ts';
import { forgetHistory } from '../../devices/claim.ts';
import { purgeLong } from '../../devices/purge.ts';
import { exportChunk } from '../../motion/export.ts';
import { heatMap } from '../../motion/heat-map.ts';
import { positions } from '../../positions/positions.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { newestPoints } from '../api/newest-points.ts';
import { points } from '../api/points.ts';
import { readTimeline } from '../api/read-timeline.ts';
import { Pipeline } from '../pipeline.ts';
import { correctMarks } from '../replay/replay.ts';
import { RulesCache } from '../state/rules-cache.ts';
import { positionPacker } from './pack-positions.ts';

const DAY_MS = 86_400_000;
const WINDOW_MS = 400 * DAY_MS;
const DAYS = 6;
const A_DAY = 8;
/** The newest are of the day before yesterday. */
const START = NOW - (DAYS + 2) * DAY_MS;

const reportOf = (day: number, more: Partial<Report['points'][number]> = {}): Report => ({
  points: Array.from({ length: A_DAY }, (_, index) => ({
    timestamp: START + day * DAY_MS + index * 60_000,
    location: { lat: 46 + day / 100 + index / 1e4, lng: 11 },
    speedKmh: 20 + index / 10,
    accuracyM: 6,
    ...more,
  })),
  readings: [],
  gatewayReadings: [],
  messages: [],
});

onBothEngines<Tables>('packing positions', { migrations: MIGRATIONS }, (open) => {
  async function setting() {
    const store: Store = await open();
    const me = await makeUser(store, 'owner@example.com');
    const deviceId = await makeDevice(store, me.userId, { name: 'Van' });
    const rulesCache = new RulesCache(store, WINDOW_MS);
    const intake = new Pipeline(store, rulesCache, { windowMs: WINDOW_MS, publish: () => {}, lateDataOf: () => {} });
    for (let day = 0; day < DAYS; day += 1) await intake.store(deviceId, reportOf(day), NOW);
    const rows = async () => (await store.query.selectFrom('points').select('id').execute()).length;
    const segments = () =>
      store.query.selectFrom('positionSegments').select(['firstAt', 'count']).orderBy('firstAt').execute();
    const all = () =>
      positions(store.query, {
        deviceId,
        from: 0,
        to: NOW,
        limit: 1000,
        columns: ['id', 'timestamp', 'judged', 'speed'],
      });
    const pack = (before = NOW - DAY_MS) => positionPacker(store)(before, () => true);
    /** Nothing waits to be evaluated. */
    const settle = () =>
      store.query.updateTable('deviceStates').set({ lateFrom: null, hasBacklog: 0, isRebuilding: 0 }).execute();
    return { store, me, deviceId, intake, rows, segments, all, pack, settle };
  }

  test('old days are packed but for the newest position, and what is not evaluated yet waits', async () => {
    const { store, deviceId, rows, segments, all, pack, settle } = await setting();
    const before = await all();
    await store.query.updateTable('deviceStates').set({ lateFrom: 5 }).execute();
    assert.equal(await pack(), 0);
    await settle();
    assert.equal(await pack(START + 2 * DAY_MS + 5), 2 * A_DAY);
    assert.equal(await pack(), 3 * A_DAY);
    assert.equal(await pack(), 0);
    assert.deepEqual(await all(), before);
    assert.equal(await rows(), A_DAY, 'the newest day is there as rows');
    assert.equal((await segments()).length, DAYS - 1);
    assert.ok((await newestPoints(store, [deviceId], { count: 1 })).get(deviceId)?.includes('46.0507'));
  });

  test('what is reported again is known, what comes late is stored, and is packed with its day', async () => {
    const { deviceId, intake, rows, segments, all, pack, settle } = await setting();
    await settle();
    await pack();
    const before = await all();
    assert.equal((await intake.store(deviceId, reportOf(1), NOW))?.duplicates, A_DAY);
    assert.deepEqual(await all(), before);
    await intake.store(deviceId, reportOf(1, { speedKmh: 99 }), NOW);
    await settle();
    assert.equal(await rows(), 2 * A_DAY);
    await pack();
    assert.equal(await rows(), A_DAY);
    assert.deepEqual(
      (await segments()).map(({ count }) => count),
      [A_DAY, 2 * A_DAY, A_DAY, A_DAY, A_DAY],
    );
    assert.equal((await all()).length, before.length + A_DAY);
  });

  test('reads of a track are the same: exports, heat maps, timelines, the newest of a fleet', async () => {
    const { store, me, deviceId, pack, settle } = await setting();
    await settle();
    const span = { from: START, to: NOW };
    const read = async () => {
      const device = { id: deviceId, name: 'Van' };
      const bounds = { west: 10, east: 12, south: 45, north: 47, cell: 0.01 };
      const scope = { sql: '"ownerId" = ?', cells: [me.userId] };
      return [
        await store.readWork(exportChunk)({ device, format: 'gpx', ...span }, 'me'),
        await store.readWork(heatMap)({ scope, ...span, ...bounds }, 'me'),
        await store.readWork(readTimeline)({ deviceId, type: 'datapoint', since: 0, until: NOW }, 'me'),
        JSON.parse((await newestPoints(store, [deviceId], { count: 20 })).get(deviceId)!),
        JSON.parse(
          (await newestPoints(store, [deviceId], { count: 3, span: { from: START, to: START + DAY_MS } })).get(
            deviceId,
          )!,
        ),
      ];
    };
    const before = await read();
    await pack();
    assert.deepEqual(await read(), before);
  });

  test('a packed position can be read, changed and deleted, one or all', async () => {
    const { store, me, deviceId, rows, all, pack, settle } = await setting();
    await settle();
    await pack();
    const before = await all();
    const { operations } = points(store, { evaluateAgain() {} });
    const [changed, deleted] = [before[A_DAY + 2]!, before[3]!];
    const at = (key: number) => callOf(me, { deviceId, key, now: NOW });
    const explained = (await operations.explainPoint(at(changed.id) as never)) as { point: { id: number } };
    assert.equal(explained.point.id, changed.id);
    await operations.updatePoint(
      callOf(me, { deviceId, key: changed.id, now: NOW, body: { speed: 77 }, sent: {} }) as never,
    );
    await operations.deletePoint(at(deleted.id) as never);
    const expected = before
      .filter(({ id }) => id !== deleted.id)
      .map((one) => (one.id === changed.id ? { ...one, speed: 77 } : one));
    assert.deepEqual(await all(), expected);
    await settle();
    await pack();
    assert.deepEqual(await all(), expected);
    await operations.deletePoints(at(0) as never);
    assert.deepEqual([await all(), await rows()], [[], 0]);
  });

  test('where the newest position is deleted, the one before it is a row again', async () => {
    const { store, me, deviceId, all, pack, settle } = await setting();
    await settle();
    await pack();
    const { operations } = points(store, { evaluateAgain() {} });
    for (const { id } of (await all()).slice(-A_DAY))
      await operations.deletePoint(callOf(me, { deviceId, key: id, now: NOW }) as never);
    const newest = await store.query.selectFrom('points').select('timestamp').orderBy('timestamp', 'desc').execute();
    assert.equal(newest[0]?.timestamp, START + (DAYS - 2) * DAY_MS + (A_DAY - 1) * 60_000);
  });

  test('marks of packed positions are corrected, they stay packed, and only the days that differ are written anew', async () => {
    const { store, deviceId, segments, all, pack, settle } = await setting();
    await settle();
    await pack();
    const before = await all();
    const written = async () =>
      (await store.query.selectFrom('positionSegments').select('id').orderBy('firstAt').execute()).map(({ id }) => id);
    const first = await written();
    const wrong = [before[2]!.id];
    const mark = (implausible: readonly number[]) =>
      store.transaction((tx) => correctMarks(tx, deviceId, { after: 0, implausible }));
    await mark(wrong);
    const marked = async () => (await all()).filter(({ judged }) => judged === 'implausible').map(({ id }) => id);
    assert.deepEqual(await marked(), wrong);
    assert.equal((await segments()).length, DAYS - 1);
    const second = await written();
    assert.deepEqual([second[0] === first[0], second.slice(1)], [false, first.slice(1)]);
    await mark(wrong);
    assert.deepEqual(await written(), second, 'correct marks stay unchanged');
    await mark([]);
    assert.deepEqual(await all(), before);
  });

  test('nothing is left of a device that is purged or claimed', async () => {
    for (const forget of [
      (store: Store, deviceId: number) => purgeLong(store, deviceId),
      (store: Store, deviceId: number) => store.transaction((tx) => forgetHistory(tx, deviceId, NOW)),
    ]) {
      const { store, deviceId, all, segments, pack, settle } = await setting();
      await settle();
      await pack();
      await forget(store, deviceId);
      assert.deepEqual([await all(), await segments()], [[], []]);
    }
  });
});
