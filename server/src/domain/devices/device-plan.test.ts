import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Created } from '../../calls.ts';
import { onEitherEngine } from '../../testing/databases.ts';
import { callOf, makeDevice, makeUser, NOW, shareWith } from '../../testing/people.ts';
import { planOperations } from '../plans/operations.ts';
import { creditsOf } from '../plans/order-plans.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { deviceAccess } from './access.ts';
import { renewPlans } from './activity.ts';
import { deviceIdentifiers } from './identifiers.ts';
import { devicePlanOperations } from './plan-operations.ts';

const DAY_MS = 86_400_000;
const iso = (at: number) => new Date(at).toISOString();

onEitherEngine<Tables>('the plan of a device', { migrations: MIGRATIONS }, (open) => {
  async function setting(count: number) {
    const store: Store = await open();
    const catalogue = planOperations(store, { usersMayBuy: true });
    const plans = devicePlanOperations(store, deviceIdentifiers(store, deviceAccess(store)));
    const admin = await makeUser(store, 'admin@example.com', true);
    const user = await makeUser(store, 'user@example.com');
    const { id: planId } = (await catalogue.createPlan(callOf(admin, { body: { name: 'basic', days: 10 } }))) as {
      id: number;
    };
    await catalogue.createPlanCredit(callOf(admin, { userId: user.userId, body: { planId, count } }));
    const deviceId = await makeDevice(store, user.userId, { serial: 'S1' });
    const put = async (body: Record<string, unknown>, now = NOW) => {
      const answer = await plans.putPlanOfDevice(callOf(user, { deviceId, now, body, sent: body }) as never);
      const isNew = answer instanceof Created;
      const shown = (isNew ? answer.answer : answer) as unknown as Record<string, unknown>;
      return { isNew, shown };
    };
    const device = () =>
      store.query
        .selectFrom('devices')
        .select(['active', 'expires'])
        .where('id', '=', deviceId)
        .executeTakeFirstOrThrow();
    const unused = async () => (await creditsOf(store, user.userId, { consumed: false, offset: 0, limit: 9 })).total;
    const events = async () =>
      (
        await store.query
          .selectFrom('deviceEvents')
          .select('type')
          .where('type', 'like', 'plans/%')
          .orderBy('id')
          .execute()
      ).map(({ type }) => type);
    return { store, plans, catalogue, admin, user, planId, deviceId, put, device, unused, events };
  }

  test('of version 2 uses a credit once, and its end deactivates the device', async () => {
    const { plans, user, planId, deviceId, put, device, unused, events } = await setting(3);
    const first = await put({ planId, renewUntil: iso(NOW + 30 * DAY_MS) });
    assert.ok(first.isNew);
    assert.deepEqual(
      [first.shown.created, first.shown.expires, first.shown.renewUntil, first.shown.renews],
      [iso(NOW), iso(NOW + 10 * DAY_MS), iso(NOW + 30 * DAY_MS), true],
    );
    const again = await put({ planId }, NOW + 1);
    assert.deepEqual([again.isNew, again.shown], [false, first.shown], 'the earlier renewal stays');
    assert.equal((await put({ planId, renewUntil: null }, NOW + 1)).shown.renews, false, 'null ends it');
    await assert.rejects(put({ planId, renewUntil: iso(NOW) }), /must be in the future/);
    await assert.rejects(put({ planId: 99 }), /does not exist: 99/);
    assert.equal(await unused(), 2);
    const end = () => plans.removePlanOfDevice(callOf(user, { deviceId, now: NOW + 5 }) as never);
    assert.deepEqual(await end(), {});
    assert.deepEqual({ ...(await device()) }, { active: 0, expires: NOW + 5 });
    await assert.rejects(end(), { statusCode: 404 });
    assert.ok((await put({ planId }, NOW + 6)).isNew);
    assert.equal((await device()).active, 1);
    assert.equal(await unused(), 1, 'what was used stays used');
    assert.deepEqual(await events(), ['plans/started', 'plans/ended', 'plans/started']);
  });

  test('renews with the next credit until its time, by however many servers', async () => {
    const { store, planId, put, device, unused, events } = await setting(3);
    await put({ planId, renewUntil: iso(NOW + 25 * DAY_MS) });
    await renewPlans(store, NOW + 10 * DAY_MS - 1);
    assert.equal(await unused(), 2, 'not before its end');
    await Promise.all([1, 2, 3].map(() => renewPlans(store, NOW + 10 * DAY_MS + 60_000)));
    assert.equal(await unused(), 1);
    assert.deepEqual({ ...(await device()) }, { active: 1, expires: NOW + 20 * DAY_MS }, 'without a gap');
    await renewPlans(store, NOW + 20 * DAY_MS);
    assert.equal(await unused(), 0);
    await renewPlans(store, NOW + 25 * DAY_MS);
    assert.deepEqual({ ...(await device()) }, { active: 0, expires: NOW + 25 * DAY_MS }, 'deactivated at that moment');
    assert.deepEqual(await events(), ['plans/started', 'plans/renewed', 'plans/renewed', 'plans/ended']);
  });

  test('without a credit left deactivates the device, unless it never was to renew', async () => {
    const { store, plans, user, planId, deviceId, put, device } = await setting(2);
    await put({ planId, renewUntil: iso(NOW + 99 * DAY_MS) });
    await renewPlans(store, NOW + 10 * DAY_MS);
    await renewPlans(store, NOW + 20 * DAY_MS);
    assert.equal((await device()).active, 0);
    await store.query.updateTable('devices').set({ active: 1 }).execute();
    await assert.rejects(plans.setDevicePlan(callOf(user, { deviceId, now: NOW + 21 * DAY_MS, body: { planId } })), {
      statusCode: 422,
    });
    await renewPlans(store, NOW + 31 * DAY_MS);
    assert.equal((await device()).active, 1);
  });

  test('of many devices: each by itself, in the order asked', async () => {
    const { store, plans, admin, user, planId, deviceId } = await setting(1);
    const other = await makeDevice(store, user.userId);
    const foreign = await makeDevice(store, admin.userId);
    const shared = await makeDevice(store, admin.userId);
    await shareWith(store, shared, user.userId);
    const body = { planId, deviceIdentifiers: ['serial:S1', `${other}`, `id:${deviceId}`, `${foreign}`, `${shared}`] };
    const { results, summary } = (await plans.putPlanOfDevices(callOf(user, { body, sent: body }) as never)) as {
      results: { identifier: string; status: string; message: string }[];
      summary: object;
    };
    assert.deepEqual(
      results.map(({ identifier, status }) => [identifier, status]),
      [
        ['serial:S1', 'SUCCESS'],
        [`${other}`, 'ERROR'],
        [`id:${deviceId}`, 'SUCCESS'],
        [`${foreign}`, 'ERROR'],
        [`${shared}`, 'ERROR'],
      ],
    );
    assert.match(results[1]!.message, /no unused credits/);
    assert.match(results[3]!.message, /Unknown "device"/);
    assert.equal(results[4]!.message, 'Access Denied');
    assert.deepEqual(summary, { totalRequested: 5, successCount: 2, errorCount: 3 });
    await assert.rejects(plans.putPlanOfDevices(callOf(user, { body: { ...body, planId: 99 }, sent: body }) as never), {
      statusCode: 422,
    });
  });
});
