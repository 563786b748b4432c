import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AMERICAN, METRIC } from '@trackway/contract/wording/units.ts';
import { onEitherEngine } from '../../../testing/databases.ts';
import { callOf, makeDevice, makeUser, NOW, shareWith } from '../../../testing/people.ts';
import { notificationOperations } from '../../delivery/notification-operations.ts';
import { DEFAULT_POLICY } from '../../delivery/sending-policy.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import type { Firing } from '../../triggers/evaluator.ts';
import { recordOnce } from '../state/record-notification.ts';
import { escalateDue } from './escalate.ts';

const MINUTE_MS = 60_000;
const ESCALATION = { delivery: { email: true }, parameters: {} };

onEitherEngine<Tables>('escalation', { migrations: MIGRATIONS }, (open) => {
  async function setting() {
    const store: Store = await open();
    const owner = await makeUser(store, 'owner@example.com');
    const deviceId = await makeDevice(store, owner.userId, { name: 'Van' });
    const makeTrigger = async (userId = owner.userId) => {
      const { id } = await store.query
        .insertInto('notificationTriggers')
        .values({
          ...{ name: 'Button', type: 'button', muteFor: 0, deviceId, userId, parameters: '{}', delivery: '{}' },
          ...{ lastTriggered: null, severity: 'critical', escalateAfter: 300 },
          escalation: JSON.stringify(ESCALATION),
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    };
    const fire = async (triggerId: number, userId = owner.userId) => {
      const rule = { triggerId, version: 0, userId, name: 'Button', type: 'button', parameters: {} } as const;
      const firing: Firing = { rule, kind: 'pressed', at: NOW, decidedAt: NOW, facts: {} };
      const recording = { deviceId, deviceName: 'Van', now: NOW, late: false, oldNewsMs: 3_600_000 };
      return store.transaction((tx) => recordOnce(tx, firing, recording));
    };
    const sent = () =>
      store.query
        .selectFrom('outbox')
        .select(['notificationId', 'address', 'state', 'content'])
        .orderBy('id')
        .execute();
    const escalate = (minutes: number) => escalateDue(store, DEFAULT_POLICY, NOW + minutes * MINUTE_MS);
    const operations = notificationOperations(store);
    const acknowledge = (key: number, caller = owner, note?: string) =>
      operations.acknowledgeNotification(
        callOf(caller, { key, body: note === undefined ? {} : { note }, now: NOW + MINUTE_MS }),
      );
    const unread = async () => operations.getUnreadNotifications(callOf(owner, {}));
    return { store, owner, deviceId, makeTrigger, fire, sent, escalate, operations, acknowledge, unread };
  }

  test('an unacknowledged notification is escalated once, also with several processes', async () => {
    const { makeTrigger, fire, sent, escalate, store } = await setting();
    const { id } = await fire(await makeTrigger());
    assert.equal(await escalate(4), false);
    assert.deepEqual(await sent(), []);
    const both = await Promise.all([escalate(5), escalate(5)]);
    assert.deepEqual(both.filter(Boolean), [true]);
    const rows = await sent();
    assert.deepEqual(
      rows.map(({ notificationId, address }) => [notificationId, address]),
      [[id, 'owner@example.com']],
    );
    assert.match(rows[0]!.content, /Not acknowledged within 5 min/);
    const row = await store.query.selectFrom('notifications').select('escalatedAt').executeTakeFirstOrThrow();
    assert.equal(row.escalatedAt, NOW + 5 * MINUTE_MS);
  });

  for (const [language, units, said] of [
    ['en', METRIC, 'Not acknowledged within 5 minutes: The button on Van was pressed.'],
    ['en', AMERICAN, 'Not acknowledged within 5 minutes: The button on Van was pressed.'],
    ['de', METRIC, 'Nicht innerhalb von 5 Minuten quittiert: '],
    ['fr', METRIC, 'Non acquittée en 5 minutes : '],
    ['es', METRIC, 'Sin confirmar en 5 minutos: '],
  ] as const)
    test(`it says why it is sent on, in ${language} and ${units.distance} units`, async () => {
      const { store, makeTrigger, fire, sent, escalate } = await setting();
      await store.query
        .updateTable('users')
        .set({ language, units: JSON.stringify(units) })
        .execute();
      await fire(await makeTrigger());
      await escalate(5);
      const { text } = JSON.parse((await sent())[0]!.content) as { text: string };
      assert.ok(text.startsWith(said), text);
      const kept = await store.query.selectFrom('notifications').select('params').executeTakeFirstOrThrow();
      assert.doesNotMatch(kept.params, /acknowledged/, 'the notification itself stays as it was');
    });

  test('what was acknowledged, retracted or is of an ended right is not sent on', async () => {
    const { store, owner, deviceId, makeTrigger, fire, sent, escalate, acknowledge } = await setting();
    const triggerId = await makeTrigger();
    const [seen, retracted] = [await fire(triggerId), await fire(triggerId)];
    const other = await makeUser(store, 'other@example.com');
    await shareWith(store, deviceId, other.userId);
    await fire(await makeTrigger(other.userId), other.userId);
    await store.query.deleteFrom('shares').execute();
    await store.query
      .updateTable('notifications')
      .set({ status: 'retracted' })
      .where('id', '=', retracted.id)
      .execute();
    const shown = (await acknowledge(seen.id, owner, 'Called the driver')) as Record<string, unknown>;
    assert.deepEqual(
      [shown.dismissedOn, shown.dismissedBy, shown.note, shown.unread, shown.severity],
      [new Date(NOW + MINUTE_MS).toISOString(), owner.userId, 'Called the driver', false, 'critical'],
    );
    assert.equal(await escalate(60), false);
    assert.deepEqual(await sent(), []);
    await assert.rejects(acknowledge(seen.id, other), { statusCode: 404 });
  });

  test('pending deliveries of an escalation are cancelled by an acknowledgement', async () => {
    const { makeTrigger, fire, sent, escalate, operations, owner } = await setting();
    const { id } = await fire(await makeTrigger());
    await escalate(5);
    await operations.acknowledgeNotification(callOf(owner, { key: id, body: {}, now: NOW + 6 * MINUTE_MS }));
    assert.deepEqual(
      (await sent()).map(({ state }) => state),
      ['cancelled'],
    );
  });

  test('unread notifications are counted by severity until they are read', async () => {
    const { store, makeTrigger, fire, unread, operations, owner } = await setting();
    const triggerId = await makeTrigger();
    const all = [await fire(triggerId), await fire(triggerId), await fire(triggerId)];
    await store.query.updateTable('notifications').set({ severity: 'info' }).where('id', '=', all[0]!.id).execute();
    assert.deepEqual(await unread(), { unread: 3, critical: 2, warning: 0 });
    const read = (body: object) => operations.readNotifications(callOf(owner, { body: body as never }));
    assert.deepEqual(await read({ ids: [all[2]!.id] }), { unread: 2, critical: 1, warning: 0 });
    assert.deepEqual(await read({ upTo: all[0]!.id }), { unread: 1, critical: 1, warning: 0 });
    const reported = await store.query.selectFrom('liveEvents').select(['kind', 'userId']).execute();
    assert.deepEqual(
      reported.map(({ kind, userId }) => [kind, userId]),
      [
        ['unread', owner.userId],
        ['unread', owner.userId],
      ],
    );
    const other = await makeUser(store, 'other@example.com');
    assert.deepEqual(await operations.readNotifications(callOf(other, { body: { upTo: 1_000_000 } })), {
      unread: 0,
      critical: 0,
      warning: 0,
    });
    assert.deepEqual(await unread(), { unread: 1, critical: 1, warning: 0 });
  });
});
