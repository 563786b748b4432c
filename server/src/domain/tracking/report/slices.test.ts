import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../../../platform/log.ts';
import type { Report } from '../../../reports.ts';
import { onEitherEngine } from '../../../testing/databases.ts';
import { effectsIn } from '../../../testing/effects.ts';
import { makeDevice } from '../../../testing/people.ts';
import { at, minutes, reportAt, watchedDevice } from '../../../testing/watched-device.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { startEngine } from '../engine.ts';
import { type CommittedBatch, Pipeline } from '../pipeline.ts';
import { RulesCache } from '../state/rules-cache.ts';
import { normalizeReport } from './normalize.ts';
import { receiptOf, slicesOf } from './slices.ts';

const WINDOW_MS = 30 * 86_400_000;
const NOW = at(200);
const LIST_NAMES = ['points', 'readings', 'gatewayReadings', 'quarantined', 'messages'] as const;

/** A day in steps of six seconds, in an order of its own, with readings, messages and what is wrong. */
const steps = minutes(0, 100, 0.1);
const mixed = (...of: readonly number[]): Report => ({
  ...reportAt(...of),
  points: [...reportAt(...of).points, { timestamp: Number.NaN }, { timestamp: NOW, isTimeAssumed: true }],
  readings: of.filter((_, index) => index % 10 === 0).map((minute) => reading(minute)),
  messages: [{ message: 'one' }, { message: 'two' }],
});
const reading = (minute: number) => ({ timestamp: at(minute), type: 'temperature', value: minute });
const LARGE = mixed(...steps.toReversed());

const normal = (report: Report) => normalizeReport(1, report, { now: NOW });

test('a report that is not large is its only slice', () => {
  const report = normal(reportAt(...minutes(0, 200)));
  assert.deepEqual(slicesOf(report), [report]);
});

test('the slices of a report are its items, in the order of time, none of them large', () => {
  const report = normal(LARGE);
  const slices = slicesOf(report);
  assert.ok(slices.length >= 4);
  for (const { weight } of slices) assert.ok(weight <= 300, `${weight}`);
  const times = slices.flatMap(({ points }) => points.map(({ timestamp }) => timestamp));
  assert.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
  );
  for (const list of LIST_NAMES)
    assert.deepEqual(
      new Set<unknown>(slices.flatMap((slice) => slice[list] as readonly unknown[])),
      new Set<unknown>(report[list]),
      list,
    );
  // What is known by its identity is still the same item.
  const received = ({ received, ...lists }: typeof report) =>
    received.map(({ list, index, hash }) => [hash, lists[list][index]] as const);
  assert.ok(report.received.length >= 4);
  assert.deepEqual(new Map(slices.flatMap(received)), new Map(received(report)));
});

test('an instant is not cut, unless it is large itself', () => {
  const instant = (minute: number, count: number) =>
    Array.from({ length: count }, (_, index) => ({
      timestamp: at(minute),
      location: { lat: index / 1000, lng: 0 },
    }));
  const report = (points: Report['points']) => normal({ ...reportAt(), points });
  const of = slicesOf(report(minutes(0, 9).flatMap((minute) => instant(minute, 60))));
  assert.ok(of.length > 1);
  for (const { points } of of) assert.equal(points.length % 60, 0);
  for (const { weight } of slicesOf(report(instant(0, 2000)))) assert.ok(weight <= 501, `${weight}`);
});

test('the receipts of slices add up', () => {
  const slices = slicesOf(normal(LARGE));
  for (const [index, slice] of slices.entries())
    slice.receipt = { accepted: 10, duplicates: index, hasPending: index === slices.length - 1 };
  const duplicates = slices.reduce((sum, _, index) => sum + index, 0);
  assert.deepEqual(receiptOf(slices), { accepted: 10 * slices.length, duplicates, hasPending: true });
  slices[1]!.receipt = 'inactive';
  assert.equal(receiptOf(slices), 'inactive');
  slices[0]!.receipt = undefined;
  assert.equal(receiptOf(slices), undefined);
});

