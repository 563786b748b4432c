import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../../../platform/log.ts';
import type { Report } from '../../../reports.ts';
import { onEitherEngine } from '../../../testing/databases.ts';
import { effectsIn } from '../../../testing/effects.ts';
import { at, minutes, reportAt, watchedDevice } from '../../../testing/watched-device.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { Pipeline } from '../pipeline.ts';
import { replay } from '../replay/replay.ts';
import { RulesCache } from '../state/rules-cache.ts';
import { decideDue } from '../timers/due.ts';

const WINDOW_MS = 30 * 86_400_000;
const SECOND = 1 / 60;
const MOVES = [{ type: 'geofence' }, { type: 'motionStart' }, { type: 'motionStop' }];
const HEARTBEAT: Report = { points: [], readings: [], gatewayReadings: [], messages: [] };

onEitherEngine<Tables>('a device that sends what it kept', { migrations: MIGRATIONS }, (open) => {
  async function setting(options: Parameters<typeof watchedDevice>[1] = {}) {
    const store: Store = await open();
    const deviceId = await watchedDevice(store, options);
    const rulesCache = new RulesCache(store, WINDOW_MS);
    let isLate = false;
    const ingest = new Pipeline(store, rulesCache, {
      windowMs: WINDOW_MS,
      publish: () => {},
      lateDataOf() {
        isLate = true;
      },
    });
    const clock = (minute: number) =>
      decideDue(store, rulesCache, at(minute), { log: createLog('silent'), goOn: () => true, fired: () => {} });
    /** A report that is received in a minute, and what the server does until it has been quiet for seconds. */
    const hear = async (receivedIn: number, report: Report, quietS = 0) => {
      await ingest.store(deviceId, report, at(receivedIn));
      if (isLate) await replay(store, rulesCache, deviceId, () => at(receivedIn));
      isLate = false;
      for (let second = 0; second <= quietS; second++) await clock(receivedIn + second * SECOND);
    };
    const trips = async () =>
      (await store.query.selectFrom('trips').select(['start', 'end']).orderBy('start').execute()).map(
        ({ start, end }) => [minuteOf(start), minuteOf(end)],
      );
    const reported = async () =>
      (await store.query.selectFrom('notifications').selectAll().orderBy('id').execute()).map(
        ({ kind, timestamp, status }) => `${kind} ${minuteOf(timestamp)} ${status}`,
      );
    return { store, deviceId, clock, hear, trips, reported };
  }

  /** What it says of some minutes, ten at a time. */
  const kept = (from: number, to: number) => {
    const reports: Report[] = [];
    for (let minute = from; minute <= to; minute += 10)
      reports.push(reportAt(...minutes(minute, Math.min(minute + 9, to))));
    return reports;
  };

  test('gets no notification of the end of a trip that is still on its way to the server', async () => {
    const { clock, hear, trips, reported } = await setting({ triggers: MOVES });
    await hear(0, reportAt(0));
    let receivedIn = 300;
    // As slow as phones are that try again after half a minute.
    for (const report of kept(1, 80)) {
      receivedIn += 35 * SECOND;
      await hear(receivedIn, report, 35);
    }
    assert.deepEqual(await trips(), [[9, 40]], 'the second trip is not over yet');
    const far = ['start 9 valid', 'exit 11 valid', 'stop 40 valid', 'start 59 valid'];
    assert.deepEqual(await reported(), far);
    await clock(receivedIn + 3);
    assert.deepEqual((await trips()).at(-1), [59, 80], 'it sends no more: the last fix ends the trip');
    assert.deepEqual(await reported(), [...far, 'stop 80 valid'], 'nothing was notified too early and retracted');
  });

  test('ends as one that was received in time', async () => {
    const [inTime, behind] = [await setting(), await setting()];
    for (const minute of minutes(0, 80)) await inTime.hear(minute, reportAt(minute));
    let receivedIn = 300;
    for (const report of kept(0, 80).reverse()) {
      receivedIn += SECOND;
      await behind.hear(receivedIn, report, 1);
    }
    await inTime.clock(400);
    await behind.clock(400);
    assert.deepEqual(await effectsIn(behind.store), await effectsIn(inTime.store));
  });

  test('says that it is there, and what is due is decided nevertheless', async () => {
    const { hear, trips } = await setting();
    for (const minute of minutes(0, 20)) await hear(minute, reportAt(minute));
    for (let minute = 20; minute < 53; minute += 20 * SECOND) await hear(minute, HEARTBEAT);
    assert.deepEqual(await trips(), [[9, 20]], 'without a fix for half an hour');
    const behind = await setting();
    for (const report of kept(0, 20)) await behind.hear(300, report);
    for (let minute = 300; minute < 303; minute += 20 * SECOND) await behind.hear(minute, HEARTBEAT);
    assert.deepEqual(await behind.trips(), [[9, 20]]);
  });

  test('brings something old, and what the clock had decided stays as it was', async () => {
    const { clock, hear, reported, store } = await setting();
    for (const minute of minutes(0, 80).filter((minute) => minute !== 50)) await hear(minute, reportAt(minute));
    await clock(120);
    const before = await store.query.selectFrom('notifications').select(['id', 'status']).orderBy('id').execute();
    assert.equal((await reported()).at(-1), 'stop 80 valid');
    await hear(130, reportAt(50));
    assert.deepEqual(
      await store.query.selectFrom('notifications').select(['id', 'status']).orderBy('id').execute(),
      before,
    );
  });

  test('is evaluated on time if it is received on time', async () => {
    const { clock, hear, reported } = await setting({
      triggers: [{ type: 'geofence' }],
      fence: { meta: { exitAfter: 40 } },
    });
    for (const minute of minutes(0, 11)) await hear(minute + 5 * SECOND, reportAt(minute));
    await clock(11 + 39 * SECOND);
    assert.deepEqual(await reported(), []);
    await clock(11 + 40 * SECOND);
    assert.deepEqual(await reported(), ['exit 11 valid']);
  });

  test('holds up no other device where its clock fails', async () => {
    const { store, deviceId, hear, trips } = await setting();
    for (const minute of minutes(0, 20)) await hear(minute, reportAt(minute));
    const rulesCache = new RulesCache(store, WINDOW_MS);
    const failures: number[] = [];
    const log = { ...createLog('silent'), error: (said: { deviceId: number }) => failures.push(said.deviceId) };
    const broken = Object.create(rulesCache, {
      rulesFor: {
        value: (id: number, rules: number, now: number, from: number) =>
          id === deviceId ? rulesCache.rulesFor(id, rules, now, from) : Promise.reject(new Error('broken')),
      },
    }) as RulesCache;
    const rowOf = async (table: 'deviceStates' | 'devices') =>
      (await store.query.selectFrom(table).selectAll().executeTakeFirstOrThrow()) as Record<string, unknown>;
    const state = await rowOf('deviceStates');
    const device = await rowOf('devices');
    const { id } = await store.query
      .insertInto('devices')
      .values({ ...device, id: 10_000, keyHash: null, imei: null } as never)
      .returning('id')
      .executeTakeFirstOrThrow();
    await store.query
      .insertInto('deviceStates')
      .values({ ...state, deviceId: id, dueAt: Number(state.dueAt) - 1 } as never)
      .execute();
    await decideDue(store, broken, at(60), { log, goOn: () => true, fired: () => {} });
    assert.deepEqual(failures, [id]);
    assert.deepEqual(await trips(), [[9, 20]]);
  });
});

const minuteOf = (time: number) => Math.round((time - at(0)) / 60_000);
