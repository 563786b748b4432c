import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AnswerOf } from '@trackway/contract/operations.ts';
import type { Caller, JsonText, Right } from '../../calls.ts';
import { onEitherEngine } from '../../testing/databases.ts';
import { callOf, makeDevice, makeUser, NOW, shareWith } from '../../testing/people.ts';
import { testVault } from '../../testing/vault.ts';
import { planOperations } from '../plans/operations.ts';
import { includedSubscription } from '../plans/shown-plans.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { deviceOperations } from './operations.ts';
import { devicePlanOperations } from './plan-operations.ts';

type Device = AnswerOf<'getDevice'>;
const DEFAULTS = {
  imsi: null,
  uwbId: null,
  mode: 'default',
  batteryType: 'LIO',
  simstate: 'active',
  simType: null,
  deepSleep: false,
  saveToWeb: false,
  btPasskey: null,
  subscriptionType: null,
  onoWhitelistId: null,
  siloId: null,
  resellerId: null,
  resellerPlanId: null,
  stripeSubscription: null,
  claimable: 'no',
};

onEitherEngine<Tables>('published fields of devices', { migrations: MIGRATIONS }, (open) => {
  test('they have defaults, are kept, follow the plan, and hide the passkey from who may only view', async () => {
    const store: Store = await open();
    const owner = await makeUser(store, 'owner@example.com');
    const viewer = await makeUser(store, 'viewer@example.com');
    const manager = await makeUser(store, 'manager@example.com');
    const admin = await makeUser(store, 'admin@example.com', true);
    const deviceId = await makeDevice(store, owner.userId, { name: 'Van' });
    const other = await makeDevice(store, owner.userId);
    await shareWith(store, deviceId, viewer.userId, 'view');
    await shareWith(store, deviceId, manager.userId, 'manage');
    const operations = deviceOperations(store, { subscription: includedSubscription(store) }, testVault);
    const read = async (caller: Caller, filter?: object) =>
      (await operations.getDevice(
        callOf(caller, { deviceId, query: filter ? [['filter', JSON.stringify(filter)]] : [] }),
      )) as Device & { subscription?: { plan: { name: string } } | null };
    const list = async (caller: Caller, where: object) => {
      const answer = await operations.listDevices(callOf(caller, { query: [['filter', JSON.stringify({ where })]] }));
      return (JSON.parse((answer as JsonText<Device[]>).text) as Device[]).map(({ id }) => id);
    };
    const change = (caller: Caller, right: Right, body: object) =>
      operations.updateDevice(callOf(caller, { deviceId, right, body, sent: body as Record<string, unknown> }));

    const fresh = await read(owner);
    assert.deepEqual(Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, fresh[name as never]])), DEFAULTS);

    const set = { imsi: '901', uwbId: 4_294_967_295, mode: 'tow', simType: 'x', deepSleep: true, btPasskey: 123_456 };
    const changed = (await change(manager, 'manage', set)) as Device;
    assert.deepEqual({ ...changed, ...set }, changed);
    assert.equal((await read(owner)).btPasskey, 123_456);
    assert.equal((await read(admin)).btPasskey, 123_456);
    assert.equal((await read(viewer)).btPasskey, null);
    assert.deepEqual(await list(manager, { btPasskey: 123_456 }), [deviceId]);
    assert.deepEqual(await list(viewer, { btPasskey: { gt: 0 } }), [], 'it cannot be found by trying');
    assert.deepEqual(await list(viewer, { mode: 'tow', deepSleep: true, uwbId: 4_294_967_295 }), [deviceId]);

    await assert.rejects(change(owner, 'own', { claimable: 'yes' }), { statusCode: 403 });
    await assert.rejects(operations.createDevice(callOf(owner, { body: { claimable: 'yes' } })), { statusCode: 403 });
    assert.equal(((await change(admin, 'own', { claimable: 'keepHistory' })) as Device).claimable, 'keepHistory');
    assert.equal(((await change(owner, 'own', { claimable: 'keepHistory' })) as Device).claimable, 'keepHistory');

    const plans = planOperations(store, { usersMayBuy: false });
    const prices = { eur: [[1, 2]] };
    const body = { name: 'Standard', sku: 'STD-1', onoWhitelistId: 9, days: 30, prices };
    const plan = (await plans.createPlan(callOf(admin, { body }))) as { id: number };
    await plans.createPlanCredit(callOf(admin, { userId: owner.userId, body: { planId: plan.id, count: 1 } }));
    assert.equal((await read(owner, { include: 'subscription' })).subscription, null);
    const onPlans = devicePlanOperations(store, async () => undefined as never);
    await onPlans.setDevicePlan(callOf(owner, { deviceId, body: { planId: plan.id } }));
    const subscribed = await read(viewer, { include: 'subscription' });
    assert.deepEqual([subscribed.subscriptionType, subscribed.onoWhitelistId], ['STD-1', 9]);
    assert.equal(subscribed.subscription?.plan.name, 'Standard');
    assert.deepEqual(await list(owner, { subscriptionType: 'STD-1' }), [deviceId]);
    assert.deepEqual(await list(owner, { subscriptionType: null }), [other]);
    const later = await operations.getDevice(callOf(owner, { deviceId, now: NOW + 31 * 86_400_000 }));
    assert.equal((later as Device).subscriptionType, null, 'a plan that ended is not shown');
  });
});