onEitherEngine<Tables>('a large report', { migrations: MIGRATIONS }, (open) => {
  async function setting() {
    const store: Store = await open();
    const deviceId = await watchedDevice(store);
    const committed: CommittedBatch[] = [];
    const options = {
      windowMs: WINDOW_MS,
      publish: (batch: CommittedBatch) => committed.push(batch),
      lateDataOf: () => {},
    };
    const intake = new Pipeline(store, new RulesCache(store, WINDOW_MS), options);
    return { store, deviceId, committed, intake };
  }

  test('is stored in several transactions, answered as one, and kept once when it is sent again', async () => {
    const { store, deviceId, committed, intake } = await setting();
    const sound = LARGE.points.length - 1 + LARGE.readings.length + 2;
    const receipt = await intake.store(deviceId, LARGE, NOW);
    assert.ok(committed.length >= 4);
    for (const { points } of committed) assert.ok(points <= 300);
    assert.deepEqual(receipt, {
      accepted: sound,
      duplicates: 0,
      hasPending: false,
      quarantined: [{ list: 'points', index: steps.length, reason: 'no time' }],
    });
    const again = await intake.store(deviceId, LARGE, NOW);
    assert.deepEqual(again, { ...receipt, accepted: 0, duplicates: sound });
    for (const table of ['messages', 'quarantine'] as const) {
      const { count } = await store.query
        .selectFrom(table)
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      assert.equal(Number(count), table === 'messages' ? 2 : 1);
    }
    await intake.stop();
  });

  test('is evaluated as its positions one by one are, and at once', async () => {
    const { store, deviceId, intake } = await setting();
    await intake.store(deviceId, reportAt(...steps.toReversed()), NOW);
    await intake.stop();
    const { lateFrom } = await store.query.selectFrom('deviceStates').select('lateFrom').executeTakeFirstOrThrow();
    assert.equal(lateFrom, null, 'nothing of it is late, nor left for later');
    const found = await effectsIn(store);
    assert.ok(found.notifications.length > 3);
    const quiet = await setting();
    for (let start = 0; start < steps.length; start += 50)
      await quiet.intake.store(quiet.deviceId, reportAt(...steps.slice(start, start + 50)), NOW);
    await quiet.intake.stop();
    assert.deepEqual(await effectsIn(quiet.store), found);
  });

  test('keeps its place among the reports of its device, and reports of other devices are stored in between', async () => {
    const { store, deviceId, intake } = await setting();
    const other = await makeDevice(store, 1, { name: 'Other' });
    const sent = [intake.store(deviceId, reportAt(...steps), NOW), intake.store(deviceId, reportAt(101), NOW)];
    while ((await store.query.selectFrom('points').select('id').limit(1).execute()).length === 0)
      await new Promise((resolve) => setImmediate(resolve));
    sent.push(intake.store(other, reportAt(1), NOW));
    await Promise.all(sent);
    await intake.stop();
    const stored = await store.query.selectFrom('points').select(['deviceId', 'timestamp']).orderBy('id').execute();
    const own = stored.filter((point) => point.deviceId === deviceId).map(({ timestamp }) => timestamp);
    assert.deepEqual(own, [...steps, 101].map(at));
    const place = stored.findIndex((point) => point.deviceId === other);
    assert.ok(place > 0 && place < steps.length, 'the other device did not wait for all of it');
    const rows = await store.query.selectFrom('deviceStates').select('lateFrom').execute();
    for (const { lateFrom } of rows) assert.equal(lateFrom, null, 'nothing came late');
  });

  test('that was stored only in part is completed when it is sent again', async () => {
    const { store, deviceId, intake } = await setting();
    const whole = await setting();
    await whole.intake.store(whole.deviceId, LARGE, NOW);
    await whole.intake.stop();
    // What the first slices alone leave behind.
    const [first, second] = slicesOf(normalizeReport(deviceId, LARGE, { now: NOW }));
    const times = new Set([...first!.points, ...second!.points].map(({ timestamp }) => timestamp));
    const part = { ...LARGE, points: LARGE.points.filter(({ timestamp }) => times.has(timestamp!)), readings: [] };
    await intake.store(deviceId, { ...part, messages: [] }, NOW);
    await intake.store(deviceId, LARGE, NOW);
    await intake.stop();
    const engine = await startEngine(store, { windowMs: WINDOW_MS, log: createLog('silent'), now: () => NOW });
    await engine.idle();
    await engine.stop();
    const { states: _, ...found } = await effectsIn(store);
    const { states: __, ...wanted } = await effectsIn(whole.store);
    assert.deepEqual(found, wanted);
  });
});
