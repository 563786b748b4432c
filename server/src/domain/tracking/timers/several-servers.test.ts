import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Caller } from '../../../calls.ts';
import type { Log } from '../../../platform/log.ts';
import { onBothEngines } from '../../../testing/databases.ts';
import { callOf, makeDevice, makeUser, NOW } from '../../../testing/people.ts';
import { DEFAULT_POLICY } from '../../delivery/sending-policy.ts';
import { deviceAccess } from '../../devices/access.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { triggerOperations } from '../../triggers/operations.ts';
import { type Engine, startEngine } from '../engine.ts';
import { evaluateSilence } from './offline.ts';

const DEVICES = 50;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

onBothEngines<Tables>('several servers on one database', { migrations: MIGRATIONS }, (open) => {
  /** Two servers, with one clock; on SQLite only one process can have the database, so they share its store. */
  async function servers() {
    const place = await open.emptyPlace();
    const first: Store = await open.at(place);
    const second: Store = open.storeKind === 'postgres' ? await open.at(place) : first;
    const clock = { now: NOW };
    const failures: unknown[] = [];
    const log = { error: (failure: unknown) => failures.push(failure) } as unknown as Log;
    const start = (store: Store) => startEngine(store, { windowMs: 30 * DAY_MS, log, now: () => clock.now });
    const engines = await Promise.all([start(first), start(second)]);
    const stop = async () => {
      await Promise.all(engines.map((engine) => engine.stop()));
      assert.deepEqual(failures, []);
    };
    return { stores: [first, second] as const, engines, clock, stop };
  }

  const makeOwner = (store: Store) => makeUser(store, 'owner@example.com');

  async function watchedDevices(
    store: Store,
    owner: Caller,
    type: string,
    parameters: Record<string, unknown>,
  ): Promise<number[]> {
    const triggers = triggerOperations(store, deviceAccess(store), () => undefined);
    const ids: number[] = [];
    for (let index = 0; index < DEVICES; index++) {
      const deviceId = await makeDevice(store, owner.userId, { name: `Van ${index}` });
      const body = { type, parameters: { ...parameters }, delivery: {}, muteFor: 0 };
      await triggers.createNotificationTrigger(callOf(owner, { deviceId, body }) as never);
      ids.push(deviceId);
    }
    return ids;
  }

  const report = (engine: Engine, deviceId: number, timestamp: number) =>
    engine.intake.store(
      deviceId,
      { points: [{ timestamp, location: { lat: 0, lng: 0 } }], readings: [], gatewayReadings: [], messages: [] },
      timestamp,
    );

  const notified = async (store: Store) =>
    (await store.query.selectFrom('notifications').select('deviceId').execute()).map(({ deviceId }) => deviceId).sort();

  async function untilAllNotified(store: Store): Promise<void> {
    const deadline = performance.now() + 30_000;
    while ((await notified(store)).length < DEVICES) {
      assert.ok(performance.now() < deadline, 'waited in vain for the notifications');
      await pause(20);
    }
  }

  test('devices that fall silent are notified once each', async () => {
    const { stores, engines, clock, stop } = await servers();
    const ids = await watchedDevices(stores[0], await makeOwner(stores[0]), 'offline', { after: 600 });
    await Promise.all(ids.map((id, index) => report(engines[index % 2]!, id, NOW)));
    clock.now = NOW + 20 * MINUTE_MS;
    await untilAllNotified(stores[0]);
    await stop();
    assert.deepEqual(await notified(stores[0]), ids.sort());
  });

  test('two that evaluate the same silence at the same moment notify it once, and its next one again', async () => {
    const { stores, engines, stop } = await servers();
    const ids = await watchedDevices(stores[0], await makeOwner(stores[0]), 'offline', { after: 600 });
    const upSince = (moment: number, now: number) => now - moment;
    for (const minute of [1, 2 * 1440]) {
      for (const id of ids) await report(engines[0]!, id, NOW + minute * MINUTE_MS);
      const now = NOW + (minute + 20) * MINUTE_MS;
      const fired = await Promise.all(stores.map((store) => evaluateSilence(store, DEFAULT_POLICY, upSince, now)));
      assert.deepEqual(
        fired
          .flat()
          .map(({ deviceId }) => deviceId)
          .sort(),
        ids.sort(),
      );
    }
    await stop();
    const claims = await stores[0].query.selectFrom('firedOccasions').selectAll().execute();
    assert.equal(claims.length, DEVICES, 'the claims of long ago are gone');
  });

  test('plans that expire are notified once each', async () => {
    const { stores, clock, stop } = await servers();
    const ids = await watchedDevices(stores[0], await makeOwner(stores[0]), 'expiresDaily', {});
    await stores[0].query
      .updateTable('devices')
      .set({ expires: NOW + 2 * DAY_MS })
      .execute();
    clock.now = NOW + DAY_MS + MINUTE_MS;
    await untilAllNotified(stores[0]);
    await stop();
    assert.deepEqual(await notified(stores[0]), ids.sort());
  });

  test('devices that come near while both servers hear of it are notified once each', async () => {
    const { stores, engines, clock, stop } = await servers();
    const owner = await makeOwner(stores[0]);
    const other = await makeDevice(stores[0], owner.userId);
    await report(engines[0]!, other, NOW);
    const ids = await watchedDevices(stores[0], owner, 'proximity', { deviceId: other, meters: 100 });
    clock.now = NOW + MINUTE_MS;
    await Promise.all(ids.flatMap((id) => engines.map((engine, index) => report(engine, id, NOW + 1000 + index))));
    await stop();
    assert.deepEqual(await notified(stores[0]), ids.sort());
  });
});
