import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Content } from '../../../platform/outbox/channel.ts';
import type { Report } from '../../../reports.ts';
import { onEitherEngine } from '../../../testing/databases.ts';
import { callOf, makeDevice, makeUser, NOW, shareWith } from '../../../testing/people.ts';
import { changePositionsAt } from '../../../testing/positions.ts';
import { relayStaged } from '../../../testing/relay-staged.ts';
import { testVault } from '../../../testing/vault.ts';
import { forwardingOperations } from '../../delivery/forwarder-operations.ts';
import { pushSubscriptionOperations } from '../../delivery/push-subscriptions.ts';
import { DEFAULT_POLICY } from '../../delivery/sending-policy.ts';
import { deviceAccess } from '../../devices/access.ts';
import { rulesChanged } from '../../devices/rules-changed.ts';
import { geofenceOperations } from '../../geofences/operations.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import type { OutboxRow } from '../../schema/rows/sending-rows.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { triggerOperations } from '../../triggers/operations.ts';
import { accountOperations } from '../../users/accounts.ts';
import { points } from '../api/points.ts';
import { readingOperations } from '../api/readings.ts';
import { Pipeline } from '../pipeline.ts';
import { replay } from '../replay/replay.ts';
import { RulesCache } from './rules-cache.ts';
import { markLate } from './save-state.ts';

const MINUTE = 60_000;
const WINDOW_MS = 30 * 86_400_000;
const ARN = 'arn:aws:sqs:eu-west-1:123456789012:queue';
const HOOK = 'https://example.com/hook';
const at = (minute: number) => NOW + minute * MINUTE;
const any = () => undefined;
const KEYS = { p256dh: Buffer.alloc(65, 4).toString('base64url'), auth: Buffer.alloc(16, 1).toString('base64url') };

interface Sent {
  readonly notification: { readonly [name: string]: unknown; readonly params: Record<string, unknown> };
  readonly datapoint?: Record<string, unknown>;
  readonly reading?: Record<string, unknown>;
  readonly message?: Record<string, unknown>;
  readonly correction?: object;
  readonly device: object;
}

