import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../../../platform/log.ts';
import type { Report } from '../../../reports.ts';
import { onEitherEngine } from '../../../testing/databases.ts';
import { effectsIn, isEvaluated } from '../../../testing/effects.ts';
import { at, minutes, reportAt, watchedDevice } from '../../../testing/watched-device.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { startEngine } from '../engine.ts';
import { Pipeline } from '../pipeline.ts';
import { evaluateBacklog } from '../replay/evaluate-backlog.ts';
import { replay } from '../replay/replay.ts';
import { RulesCache } from '../state/rules-cache.ts';

/** What a report brings beyond the budget of its transaction follows later, as if there were no budget. */

const WINDOW_MS = 30 * 86_400_000;
const NOW = at(200);
const UNBOUNDED = Number.POSITIVE_INFINITY;

const TRIGGERS = [
  { type: 'geofence' },
  { type: 'motionStart' },
  { type: 'motionStop' },
  { type: 'speed', parameters: { limit: 45, for: 60 } },
  { type: 'newLoc' },
  { type: 'newLoc', muteFor: 150 },
  { type: 'newReading' },
  { type: 'newMsg' },
];

/** Several readings of one instant and several messages, besides the positions. A message is of the time it comes at. */
const wholeReport = (...of: readonly number[]): Report => ({
  ...reportAt(...of),
  readings: of.flatMap((minute) =>
    [1, 2, 3].map((value) => ({ timestamp: at(minute), type: 'temperature', value: minute + value })),
  ),
  messages: of.slice(0, 3).map((minute) => ({ message: `hello ${minute}` })),
});

const EVEN = minutes(0, 60, 2);
const ODD = minutes(1, 59, 2);
const IN_ORDER = [{ ...wholeReport(...minutes(0, 44, 2)), messages: [] }, wholeReport(...minutes(46, 100, 2))];
const LATE = [wholeReport(...EVEN), wholeReport(...ODD), wholeReport(...minutes(61, 100))];

