import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '../../../testing/databases.ts';
import { callOf, makeDevice, makeUser, NOW } from '../../../testing/people.ts';
import { testVault } from '../../../testing/vault.ts';
import { pendingMessages } from '../../commands/pending.ts';
import { transientOperations } from '../../commands/transients.ts';
import { DEFAULT_POLICY } from '../../delivery/sending-policy.ts';
import { deviceAccess } from '../../devices/access.ts';
import { setActive } from '../../devices/activity.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { triggerOperations } from '../../triggers/operations.ts';
import type { ProximityInput } from '../evaluate/inputs.ts';
import { Pipeline } from '../pipeline.ts';
import { RulesCache } from '../state/rules-cache.ts';
import { evaluateSilence } from './offline.ts';
import { evaluateExpiry } from './plan-expiry.ts';
import { evaluateProximity } from './proximity.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

onBothEngines<Tables>('triggers that fire once', { migrations: MIGRATIONS }, (open) => {
  async function setting(type: string, parameters: (other: number) => Record<string, unknown>) {
    const store: Store = await open();
    const owner = await makeUser(store, 'owner@example.com');
    const [deviceId, other] = [
      await makeDevice(store, owner.userId, { name: 'Van' }),
      await makeDevice(store, owner.userId, { name: 'Trailer' }),
    ];
    const body = { type, parameters: parameters(other), delivery: {}, muteFor: 0 };
    const { id: triggerId } = (await triggerOperations(
      store,
      deviceAccess(store),
      () => undefined,
    ).createNotificationTrigger(callOf(owner, { deviceId, body }))) as { id: number };
    const seen: ProximityInput[] = [];
    const ingest = new Pipeline(store, new RulesCache(store, 30 * DAY_MS), {
      windowMs: 30 * DAY_MS,
      publish: (committed) => seen.push(...committed.proximity),
      lateDataOf: () => {},
    });
    const report = async (id: number, now: number, lat: number) => {
      const points = [{ timestamp: now, location: { lat, lng: 0 } }];
      await ingest.store(id, { points, readings: [], gatewayReadings: [], messages: [] }, now);
      return seen.at(-1)!;
    };
    return { store, owner, deviceId, other, report, triggerId };
  }

  /** One server that was up all the time, from a moment on. */
  const upFrom = (from: number) => (moment: number, now: number) => now - Math.max(moment, from);

  test('silence fires once, and again only after the device reported', async () => {
    const { store, deviceId, report } = await setting('offline', () => ({ after: 600 }));
    const look = async (minutes: number, from = NOW) =>
      (await evaluateSilence(store, DEFAULT_POLICY, upFrom(from), NOW + minutes * MINUTE_MS)).length;
    assert.equal(await look(1440), 0, 'a device that never reported is not silent');
    await report(deviceId, NOW, 0);
    assert.equal(await look(9), 0);
    assert.equal(await look(30, NOW + 25 * MINUTE_MS), 0, 'the server was down and cannot know');
    assert.equal(await look(10), 1);
    assert.equal(await look(20), 0);
    await report(deviceId, NOW + 30 * MINUTE_MS, 0);
    assert.equal(await look(40), 1);
  });

  test('silence in flight mode is meant, and counts from its end on; that of an inactive device never', async () => {
    const { store, owner, deviceId, report } = await setting('offline', () => ({ after: 600 }));
    const look = async (minutes: number) =>
      (await evaluateSilence(store, DEFAULT_POLICY, upFrom(NOW), NOW + minutes * MINUTE_MS)).length;
    const operations = transientOperations(store);
    await operations.flightModeByPost(callOf(owner, { deviceId, body: { duration: 60 } }));
    await report(deviceId, NOW, 0);
    const messages = pendingMessages(store, testVault);
    const [reported] = await messages.next(deviceId, NOW);
    assert.equal(reported!.message, 'flightMode 60');
    await messages.taken(deviceId, [reported!.id], NOW);
    assert.equal(await look(59), 0, 'it is in flight mode');
    assert.equal(await look(69), 0, 'silent for nine minutes since');
    await store.transaction((tx) => setActive(tx, deviceId, false));
    assert.equal(await look(70), 0, 'inactive');
    await store.transaction((tx) => setActive(tx, deviceId, true));
    assert.equal(await look(70), 1);
  });

  test('the end of a plan is notified once, a day or a week ahead', async () => {
    const { store, deviceId } = await setting('expiresDaily', () => ({}));
    await store.query
      .updateTable('devices')
      .set({ expires: NOW + 2 * DAY_MS })
      .where('id', '=', deviceId)
      .execute();
    assert.equal((await evaluateExpiry(store, DEFAULT_POLICY, NOW)).length, 0);
    assert.equal((await evaluateExpiry(store, DEFAULT_POLICY, NOW + DAY_MS)).length, 1);
    assert.equal((await evaluateExpiry(store, DEFAULT_POLICY, NOW + DAY_MS + MINUTE_MS)).length, 0);
  });

  test('proximity fires when it begins, and again after it ended', async () => {
    const { store, deviceId, other, report } = await setting('proximity', (id) => ({ deviceId: id, meters: 100 }));
    const at = (minutes: number) => NOW + minutes * MINUTE_MS;
    const metres = (m: number) => m / 111_195;
    await report(other, at(0), 0);
    const near = async (minutes: number, m: number) =>
      (await evaluateProximity(store, DEFAULT_POLICY, await report(deviceId, at(minutes), metres(m)), at(minutes)))
        .length;
    assert.equal(await near(1, 5000), 0);
    assert.equal(await near(5, 80), 1);
    assert.equal(await near(6, 60), 0);
    assert.equal(await near(6.5, 60), 0, 'it was near all along');
    assert.equal(await near(7, 110), 0, 'not far enough to end it');
    assert.equal(await near(7.5, 60), 0);
    assert.equal(await near(8, 5000), 0);
    assert.equal(await near(9, 20), 1);
    assert.equal(await near(30, 5000), 0);
    assert.equal(await near(31, 5), 0, 'where the other was half an hour ago says nothing');
  });

  test('a report of a time before two devices met does not part them', async () => {
    const { store, deviceId, other, report } = await setting('proximity', (id) => ({ deviceId: id, meters: 100 }));
    await report(other, NOW, 0);
    const evaluate = async (second: number, lat: number) => {
      const now = NOW + second * 1000;
      return (await evaluateProximity(store, DEFAULT_POLICY, await report(deviceId, now, lat), now)).length;
    };
    assert.deepEqual([await evaluate(10, 0), await evaluate(5, 1), await evaluate(20, 0)], [1, 0, 0]);
  });

  test('nearness to one device says nothing of another, and goes with its trigger', async () => {
    const { store, deviceId, other, report, owner, triggerId } = await setting('proximity', (id) => ({ deviceId: id }));
    const third = await makeDevice(store, owner.userId, { name: 'Crate' });
    for (const id of [other, third]) await report(id, NOW, 0);
    const near = async (second: number) => {
      const now = NOW + second * 1000;
      return (await evaluateProximity(store, DEFAULT_POLICY, await report(deviceId, now, 0), now)).length;
    };
    assert.deepEqual([await near(1), await near(2)], [1, 0]);
    const triggers = triggerOperations(store, deviceAccess(store), () => undefined);
    const of = { deviceId, key: triggerId };
    await triggers.updateNotificationTrigger(
      callOf(owner, { ...of, body: { parameters: { deviceId: third } }, sent: {} }),
    );
    assert.deepEqual([await near(3), await near(4)], [1, 0], 'it is about another device now');
    await triggers.deleteNotificationTrigger(callOf(owner, of));
    assert.deepEqual(await store.query.selectFrom('proximities').selectAll().execute(), []);
  });
});
