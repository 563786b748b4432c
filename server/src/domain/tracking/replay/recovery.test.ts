import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Selectable } from 'kysely';
import { createLog } from '../../../platform/log.ts';
import { onEitherEngine, type TestDatabasePlace } from '../../../testing/databases.ts';
import { effectsIn, isSettled, type RecordedEffects } from '../../../testing/effects.ts';
import { eventually } from '../../../testing/eventually.ts';
import { storePositions } from '../../../testing/positions.ts';
import { at, minutes, reportAt, watchedDevice } from '../../../testing/watched-device.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { startEngine } from '../engine.ts';
import { NO_STATE } from '../evaluate/device-state.ts';
import { Pipeline } from '../pipeline.ts';
import { RulesCache } from '../state/rules-cache.ts';
import { replay } from './replay.ts';

const WINDOW_MS = 30 * 86_400_000;
/** The drive is under way at the last report of the device. */
const LAST = 80;
const OFF = minutes(0, LAST);
/** Long enough after the last report for all that is due. */
const LATER = LAST + 60;

onEitherEngine<Tables>('a process that comes after one that died', { migrations: MIGRATIONS }, (open) => {
  const engineAt = (store: Store, now: () => number) =>
    startEngine(store, { windowMs: WINDOW_MS, log: createLog('silent'), now });

  /** Late data is not evaluated again. */
  const takeOnly = (store: Store) =>
    new Pipeline(store, new RulesCache(store, WINDOW_MS), {
      windowMs: WINDOW_MS,
      publish: () => {},
      lateDataOf: () => {},
    });

  /** A database with reports of a device, as left by a process that died then. */
  async function left(speak: (store: Store, deviceId: number) => Promise<void>): Promise<TestDatabasePlace> {
    const place = await open.emptyPlace();
    const store = await open.at(place);
    await speak(store, await watchedDevice(store, { fence: { meta: { exitAfter: 120 } } }));
    await store.close();
    return place;
  }

  /** All that followed once a new process has been there for a while without reports. */
  async function afterwards(place: TestDatabasePlace, minute = LATER): Promise<RecordedEffects> {
    const store = await open.at(place);
    const engine = await engineAt(store, () => at(minute));
    await engine.idle();
    await eventually('it is evaluated', () => isSettled(store, at(minute)));
    await engine.stop();
    const effects = await effectsIn(store);
    await store.close();
    return effects;
  }

  /** In order, without anything happening. */
  const undisturbed = async () =>
    afterwards(
      await left(async (store, deviceId) => {
        const ingest = takeOnly(store);
        for (const minute of OFF) await ingest.store(deviceId, reportAt(minute), at(minute));
      }),
    );

  async function saidAnyhow(store: Store, deviceId: number): Promise<void> {
    const ingest = takeOnly(store);
    const [second, first] = [OFF.filter((minute) => minute % 7 < 3), OFF.filter((minute) => minute % 7 >= 3)];
    await ingest.store(deviceId, reportAt(...first), at(LAST));
    await ingest.store(deviceId, reportAt(...second), at(LAST));
    const { lateFrom } = await lineOf(store, deviceId);
    assert.notEqual(lateFrom, null, 'nothing is left to evaluate, so nothing is tested');
  }

  const lineOf = (store: Store, deviceId: number) =>
    store.query.selectFrom('deviceStates').selectAll().where('deviceId', '=', deviceId).executeTakeFirstOrThrow();

  test('evaluates what was written down and not evaluated', async () => {
    const found = await afterwards(await left(saidAnyhow));
    assert.ok(found.trips.length > 1 && found.notifications.length > 4, 'nothing happened, so nothing was tested');
    assert.deepEqual(found, await undisturbed());
  });

  test('evaluates again what was just being evaluated', async () => {
    const place = await left(async (store, deviceId) => {
      await saidAnyhow(store, deviceId);
      let transactions = 0;
      const transaction: Store['transaction'] = (work) =>
        ++transactions === 2 ? Promise.reject(new Error('died')) : store.transaction(work);
      const rulesCache = new RulesCache(store, WINDOW_MS);
      await assert.rejects(
        replay({ ...store, transaction }, rulesCache, deviceId, () => at(LAST)),
        /died/,
      );
    });
    assert.deepEqual(await afterwards(place), await undisturbed());
  });

  test('decides what was due while no process ran, and does not count that time as silence', async () => {
    const place = await open.emptyPlace();
    const store = await open.at(place);
    const offline = (after: number) => ({ type: 'offline', parameters: { after } });
    const triggers = [{ type: 'geofence' }, { type: 'motionStop' }, offline(600), offline(540)];
    const deviceId = await watchedDevice(store, { triggers, fence: { meta: { exitAfter: 300 } } });
    // It has just left the depot, but not long enough ago for a notification.
    for (const minute of minutes(0, 14)) await takeOnly(store).store(deviceId, reportAt(minute), at(minute));
    const kinds = async (on: Store) =>
      (await on.query.selectFrom('notifications').select(['kind', 'timestamp']).orderBy('id').execute()).map(
        ({ kind, timestamp }) => `${kind} ${Math.round((timestamp - at(0)) / 60_000)}`,
      );
    assert.deepEqual(await kinds(store), []);
    await store.close();

    const later = await open.at(place);
    let now = at(600);
    const first = await engineAt(later, () => now);
    await eventually('it is evaluated', () => isSettled(later, now));
    assert.deepEqual(await kinds(later), ['exit 11', 'stop 14']);
    assert.equal((await later.query.selectFrom('trips').selectAll().execute()).length, 1);
    // It is up for five minutes, and another one after it.
    now = at(605);
    await first.stop();
    now = at(700);
    const engine = await engineAt(later, () => now);
    now = at(704);
    await eventually('it is evaluated', async () => (await kinds(later)).length > 2);
    assert.deepEqual((await kinds(later)).slice(2), ['silent 704'], 'they were up for nine minutes');
    now = at(705);
    await eventually('it is evaluated', async () => (await kinds(later)).length > 3);
    assert.deepEqual((await kinds(later)).slice(3), ['silent 705']);
    await engine.stop();
  });

  test('takes up again what could not be evaluated', async () => {
    const store = await open();
    const deviceId = await watchedDevice(store);
    await saidAnyhow(store, deviceId);
    let failures = 0;
    const transaction: Store['transaction'] = (work) =>
      failures++ === 0 ? Promise.reject(new Error('the store is away')) : store.transaction(work);
    let now = at(LATER);
    const engine = await engineAt({ ...store, transaction }, () => now);
    await engine.idle();
    assert.notEqual((await lineOf(store, deviceId)).lateFrom, null);
    now = at(LATER + 1);
    await eventually('it is evaluated', () => isSettled(store, now));
    await engine.stop();
  });

  test('finds all of very many devices, and deleted ones do not delay others', async () => {
    const store = await open();
    const deviceId = await watchedDevice(store);
    const { keyHash: _, ...device } = (await store.query
      .selectFrom('devices')
      .selectAll()
      .where('id', '=', deviceId)
      .executeTakeFirstOrThrow()) as Selectable<Tables['devices']>;
    const many = 303;
    const ids: number[] = [];
    for (let made = 0; made < many; made += 101) {
      const some = Array.from({ length: 101 }, (_, index) => ({
        ...device,
        id: 10_000 + made + index,
        imei: null,
        deletedAt: (made + index) % 100 === 0 ? at(0) : null,
      }));
      const rows = await store.query.insertInto('devices').values(some).returning(['id', 'deletedAt']).execute();
      ids.push(...rows.filter(({ deletedAt }) => deletedAt === null).map(({ id }) => id));
      await store.query
        .insertInto('deviceStates')
        .values(rows.map(({ id }) => ({ deviceId: id, state: '{}', newestAt: at(1), lateFrom: at(1) })) as never)
        .execute();
      await storePositions(
        store,
        rows.map(({ id }) => ({ deviceId: id, timestamp: at(1), created: at(1), locationType: 'gps' })),
      );
    }
    const engine = await engineAt(store, () => at(2));
    await engine.idle();
    const evaluated = await store.query
      .selectFrom('deviceStates')
      .select('deviceId')
      .where('state', '!=', NO_STATE)
      .execute();
    assert.deepEqual(
      evaluated.map((row) => row.deviceId).sort((a, b) => a - b),
      ids.sort((a, b) => a - b),
    );
    await engine.stop();
  });
});