onEitherEngine<Tables>('the budget of a transaction', { migrations: MIGRATIONS }, (open) => {
  const engineOn = (store: Store, units: number) =>
    startEngine(store, { windowMs: WINDOW_MS, log: createLog('silent'), now: () => NOW, units });

  /** All notifications in order. */
  async function reported(store: Store) {
    const notifications = await store.query
      .selectFrom('notifications')
      .select([
        'id',
        'triggerId',
        'kind',
        'timestamp',
        'decidedAt',
        'status',
        'reason',
        'late',
        'params',
        'explanation',
      ])
      .orderBy('id')
      .execute();
    const live = await store.query
      .selectFrom('liveEvents')
      .select('event')
      .where('kind', '=', 'notification')
      .orderBy('id')
      .execute();
    const triggers = await store.query
      .selectFrom('notificationTriggers')
      .select(['id', 'lastTriggered'])
      .orderBy('id')
      .execute();
    return {
      notifications: notifications.map(({ id: _, params, explanation, ...row }) => ({
        ...row,
        params: JSON.parse(params),
        explanation: JSON.parse(explanation),
      })),
      live: live
        .map(({ event }) => JSON.parse(event) as { timestamp: string; triggerId: number })
        .map(({ timestamp, triggerId }) => `${timestamp} ${triggerId}`),
      triggers,
      effects: await effectsIn(store),
    };
  }

  /** The notifications without a budget, by report: several tests need the same. */
  const unbounded = new Map<readonly Report[], ReturnType<typeof evaluated>>();
  function evaluatedAtOnce(reports: readonly Report[]): ReturnType<typeof evaluated> {
    const known = unbounded.get(reports) ?? evaluated(reports, UNBOUNDED);
    unbounded.set(reports, known);
    return known;
  }

  async function evaluated(reports: readonly Report[], units: number, { isPatient = true } = {}) {
    const store = await open();
    const deviceId = await watchedDevice(store, { triggers: TRIGGERS });
    const engine = await engineOn(store, units);
    let rests = 0;
    for (const report of reports) {
      await engine.intake.store(deviceId, report, NOW);
      if (!(await isEvaluated(store))) rests++;
      if (isPatient) await engine.idle();
    }
    await engine.idle();
    await engine.stop();
    return { ...(await reported(store)), rests };
  }

  test('changes neither notifications nor their order', async () => {
    const { rests: none, ...wanted } = await evaluatedAtOnce(IN_ORDER);
    assert.equal(none, 0);
    assert.ok(wanted.notifications.length > 150, 'much happened');
    assert.ok(wanted.notifications.every(({ late }) => late === 0));
    for (const units of [1, 30, 500]) {
      const { rests, ...found } = await evaluated(IN_ORDER, units);
      assert.ok(rests > 0, 'something was left for later, or nothing is tested');
      assert.deepEqual(found, wanted, `${units} units`);
    }
  });

  test('changes nothing about what late data corrects', async () => {
    const { rests: _, ...wanted } = await evaluatedAtOnce(LATE);
    assert.ok(wanted.notifications.some(({ late }) => late === 1));
    const { rests: __, ...found } = await evaluated(LATE, 1);
    assert.deepEqual(found, wanted);
  });

  test('leads to the same where late data comes before the rest was evaluated', async () => {
    const { effects } = await evaluatedAtOnce(LATE);
    for (const units of [1, 30]) {
      const found = await evaluated(LATE, units, { isPatient: false });
      const unmuted = (all: typeof effects) => ({
        ...all,
        // Of notifications near each other, the order decides which one is muted.
        notifications: all.notifications.filter((row) => !row.includes('"triggerId":6')),
      });
      assert.deepEqual(unmuted(found.effects), unmuted(effects));
    }
  });

  test('a process that dies before the rest was evaluated leaves it to the next one', async () => {
    const { rests: _, ...wanted } = await evaluatedAtOnce(IN_ORDER);
    const store = await open();
    const deviceId = await watchedDevice(store, { triggers: TRIGGERS });
    const silent = { windowMs: WINDOW_MS, units: 1, publish: () => {}, lateDataOf: () => {} };
    const intake = new Pipeline(store, new RulesCache(store, WINDOW_MS), silent);
    for (const report of IN_ORDER) await intake.store(deviceId, report, NOW);
    await intake.stop();
    const { notifications } = await reported(store);
    assert.ok(notifications.length < 50, 'most of it is left');
    const engine = await engineOn(store, 30);
    await engine.idle();
    await engine.stop();
    assert.deepEqual(await reported(store), wanted);
  });

  test('what comes while a slice is evaluated, and before its end, is not passed over', async () => {
    const { effects } = await evaluated([reportAt(...EVEN, ...ODD)], UNBOUNDED);
    const store = await open();
    const deviceId = await watchedDevice(store, { triggers: TRIGGERS });
    const rulesCache = new RulesCache(store, WINDOW_MS);
    const intake = new Pipeline(store, rulesCache, {
      windowMs: WINDOW_MS,
      units: 1,
      publish: () => {},
      lateDataOf: () => {},
    });
    await intake.store(deviceId, reportAt(...EVEN), NOW);
    const left = [...ODD];
    // Each slice has read what it evaluates when another position comes that belongs in between.
    const transaction: Store['transaction'] = async (work) => {
      const minute = left.shift();
      if (minute !== undefined) await intake.store(deviceId, reportAt(minute), NOW);
      return store.transaction(work);
    };
    const slice = () =>
      evaluateBacklog({ ...store, transaction }, rulesCache, deviceId, { clock: () => NOW, units: 1 });
    while ((await slice()) === 'more');
    await intake.stop();
    assert.deepEqual(await effectsIn(store), effects);
  });

  test('a replay that dies between its transactions is finished by the next one', async () => {
    const { effects } = await evaluated(LATE.slice(0, 2), UNBOUNDED);
    const store = await open();
    const deviceId = await watchedDevice(store, { triggers: TRIGGERS });
    const rulesCache = new RulesCache(store, WINDOW_MS);
    const options = { windowMs: WINDOW_MS, units: UNBOUNDED, publish: () => {}, lateDataOf: () => {} };
    const intake = new Pipeline(store, rulesCache, options);
    for (const report of LATE.slice(0, 2)) await intake.store(deviceId, report, NOW);
    await intake.stop();
    let transactions = 0;
    const transaction: Store['transaction'] = (work) =>
      ++transactions === 4 ? Promise.reject(new Error('died')) : store.transaction(work);
    const before = (await effectsIn(store)).notifications.length;
    await assert.rejects(
      replay({ ...store, transaction }, rulesCache, deviceId, () => NOW, 'dead', UNBOUNDED),
      /died/,
    );
    const between = (await effectsIn(store)).notifications.length;
    assert.ok(between > before && between < effects.notifications.length, 'a part of it was written');
    await store.query.updateTable('deviceStates').set({ replayBy: null, replayUntil: null }).execute();
    const engine = await engineOn(store, UNBOUNDED);
    await engine.idle();
    await engine.stop();
    assert.deepEqual(await effectsIn(store), effects);
  });

  test('a replay that dies between its transactions notifies nothing twice', async () => {
    const reports = [wholeReport(...EVEN), reportAt(-1)];
    const { effects } = await evaluated(reports, UNBOUNDED);
    const store = await open();
    const deviceId = await watchedDevice(store, { triggers: TRIGGERS });
    const rulesCache = new RulesCache(store, WINDOW_MS);
    const intake = new Pipeline(store, rulesCache, {
      windowMs: WINDOW_MS,
      units: 1,
      publish: () => {},
      lateDataOf: () => {},
    });
    for (const report of reports) await intake.store(deviceId, report, NOW);
    await intake.stop();
    let transactions = 0;
    const transaction: Store['transaction'] = (work) =>
      ++transactions === 3 ? Promise.reject(new Error('died')) : store.transaction(work);
    await assert.rejects(
      replay({ ...store, transaction }, rulesCache, deviceId, () => NOW, 'dead', UNBOUNDED),
      /died/,
    );
    const between = await store.query.selectFrom('notifications').select('id').execute();
    assert.ok(between.length >= 100, 'a part of it was notified');
    await store.query.updateTable('deviceStates').set({ replayBy: null, replayUntil: null }).execute();
    const engine = await engineOn(store, UNBOUNDED);
    await engine.idle();
    await engine.stop();
    assert.deepEqual(await effectsIn(store), effects);
    const { notifications } = await reported(store);
    assert.deepEqual(
      notifications.filter(({ status }) => status === 'retracted'),
      [],
    );
  });
});
