import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '../../calls.ts';
import { onEitherEngine } from '../../testing/databases.ts';
import { callOf, makeDevice, makeUser, NOW } from '../../testing/people.ts';
import { deviceConfigs } from '../commands/config-operations.ts';
import { devicePlanOperations } from '../devices/plan-operations.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { planOperations } from './operations.ts';

const DAY_MS = 86_400_000;

onEitherEngine<Tables>('plans', { migrations: MIGRATIONS }, (open) => {
  async function setting() {
    const store: Store = await open();
    const operations = {
      ...planOperations(store, { usersMayBuy: false }),
      ...devicePlanOperations(store, async () => undefined),
    };
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

  test('a user who buys by SKU gets credits at the price of the quantity, all or none', async () => {
    const { store, operations, admin, user } = await setting();
    const plan = (name: string, sku: string, prices?: object) =>
      operations.createPlan(callOf(admin, { body: { name, sku, prices, days: 30 } })) as Promise<{ id: number }>;
    const priced = await plan('priced', 'P', {
      eur: [
        [1, 2.5],
        [10, 0.1],
      ],
      usd: [[5, 1]],
    });
    const free = await plan('free', 'F');
    await plan('twin', 'T');
    await plan('other twin', 'T');
    const buying = planOperations(store, { usersMayBuy: true });
    const buy = (products: Record<string, unknown>, currency: 'eur' | 'usd' = 'eur') =>
      buying.buyPlans(callOf(user, { body: { currency, products } }));
    await assert.rejects(operations.buyPlans(callOf(user, { body: { currency: 'eur', products: { P: 1 } } })), {
      statusCode: 403,
    });
    const ordered = (sku: string, planId: number, count: number, orderId: number, unitPrice: number | null) => ({
      ...{ sku, planId, count, orderId, unitPrice },
    });
    assert.deepEqual(await buy({ P: 3 }), {
      currency: 'eur',
      total: 7.5,
      orders: [ordered('P', priced.id, 3, 1, 2.5)],
    });
    assert.deepEqual(await buy({ F: '2', P: 33 }), {
      currency: 'eur',
      total: null,
      orders: [ordered('F', free.id, 2, 2, null), ordered('P', priced.id, 33, 3, 0.1)],
    });
    const none = (await buy({ P: 4 }, 'usd')) as { total: number | null };
    assert.equal(none.total, null, 'no price below the first quantity');
    const before = await operations.countPlanCredits(callOf(user));
    for (const products of [{}, { X: 1 }, { P: 1, X: 1 }, { T: 1 }, { P: 0 }, { P: 1.5 }, { P: 1_000_001 }, { P: 'a' }])
      await assert.rejects(buy(products), { statusCode: 422 }, JSON.stringify(products));
    assert.deepEqual(await operations.countPlanCredits(callOf(user)), before, 'nothing is bought');
  });

  test('a plan binds the intervals of its devices', async () => {
    const { store, operations, admin, user } = await setting();
    const configs = deviceConfigs(store).operations;
    const { id: planId } = (await operations.createPlan(
      callOf(admin, { body: { name: 'slow', displayName: 'Slow', wakeLimit: 3600, sleepLimit: 0, days: 1 } }),
    )) as { id: number };
    await operations.createPlanCredit(callOf(admin, { userId: user.userId, body: { planId, count: 1 } }));
    const deviceId = await makeDevice(store, user.userId);
    const set = (caller: Caller, body: object, now = NOW + 1) =>
      configs.updateDeviceConfig(callOf(caller, { deviceId, body, now })) as Promise<Record<string, unknown>>;
    assert.equal((await set(user, { interval: 60 })).interval, 60);
    await operations.setDevicePlan(callOf(user, { deviceId, body: { planId } }));
    const raised = (await configs.getDeviceConfig(callOf(user, { deviceId }))) as Record<string, unknown>;
    assert.deepEqual([raised.interval, raised.sleepInterval], [3600, 43_200]);
    assert.equal(raised.modified, new Date(NOW).toISOString(), 'it waits to be sent');
    await assert.rejects(set(user, { interval: 3599 }), /`interval` must be at least 3600 on the plan Slow/);
    assert.equal((await set(user, { sleepInterval: 1 })).sleepInterval, 1, 'a limit of 0 is none');
    assert.equal((await set(admin, { interval: 60 })).interval, 60, 'an admin answers for it');
    assert.equal((await set(user, { interval: 60, packing: 2 })).packing, 2, 'what stays is not looked at');
    await set(user, { interval: 3600 });
    assert.equal((await set(user, { interval: 10 }, NOW + DAY_MS)).interval, 10, 'the plan has ended');
  });
});