onEitherEngine<Tables>('what is sent', { migrations: MIGRATIONS }, (open) => {
  async function setting() {
    const store: Store = await open();
    const owner = await makeUser(store, 'owner@example.com');
    const deviceId = await makeDevice(store, owner.userId, { name: 'Van 3', imei: '350000000000001' });
    const access = deviceAccess(store);
    const policy = { ...DEFAULT_POLICY, publicUrl: 'https://track.example.com' };
    const rulesCache = new RulesCache(store, WINDOW_MS, policy);
    const ingest = new Pipeline(store, rulesCache, { windowMs: WINDOW_MS, publish: any, lateDataOf: any });
    const forwarding = forwardingOperations(store, { checkTarget: any, changed: rulesChanged, vault: testVault });
    const triggers = triggerOperations(store, access, any);
    const report = { points: [], readings: [], gatewayReadings: [], messages: [] };
    return {
      store,
      owner,
      deviceId,
      ingest,
      forwarding,
      triggers,
      forward: async (body: object) =>
        (await forwarding.createForwarder(callOf(owner, { deviceId, body }))) as { id: number },
      fence: () =>
        geofenceOperations(store, access).createGeofence(
          callOf(owner, { body: { name: 'Depot', center: { lat: 0, lng: 0 }, radius: 100 } }),
        ),
      watch: async (trigger: object) =>
        triggers.createNotificationTrigger(
          callOf(owner, {
            deviceId,
            body: { type: 'geofence', parameters: {}, delivery: {}, muteFor: 0, ...trigger },
          }),
        ),
      subscribe: (endpoint: string) =>
        pushSubscriptionOperations(store, any, testVault).createPushSubscription(
          callOf(owner, { body: { endpoint, keys: KEYS } }),
        ),
      async say(what: Partial<Report>, now = NOW) {
        const receipt = await ingest.store(deviceId, { ...report, ...what }, now);
        await relayStaged(store);
        return receipt;
      },
      /** A fix some minutes after the start and metres from the centre, received at once or later. */
      async fix(minute: number, metres: number, receivedAt = at(minute), more: object = {}) {
        const points = [{ timestamp: at(minute), location: { lat: metres / 111_195, lng: 0 }, accuracyM: 5, ...more }];
        await ingest.store(deviceId, { ...report, points }, receivedAt);
        await replay(store, rulesCache, deviceId, () => receivedAt);
        await relayStaged(store);
      },
      async rows() {
        await relayStaged(store);
        return store.query.selectFrom('outbox').selectAll().orderBy('id').execute();
      },
    };
  }
  const contentOf = (row: Pick<OutboxRow, 'content'>) => JSON.parse(row.content) as Content;
  const sentIn = (row: Pick<OutboxRow, 'content'>): Sent => JSON.parse(JSON.parse(contentOf(row).text).Message);

  test('nothing is written for a device without outgoing data', async () => {
    const { fix, rows } = await setting();
    await fix(1, 0);
    assert.deepEqual(await rows(), []);
  });

  test('a position goes to a queue in the published envelope, with a notification made for it', async () => {
    const { store, owner, deviceId, forwarding, fix, rows } = await setting();
    const call = callOf<undefined, { sqsArn: string }>(owner, { deviceId, parameters: { sqsArn: ARN } });
    assert.deepEqual(await forwarding.setupSqsForwarding(call), { status: 'ok' });
    await fix(1, 0, at(2), { speedKmh: 30 });
    const [row, ...others] = await rows();
    assert.deepEqual(others, []);
    assert.deepEqual(
      [row!.channel, row!.what, row!.state, row!.userId, row!.deviceId],
      ['sqs', 'newLoc', 'queued', owner.userId, deviceId],
    );
    const { target, userId } = await store.query.selectFrom('destinations').selectAll().executeTakeFirstOrThrow();
    assert.deepEqual([target, userId], [ARN, owner.userId]);
    const envelope = JSON.parse(contentOf(row!).text);
    assert.deepEqual(Object.keys(envelope), ['Type', 'MessageId', 'TopicArn', 'Timestamp', 'Message']);
    assert.deepEqual(
      [envelope.Type, envelope.MessageId, envelope.TopicArn, envelope.Timestamp],
      ['Notification', row!.messageId, `arn:trackway:sns:local:0:device-${deviceId}`, new Date(at(2)).toISOString()],
    );
    const { notification, datapoint, device, ...rest } = sentIn(row!);
    assert.deepEqual(rest, {});
    assert.deepEqual(device, { id: deviceId, imei: '350000000000001' });
    const point = await store.query.selectFrom('points').select('id').executeTakeFirstOrThrow();
    assert.deepEqual(
      [datapoint!.id, datapoint!.deviceId, datapoint!.timestamp, datapoint!.location, datapoint!.created],
      [point.id, deviceId, new Date(at(1)).toISOString(), { lat: 0, lng: 0 }, new Date(at(2)).toISOString()],
    );
    assert.deepEqual(
      [notification.id, notification.params.type, notification.pointId, notification.deviceId],
      [null, 'newLoc', point.id, deviceId],
    );
    assert.deepEqual(await store.query.selectFrom('notifications').selectAll().execute(), [], 'it is not in the feed');
  });

  test('the datapoint of an envelope is the point as the API shows it', async () => {
    const { store, forward, fix, rows } = await setting();
    await forward({ kind: 'sqs', target: ARN, types: ['newLoc'] });
    await fix(1, 50, at(1), { batteryPct: 80, altitudeM: 12 });
    const { presentPoint } = await import('../../delivery/presented.ts');
    const stored = await store.query.selectFrom('points').selectAll().executeTakeFirstOrThrow();
    assert.deepEqual(sentIn((await rows())[0]!).datapoint, presentPoint(stored));
  });

  test('readings and messages go out as the API shows them; what is not asked for stays', async () => {
    const { forward, say, rows } = await setting();
    await forward({ kind: 'sqs', target: ARN, types: ['newReading', 'newMsg'] });
    await say({
      points: [{ timestamp: NOW, location: { lat: 0, lng: 0 } }],
      readings: [{ timestamp: NOW, type: 'temp', value: 21.5 }],
      messages: [{ message: 'hello' }],
    });
    const [reading, message, ...others] = await rows();
    assert.deepEqual(others, []);
    const first = sentIn(reading!);
    assert.deepEqual(
      [first.notification.params.type, first.reading!.type, first.reading!.value],
      ['newReading', 'temp', 21.5],
    );
    const second = sentIn(message!);
    assert.deepEqual(
      [second.notification.params.type, second.message!.message, second.message!.mobileTerminated],
      ['newMsg', 'hello', false],
    );
  });

  test('what someone stores by hand goes out too', async () => {
    const { store, owner, deviceId, forward, rows } = await setting();
    await forward({ kind: 'sqs', target: ARN });
    const { createPoint } = points(store, { evaluateAgain: any }).operations;
    await createPoint(callOf(owner, { deviceId, body: { location: { lat: 1, lng: 2 } } }));
    const { createReading } = readingOperations(store, deviceAccess(store), markLate, any);
    await createReading(callOf(owner, { deviceId, body: { type: 'temp', value: 4 } }));
    const [first, second] = (await rows()).map(sentIn);
    assert.deepEqual(first!.datapoint!.location, { lat: 1, lng: 2 });
    assert.equal(second!.reading!.value, 4);
  });

  test('what is said twice goes out once, and what comes late goes out too', async () => {
    const { forward, fix, rows } = await setting();
    await forward({ kind: 'sqs', target: ARN, types: ['newLoc'] });
    await fix(5, 0);
    await fix(5, 0, at(6));
    await fix(2, 0, at(7));
    const times = (await rows()).map((row) => sentIn(row).datapoint!.timestamp);
    assert.deepEqual(
      times,
      [at(5), at(2)].map((time) => new Date(time).toISOString()),
    );
  });

  test('a webhook gets text that published receivers parse, or the bare message as JSON', async () => {
    const { forward, fix, rows } = await setting();
    await forward({ kind: 'http', target: HOOK, types: ['newLoc'] });
    await forward({ kind: 'http', target: HOOK, types: ['newLoc'], raw: true });
    await fix(1, 0);
    const [enveloped, raw] = (await rows()).map(contentOf);
    assert.equal(enveloped!.type, 'text/plain; charset=UTF-8');
    assert.deepEqual(enveloped!.headers, { 'x-amz-sns-message-type': 'Notification' });
    assert.equal(raw!.type, 'application/json');
    assert.deepEqual(Object.keys(JSON.parse(raw!.text)), ['notification', 'datapoint', 'device']);
    assert.equal(raw!.headers, undefined);
  });

  test('on the broker each kind of thing has its topic', async () => {
    const { owner, deviceId, forward, say, rows } = await setting();
    await forward({ kind: 'mqtt', types: ['newLoc', 'newReading'] });
    await say({
      points: [{ timestamp: NOW, location: { lat: 0, lng: 0 } }],
      readings: [{ timestamp: NOW, type: 'temp', value: 1 }],
    });
    const base = `users/${owner.userId}/devices/${deviceId}`;
    assert.deepEqual(
      (await rows()).map(({ address }) => address),
      [`${base}/points`, `${base}/readings`],
    );
  });

  test('a forwarder that is switched off or removed sends nothing more', async () => {
    const { owner, deviceId, forwarding, forward, fix, rows } = await setting();
    const { id: key } = await forward({ kind: 'sqs', target: ARN, types: ['newLoc'] });
    await fix(1, 0);
    await forwarding.updateForwarder(callOf(owner, { deviceId, key, body: { active: false } }));
    await fix(2, 0);
    assert.equal((await rows()).length, 1);
    await forwarding.updateForwarder(callOf(owner, { deviceId, key, body: { active: true } }));
    await fix(3, 0);
    assert.equal((await rows()).length, 2);
    await forwarding.deleteForwarder(callOf(owner, { deviceId, key }));
    await fix(4, 0);
    assert.deepEqual(
      (await rows()).map(({ state, reason }) => `${state}: ${reason}`),
      ['cancelled: The forwarder was removed', 'cancelled: The forwarder was removed'],
    );
  });

  test('every channel of a notification has a record, and machines get what it rests on', async () => {
    const { owner, deviceId, fence, watch, subscribe, fix, rows } = await setting();
    await fence();
    await subscribe('https://push.example.com/1');
    await subscribe('https://push.example.com/2');
    const delivery = { push: true, email: true, http: true, sqs: true, mqtt: true };
    await watch({ delivery, parameters: { endpoint: HOOK, sqsArn: ARN } });
    await fix(1, 900);
    await fix(2, 0);
    const all = await rows();
    assert.deepEqual(
      all.map(({ channel, state, address }) => `${channel} ${state} ${channel === 'push' ? '' : address}`),
      [
        'push queued ',
        'push queued ',
        'email queued owner@example.com',
        'http queued null',
        'sqs queued null',
        `mqtt queued users/${owner.userId}/devices/${deviceId}/notifications`,
      ],
    );
    const { endpoint: browser, keys } = JSON.parse(all[0]!.address!);
    assert.equal(browser, 'https://push.example.com/1');
    assert.deepEqual(JSON.parse(testVault.open(keys, `pushSubscriptions.keys:${browser}`)), KEYS);
    assert.equal(contentOf(all[2]!).subject, '“Van 3” entered “Depot”');
    assert.ok(contentOf(all[2]!).html!.includes('https://track.example.com/map?device='));
    const { notification, datapoint } = sentIn(all[4]!);
    assert.equal(notification.id, all[4]!.notificationId);
    assert.equal(notification.params.message, 'Van 3 entered Depot');
    assert.equal(datapoint!.id, notification.pointId);
  });

  test('a trigger that asks for plain JSON sends no envelope, by webhook and by queue', async () => {
    const { fence, watch, fix, rows } = await setting();
    await fence();
    const delivery = { http: true, sqs: true, raw: true };
    await watch({ delivery, parameters: { endpoint: HOOK, sqsArn: ARN } });
    await fix(1, 900);
    await fix(2, 0);
    for (const row of await rows()) {
      const { text, type } = contentOf(row);
      assert.equal(type, 'application/json');
      assert.equal((JSON.parse(text) as Sent).notification.params.message, 'Van 3 entered Depot');
    }
  });

  test('what is not sent says why', async () => {
    const { store, fence, watch, fix, rows } = await setting();
    await fence();
    const delivery = { push: true, email: true };
    await watch({ delivery, muteFor: 3600 });
    // Triggers without an address are refused, but there are older ones.
    const older = JSON.stringify({ ...delivery, http: true, telegram: true });
    await store.query.updateTable('notificationTriggers').set({ delivery: older }).execute();
    await fix(1, 900);
    await fix(2, 0);
    await fix(3, 900);
    const reported = (await rows()).map(({ channel, state, reason }) => `${channel} ${state}: ${reason}`);
    assert.deepEqual(reported, [
      'push suppressed: No browser is subscribed to push notifications',
      'email queued: null',
      'http dead: The trigger has no webhook address: set parameters.endpoint',
      'telegram dead: The trigger has no Telegram chat: set parameters.telegramChat',
      'push suppressed: muted: the alert fired shortly before or after',
      'email suppressed: muted: the alert fired shortly before or after',
      'http suppressed: muted: the alert fired shortly before or after',
      'telegram suppressed: muted: the alert fired shortly before or after',
    ]);
  });

  test('old news reaches machines, but people only where it is urgent', async () => {
    const { fence, watch, fix, rows } = await setting();
    await fence();
    await watch({ delivery: { email: true, mqtt: true } });
    await watch({ type: 'button', delivery: { email: true } });
    await fix(1, 900, at(200));
    await fix(2, 0, at(200), { alertType: 8 });
    assert.deepEqual((await rows()).map(({ channel, state }) => `${channel} ${state}`).toSorted(), [
      'email queued',
      'email suppressed',
      'mqtt queued',
    ]);
    assert.match(
      (await rows()).find(({ state }) => state === 'suppressed')!.reason!,
      /Too late for people.*60 minutes/,
    );
  });

  test('what did not happen is cancelled where it waits, and corrected where it was sent', async () => {
    const { store, deviceId, fence, watch, forward, fix, rows } = await setting();
    await fence();
    await watch({ delivery: { email: true } });
    const reported = await forward({ kind: 'sqs', target: ARN, types: ['notification'], corrections: true });
    await forward({ kind: 'http', target: HOOK, types: ['notification'] });
    await fix(1, 900);
    await fix(2, 0);
    const [toQueue] = (await rows()).filter(({ forwarderId }) => forwarderId === reported.id);
    await store.query.updateTable('outbox').set({ state: 'sent' }).where('id', '=', toQueue!.id).execute();
    // The fix inside is corrected by hand: it was never there.
    await changePositionsAt(store, at(2), { locationLat: 1 });
    await store.query
      .updateTable('deviceStates')
      .set({ lateFrom: at(2) })
      .where('deviceId', '=', deviceId)
      .execute();
    await fix(3, 900);
    const all = await rows();
    assert.deepEqual(
      all.map(({ channel, what, state }) => `${channel} ${what} ${state}`),
      ['sqs notification sent', 'http notification cancelled', 'email notification cancelled', 'sqs correction queued'],
    );
    assert.match(all[2]!.reason!, /^Retracted: later data/);
    const { notification, correction } = sentIn(all[3]!);
    assert.equal(notification.id, all[0]!.notificationId);
    assert.equal(notification.status, 'retracted');
    assert.ok(correction);
  });

  test('a correction is not sent to users who were never notified', async () => {
    const { store, deviceId, fence, watch, forward, fix, rows } = await setting();
    await fence();
    await watch({});
    await forward({ kind: 'sqs', target: ARN, types: ['notification'], corrections: true });
    await fix(1, 900);
    await fix(2, 0);
    await changePositionsAt(store, at(2), { locationLat: 1 });
    await store.query
      .updateTable('deviceStates')
      .set({ lateFrom: at(2) })
      .where('deviceId', '=', deviceId)
      .execute();
    await fix(3, 900);
    assert.deepEqual(
      (await rows()).map(({ what, state }) => `${what} ${state}`),
      ['notification cancelled'],
    );
  });

  test('notifications by late data are marked as late', async () => {
    const { fence, watch, fix, rows } = await setting();
    await fence();
    await watch({ delivery: { sqs: true, email: true }, parameters: { sqsArn: ARN } });
    await fix(1, 900);
    await fix(9, 900);
    await fix(5, 0, at(10));
    const all = await rows();
    assert.deepEqual(
      all.filter(({ channel }) => channel === 'sqs').map((row) => sentIn(row).notification.late),
      [true, true],
    );
    assert.match(contentOf(all.find(({ channel }) => channel === 'email')!).text, /reported late/);
  });

  test('a device goes on reporting when a user who forwarded and watched it is deleted', async () => {
    const { store, deviceId, forwarding, triggers, fix, rows } = await setting();
    const guest = await makeUser(store, 'guest@example.com');
    const admin = await makeUser(store, 'admin@example.com', true);
    await shareWith(store, deviceId, guest.userId);
    await forwarding.createForwarder(callOf(guest, { deviceId, body: { kind: 'mqtt' } }));
    const body = { type: 'newLoc', parameters: {}, delivery: { mqtt: true }, muteFor: 0 };
    await triggers.createNotificationTrigger(callOf(guest, { deviceId, body }));
    await fix(1, 0);
    assert.equal((await rows()).length, 2);
    await accountOperations(store).deleteUser(callOf(admin, { key: guest.userId }));
    await fix(2, 0);
    assert.deepEqual(await rows(), []);
  });

  test('notifications are forwarded only to the notified user', async () => {
    const { store, deviceId, forwarding, fence, watch, fix, rows } = await setting();
    const other = await makeUser(store, 'other@example.com');
    await shareWith(store, deviceId, other.userId);
    const body = { kind: 'mqtt' as const, types: ['notification'] };
    await forwarding.createForwarder(callOf(other, { deviceId, right: 'manage', body }));
    await fence();
    await watch({});
    await fix(1, 900);
    await fix(2, 0);
    assert.deepEqual(await rows(), []);
  });
});
