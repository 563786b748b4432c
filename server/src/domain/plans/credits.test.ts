import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal } from '../../platform/errors.ts';
import { onEitherEngine } from '../../testing/databases.ts';
import { callOf, makeDevice, makeUser, NOW } from '../../testing/people.ts';
import { deviceAccess } from '../devices/access.ts';
import { renewPlans } from '../devices/activity.ts';
import { deviceIdentifiers } from '../devices/identifiers.ts';
import { devicePlanOperations } from '../devices/plan-operations.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { planOperations } from './operations.ts';
import { creditsOf, type OneCredit, type WantedCredits } from './order-plans.ts';

/** A sequence that is the same in every run. */
function dice(seed: number) {
  let state = seed;
  return (sides: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * sides);
  };
}

const basket = (plan: number, count: number) => ({
  currency: 'eur' as const,
  products: plan === 0 ? { basic: count } : { basic: 1, large: count },
});

const ALL = { offset: 0, limit: 10_000 };

onEitherEngine<Tables>('credits', { migrations: MIGRATIONS }, (open) => {
  async function setting() {
    const store: Store = await open();
    const operations = {
      ...planOperations(store, { usersMayBuy: true }),
      ...devicePlanOperations(store, deviceIdentifiers(store, deviceAccess(store))),
    };
    const admin = await makeUser(store, 'admin@example.com', true);
    const users = [await makeUser(store, 'one@example.com'), await makeUser(store, 'two@example.com')];
    const plans: number[] = [];
    for (const name of ['basic', 'large'])
      plans.push(
        ((await operations.createPlan(callOf(admin, { body: { name, sku: name, days: 10 } }))) as { id: number }).id,
      );
    return { store, operations, admin, users, plans };
  }

  test('whatever 8 callers do at once, each number is used once, and list, summary and ranges agree', async () => {
    const { store, operations, admin, users, plans } = await setting();
    const devices = await Promise.all([0, 1, 2, 3, 4, 5].map((index) => makeDevice(store, users[index % 2]!.userId)));
    const roll = dice(7);
    let now = NOW;

    async function step(kind: number, device: number, plan: number, count: number, at: number): Promise<void> {
      const user = users[device % 2]!;
      const planId = plans[plan]!;
      try {
        if (kind === 0)
          await operations.createPlanCredit(callOf(admin, { userId: user.userId, now: at, body: { planId, count } }));
        else if (kind === 1) await operations.createPlanCredit(callOf(user, { now: at, body: { planId, count } }));
        else if (kind === 2) await operations.endDevicePlan(callOf(user, { deviceId: devices[device]!, now: at }));
        else if (kind === 3) await renewPlans(store, at);
        else if (kind === 4) {
          const body = {
            planId,
            deviceIdentifiers: devices.filter((_, index) => index % 2 === device % 2).map(String),
          };
          await operations.putPlanOfDevices(callOf(user, { now: at, body }));
        } else if (kind === 5) await operations.buyPlans(callOf(user, { now: at, body: basket(plan, count) }));
        else
          await operations.setDevicePlan(
            callOf(user, { deviceId: devices[device]!, now: at, body: { planId, renews: count === 1 } }),
          );
      } catch (error) {
        // No credit, no plan.
        if (!(error instanceof Refusal)) throw error;
      }
    }

    for (let round = 0; round < 12; round++) {
      now += roll(12) * 86_400_000;
      const steps = Array.from({ length: 8 }, () => [roll(9), roll(6), roll(2), 1 + roll(3)] as const);
      await Promise.all(
        steps.map(([kind, device, plan, count], index) => step(kind, device, plan, count, now + index)),
      );
      await agree(now + 100);
    }

    async function agree(at: number): Promise<void> {
      const uses = await store.query.selectFrom('subscriptions').selectAll().execute();
      const numbers = uses.map(({ creditNumber }) => creditNumber);
      assert.equal(new Set(numbers).size, numbers.length, 'each number is used once');
      assert.ok(!numbers.includes(null));
      const active = uses.filter(({ end }) => end > at).map(({ deviceId }) => deviceId);
      assert.equal(new Set(active).size, active.length, 'a device is on one plan');
      const everyone = new Set<number>();
      for (const user of users) {
        const { credits, total } = await creditsOf(store, user.userId, ALL);
        assert.equal(credits.length, total);
        for (const { id } of credits) {
          assert.ok(!everyone.has(id), 'a number belongs to one user');
          everyone.add(id);
        }
        for (const consumed of [true, false]) {
          const summary = (await operations.summarizePlans(callOf(user, { now: at, parameters: { consumed } }))) as {
            count: number;
            plan: { id: number };
          }[];
          for (const planId of plans) {
            const listed = await creditsOf(store, user.userId, { ...ALL, consumed, planIds: [planId] });
            assert.equal(summary.find(({ plan }) => plan.id === planId)?.count ?? 0, listed.total);
            const ofAll = credits.filter((one) => one.planId === planId && (one.deviceId !== null) === consumed);
            assert.deepEqual(listed.credits, ofAll);
          }
        }
      }
      assert.deepEqual(
        [...everyone].sort((a, b) => a - b),
        [...everyone.keys()].map((_, index) => index + 1),
      );
    }
  });

  test('pages in any order are slices of one list', async () => {
    const { store, operations, admin, users, plans } = await setting();
    const user = users[0]!;
    const allocate = (plan: number, count: number) =>
      operations.createPlanCredit(callOf(admin, { userId: user.userId, body: { planId: plans[plan]!, count } }));
    for (const [plan, count] of [
      [1, 2],
      [0, 3],
      [1, 4],
      [0, 2],
    ] as const)
      await allocate(plan, count);
    const devices = await Promise.all([1, 2, 3, 4].map(() => makeDevice(store, user.userId)));
    for (const [index, deviceId] of devices.entries())
      await operations.setDevicePlan(
        callOf(user, { deviceId, now: NOW + 1000 - index, body: { planId: plans[index % 2]! } }),
      );
    await operations.endDevicePlan(callOf(user, { deviceId: devices[2]!, now: NOW + 5000 }));
    const list = async (wanted: Partial<WantedCredits>) =>
      (await creditsOf(store, user.userId, { ...ALL, ...wanted })).credits;
    const all = await list({});
    assert.deepEqual(
      all.map(({ id }) => id),
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
    );
    assert.deepEqual(
      all.map(({ orderId }) => orderId),
      [1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4],
    );
    const before = (a: number | null, b: number | null) => (a === b ? 0 : a === null ? -1 : b === null ? 1 : a - b);
    for (const sort of ['id', 'planId', 'deviceId', 'consumedOn', 'removedOn'] as const)
      for (const direction of ['asc', 'desc'] as const) {
        const sign = direction === 'asc' ? 1 : -1;
        const expected = all.toSorted((a: OneCredit, b: OneCredit) => sign * before(a[sort], b[sort]) || a.id - b.id);
        assert.deepEqual(await list({ sort, direction }), expected, `${sort} ${direction}`);
        const pages = [];
        for (let offset = 0; offset < 15; offset += 3)
          pages.push(...(await list({ sort, direction, offset, limit: 3 })));
        assert.deepEqual(pages, expected, `pages by ${sort} ${direction}`);
      }
    assert.deepEqual(
      await list({ deviceIds: [devices[0]!] }),
      all.filter(({ deviceId }) => deviceId === devices[0]),
    );
    assert.deepEqual(
      await list({ since: NOW + 998, until: NOW + 999 }),
      all.filter(({ deviceId }) => deviceId === devices[1] || deviceId === devices[2]),
    );
    assert.deepEqual(await list({ consumed: false, sort: 'id', direction: 'desc', offset: 1, limit: 2 }), [
      all[9],
      all[8],
    ]);
  });
});
