import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller, JsonText } from '../../calls.ts';
import { onEitherEngine } from '../../testing/databases.ts';
import { callOf, makeDevice, makeUser, NOW } from '../../testing/people.ts';
import { deviceAccess } from '../devices/access.ts';
import type { ShareFollowers } from '../devices/grants.ts';
import { deviceGroupOperations } from '../devices/groups/operations.ts';
import { metaAndTagOperations } from '../devices/meta-and-tags.ts';
import { rightsEnded } from '../history/rights-ending.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { UNLIMITED } from '../users/quotas.ts';
import { followSlice } from './follow-rules.ts';
import { triggerOperations } from './operations.ts';
import { ruleOperations } from './rule-operations.ts';

const SPEED = { type: 'speed', parameters: { limit: 100 }, delivery: { push: true } };
const MINUTE_MS = 60_000;

onEitherEngine<Tables>('rules', { migrations: MIGRATIONS }, (open) => {
  async function setting() {
    const store: Store = await open();
    const owner = await makeUser(store, 'owner@example.com');
    const access = deviceAccess(store);
    let now = NOW;
    const follow = async () => {
      while (await followSlice(store, now));
    };
    const followers: ShareFollowers = {
      began: [],
      ended: [(tx, deviceId, userId, at) => rightsEnded(tx, { deviceId, userId }, at)],
    };
    const checkTarget = () => undefined;
    const rules = ruleOperations(store, { access, checkTarget: checkTarget as never, follow });
    const triggers = triggerOperations(store, access, checkTarget as never, undefined, {
      ...UNLIMITED,
      triggers: 2,
      deviceTriggers: 1,
    });
    const groups = deviceGroupOperations(store, { followers, follow });
    const tags = metaAndTagOperations(store, access);
    const makeRule = async (more: object, by: Caller = owner) =>
      (await rules.createRule(
        callOf(by, { now, body: { muteFor: 0, ...SPEED, appliesTo: 'all', ...more } as never }),
      )) as { id: number; deviceCount: number; isSettled: boolean };
    const change = (key: number, body: object, by: Caller = owner) =>
      rules.updateRule(callOf(by, { key, now, body: body as never, sent: body as never })) as Promise<{
        isSettled: boolean;
        deviceCount: number;
      }>;
    const triggersOf = (deviceId: number) =>
      store.query
        .selectFrom('notificationTriggers')
        .selectAll()
        .where('deviceId', '=', deviceId)
        .orderBy('id')
        .execute();
    const versionsOf = (deviceId: number) =>
      store.query
        .selectFrom('triggerVersions')
        .select(['validFrom', 'validTo', 'trigger'])
        .where('deviceId', '=', deviceId)
        .orderBy('id')
        .execute();
    const makeGroup = async (name: string, ids: number[]) => {
      const { id: key } = (await groups.createDeviceGroup(callOf(owner, { body: { name } }))) as { id: number };
      if (ids.length > 0) await groups.addDeviceGroupDevices(callOf(owner, { key, body: { ids } }));
      return key;
    };
    return {
      store,
      owner,
      rules,
      triggers,
      groups,
      tags,
      follow,
      makeRule,
      change,
      triggersOf,
      versionsOf,
      makeGroup,
      pass: (ms: number) => {
        now += ms;
        return now;
      },
    };
  }

  test('a rule for all gives each device an ordinary trigger, also one that comes later', async () => {
    const { store, owner, makeRule, triggersOf, follow, triggers } = await setting();
    const first = await makeDevice(store, owner.userId);
    const other = await makeDevice(store, (await makeUser(store, 'other@example.com')).userId);
    const rule = await makeRule({ name: 'Too fast', severity: 'warning' });
    assert.deepEqual([rule.deviceCount, rule.isSettled], [1, true]);
    const later = await makeDevice(store, owner.userId);
    await follow();
    for (const id of [first, later]) {
      const answer = (await triggers.listNotificationTriggers(callOf(owner, { deviceId: id }))) as JsonText<unknown>;
      const [shown, ...more] = JSON.parse(answer.text);
      assert.deepEqual(more, []);
      assert.deepEqual(
        [shown.name, shown.type, shown.parameters, shown.meta, shown.severity, shown.userId],
        ['Too fast', 'speed', { limit: 100 }, { ruleId: rule.id }, 'warning', owner.userId],
      );
    }
    assert.deepEqual(await triggersOf(other), []);
    // The list of the user has each alert once: rules are in a list of their own.
    const usual = { muteFor: 0, severity: 'info', paused: false, escalateAfter: 0, delivery: { push: true } };
    const body = { ...usual, type: 'lowBat', name: 'Battery' };
    await triggers.createNotificationTrigger(callOf(owner, { deviceId: later, body }) as never);
    const own = (await triggers.listUserTriggers(callOf(owner, { userId: owner.userId }))) as JsonText<unknown>;
    assert.deepEqual(
      JSON.parse(own.text).map(({ name, deviceId }: { name: string; deviceId: number }) => [name, deviceId]),
      [['Battery', later]],
    );
  });

  test('a rule follows tags and groups as devices come and go, and notifications stay', async () => {
    const { store, owner, makeRule, triggersOf, versionsOf, follow, groups, tags, makeGroup, pass } = await setting();
    const device = await makeDevice(store, owner.userId, { tags: ['depot:north'] });
    const north = await makeRule({ appliesTo: 'tag', tag: 'depot:north' });
    const anyDepot = await makeRule({ appliesTo: 'tag', tag: 'depot' });
    const key = await makeGroup('Vans', []);
    const ofGroup = await makeRule({ appliesTo: 'group', groupId: key });
    const rulesAt = async () => (await triggersOf(device)).map(({ ruleId }) => ruleId);
    assert.deepEqual(await rulesAt(), [north.id, anyDepot.id]);

    const left = pass(MINUTE_MS);
    await tags.setTag(
      callOf(owner, { deviceId: device, texts: { name: 'depot' }, body: { value: 'south' }, now: left }) as never,
    );
    await follow();
    assert.deepEqual(await rulesAt(), [anyDepot.id]);
    assert.deepEqual(
      (await versionsOf(device)).map(({ validTo }) => validTo),
      [left, null],
      'what is reported late of the time before is evaluated by it',
    );
    await groups.addDeviceGroupDevices(callOf(owner, { key, body: { ids: [device] } }));
    assert.deepEqual(await rulesAt(), [anyDepot.id, ofGroup.id]);
    const [trigger] = await triggersOf(device);
    await store.query
      .insertInto('notifications')
      .values({
        ...{ created: NOW, timestamp: NOW, decidedAt: NOW, params: '{}', explanation: '{}', kind: 'over' },
        ...{ deviceId: device, userId: owner.userId, triggerId: trigger!.id, triggerVersion: 0, status: 'valid' },
        ...{ late: 0, isForPeople: 1, isOrdered: 1, severity: 'info', unread: 1 },
      } as never)
      .execute();
    await groups.deleteDeviceGroup(callOf(owner, { key }));
    await tags.removeTag(callOf(owner, { deviceId: device, texts: { name: 'depot' } }) as never);
    await follow();
    assert.deepEqual(await rulesAt(), []);
    assert.equal((await store.query.selectFrom('notifications').select('id').execute()).length, 1);
    await groups.restoreDeviceGroup(callOf(owner, { key }));
    assert.deepEqual(await rulesAt(), [ofGroup.id]);
  });

  test('a change of a rule reaches its triggers, with versions in force from then on', async () => {
    const { store, owner, makeRule, change, triggersOf, versionsOf, pass } = await setting();
    const device = await makeDevice(store, owner.userId);
    const { id } = await makeRule({});
    const changed = pass(MINUTE_MS);
    await change(id, { parameters: { limit: 80 } });
    const [trigger] = await triggersOf(device);
    assert.deepEqual(JSON.parse(trigger!.parameters!), { limit: 80 });
    assert.deepEqual(
      (await versionsOf(device)).map(({ validFrom, validTo, trigger: text }) => [
        validFrom,
        validTo,
        JSON.parse(text).parameters.limit,
      ]),
      [
        [NOW, changed, 100],
        [changed, null, 80],
      ],
    );
    await change(id, { severity: 'critical', muteFor: 60 });
    assert.equal((await versionsOf(device)).length, 2, 'a change of the delivery is no new version');
    assert.deepEqual(
      (await triggersOf(device)).map(({ id: same, severity, muteFor }) => [same, severity, muteFor]),
      [[trigger!.id, 'critical', 60]],
    );
  });

  test('while it is paused or snoozed no version is in force', async () => {
    const { store, owner, makeRule, change, versionsOf, pass } = await setting();
    const device = await makeDevice(store, owner.userId);
    const { id } = await makeRule({});
    const paused = pass(MINUTE_MS);
    await change(id, { paused: true });
    assert.deepEqual(
      (await versionsOf(device)).map(({ validFrom, validTo }) => [validFrom, validTo]),
      [[NOW, paused]],
    );
    const resumed = pass(MINUTE_MS);
    await change(id, { paused: false });
    const snoozed = pass(MINUTE_MS);
    const until = snoozed + 60 * MINUTE_MS;
    await change(id, { snoozedUntil: new Date(until).toISOString() });
    assert.deepEqual(
      (await versionsOf(device)).map(({ validFrom, validTo }) => [validFrom, validTo]),
      [
        [NOW, paused],
        [resumed, snoozed],
        [until, null],
      ],
    );
    const woken = pass(MINUTE_MS);
    await change(id, { snoozedUntil: null });
    assert.deepEqual(
      (await versionsOf(device)).slice(2).map(({ validFrom, validTo }) => [validFrom, validTo]),
      [[woken, null]],
    );
  });

  test('a trigger of a rule is changed by the rule alone, and counts in no quota', async () => {
    const { store, owner, makeRule, triggers, triggersOf } = await setting();
    const deviceId = await makeDevice(store, owner.userId);
    const rule = await makeRule({ name: 'Too fast' });
    await makeRule({ name: 'Again' });
    const [trigger] = await triggersOf(deviceId);
    const refusal = { statusCode: 409, message: new RegExp(`rule ${rule.id}, “Too fast”`) };
    const body = { name: 'mine' };
    await assert.rejects(
      triggers.updateNotificationTrigger(callOf(owner, { deviceId, key: trigger!.id, body, sent: body })),
      refusal,
    );
    await assert.rejects(triggers.deleteNotificationTrigger(callOf(owner, { deviceId, key: trigger!.id })), refusal);
    const own = { ...SPEED, muteFor: 0 };
    await triggers.createNotificationTrigger(callOf(owner, { deviceId, body: own as never }));
    await assert.rejects(triggers.createNotificationTrigger(callOf(owner, { deviceId, body: own as never })), {
      statusCode: 403,
    });
    await triggers.deleteNotificationTriggers(callOf(owner, { deviceId }));
    assert.deepEqual(
      (await triggersOf(deviceId)).map(({ name }) => name),
      ['Too fast', 'Again'],
    );
  });

  test('what a process that died left is done by another', async () => {
    const { store, owner, rules, follow } = await setting();
    for (let count = 0; count < 130; count++) await makeDevice(store, owner.userId);
    await follow();
    const dies = ruleOperations(store, {
      access: deviceAccess(store),
      checkTarget: (() => undefined) as never,
      follow: async () => void (await followSlice(store, NOW)),
    });
    const made = (await dies.createRule(
      callOf(owner, { body: { ...SPEED, muteFor: 0, appliesTo: 'all' } as never }),
    )) as { id: number; deviceCount: number; isSettled: boolean };
    assert.deepEqual([made.deviceCount, made.isSettled], [100, false]);
    await follow();
    const after = JSON.parse(((await rules.getRule(callOf(owner, { key: made.id }))) as JsonText<unknown>).text);
    assert.deepEqual([after.deviceCount, after.isSettled], [130, true]);
    await rules.deleteRule(callOf(owner, { key: made.id }));
    assert.deepEqual(await store.query.selectFrom('notificationTriggers').select('id').execute(), []);
    assert.deepEqual(await store.query.selectFrom('rules').select('id').execute(), []);
    const open = await store.query.selectFrom('triggerVersions').select('id').where('validTo', 'is', null).execute();
    assert.deepEqual(open, []);
  });

  test('whom a group is shared with can have rules for it, which end with the right', async () => {
    const { store, owner, makeRule, triggersOf, groups, makeGroup, follow } = await setting();
    const member = await makeUser(store, 'member@example.com');
    const device = await makeDevice(store, owner.userId);
    const key = await makeGroup('Vans', [device]);
    await assert.rejects(makeRule({ appliesTo: 'group', groupId: key }, member), { statusCode: 422 });
    const share = (await groups.createDeviceGroupShare(
      callOf(owner, { key, body: { email: 'member@example.com', rights: 'manage' } }),
    )) as { id: number };
    const { id } = await makeRule({ appliesTo: 'group', groupId: key }, member);
    assert.deepEqual(
      (await triggersOf(device)).map(({ ruleId, userId }) => [ruleId, userId]),
      [[id, member.userId]],
    );
    const keys = { shareid: share.id };
    const view = { rights: 'view' } as const;
    await groups.updateDeviceGroupShare(callOf(owner, { key, keys, body: view, sent: view }) as never);
    assert.deepEqual(await triggersOf(device), []);
    await follow();
    assert.deepEqual(await triggersOf(device), [], 'and do not come back by themselves');
    const manage = { rights: 'manage' } as const;
    await groups.updateDeviceGroupShare(callOf(owner, { key, keys, body: manage, sent: manage }) as never);
    await follow();
    assert.equal((await triggersOf(device)).length, 1);
  });
});
