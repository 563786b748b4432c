import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '../../testing/databases.ts';
import { callOf, makeDevice, makeUser, NOW } from '../../testing/people.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { planOperations } from './operations.ts';

const DAY_MS = 86_400_000;

onBothEngines<Tables>('plans', { migrations: MIGRATIONS }, (open) => {
  async function setting() {
    const store: Store = await open();
    const operations = planOperations(store, { usersMayBuy: false });
    const admin = await makeUser(store, 'admin@example.com', true);
    const user = await makeUser(store, 'user@example.com');
    const { id: planId } = (await operations.createPlan(callOf(admin, { body: { name: 'basic', days: 10 } }))) as {
      id: number;
    };
    const allocate = (count: number) =>
      operations.createPlanCredit(callOf(admin, { userId: user.userId, body: { planId, count } }));
    const subscribe = (deviceId: number, now = NOW) =>
      operations.setDevicePlan(callOf(user, { deviceId, now, body: { planId } }));
    const summary = async (consumed: boolean, now = NOW) => {
      const entries = (await operations.summarizePlans(callOf(user, { now, parameters: { consumed } }))) as {
        count: number;
        subscriptions: number;
      }[];
      return entries.map(({ count, subscriptions }) => ({ count, subscriptions }));
    };
    return { store, operations, admin, user, planId, allocate, subscribe, summary };
  }

  test('the summary follows credits from unused to used', async () => {
    const { store, user, allocate, subscribe, summary, operations } = await setting();
    assert.deepEqual(await summary(false), []);
    await allocate(3);
    assert.deepEqual(await summary(false), [{ count: 3, subscriptions: 0 }]);
    assert.deepEqual(await summary(true), []);
    const device = await makeDevice(store, user.userId);
    await subscribe(device);
    assert.deepEqual(await summary(false), [{ count: 2, subscriptions: 1 }]);
    assert.deepEqual(await summary(true), [{ count: 1, subscriptions: 1 }]);
    await operations.endDevicePlan(callOf(user, { deviceId: device, now: NOW + 1 }));
    assert.deepEqual(await summary(true, NOW + 2), [{ count: 1, subscriptions: 0 }], 'an ended one stays used');
  });

  test('a subscription ends by itself after the days of its plan', async () => {
    const { store, user, allocate, subscribe, summary } = await setting();
    await allocate(1);
    await subscribe(await makeDevice(store, user.userId));
    assert.deepEqual(await summary(true, NOW + 10 * DAY_MS - 1), [{ count: 1, subscriptions: 1 }]);
    assert.deepEqual(await summary(true, NOW + 10 * DAY_MS), [{ count: 1, subscriptions: 0 }]);
  });

  test('the same plan again uses no second credit', async () => {
    const { store, user, allocate, subscribe, summary } = await setting();
    await allocate(2);
    const device = await makeDevice(store, user.userId);
    assert.deepEqual(await subscribe(device), await subscribe(device, NOW + 1000));
    assert.deepEqual(await summary(false), [{ count: 1, subscriptions: 1 }]);
  });

  test('of several devices that want the last credit at once, one gets it', async () => {
    const { store, user, allocate, subscribe, summary } = await setting();
    await allocate(1);
    const devices = await Promise.all([1, 2, 3, 4].map(() => makeDevice(store, user.userId)));
    const results = await Promise.allSettled(devices.map((device) => subscribe(device)));
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
    for (const result of results) if (result.status === 'rejected') assert.equal(result.reason.statusCode, 422);
    assert.deepEqual(await summary(true), [{ count: 1, subscriptions: 1 }]);
  });

  test('a user buys only where the operator allows it', async () => {
    const { store, operations, user, planId } = await setting();
    const buy = callOf(user, { body: { planId, count: 1 } });
    await assert.rejects(operations.createPlanCredit(buy), { statusCode: 403 });
    const bought = (await planOperations(store, { usersMayBuy: true }).createPlanCredit(buy)) as { origin: string };
    assert.equal(bought.origin, 'bought');
  });
});
