import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import type { TextStream } from '../../calls.ts';
import { post } from '../../platform/outbox/post.ts';
import { DOWN, ScriptedChannel, SENT } from '../../platform/outbox/testing/scripted-channel.ts';
import { startOutbox } from '../../platform/outbox/worker.ts';
import { onEitherEngine } from '../../testing/databases.ts';
import { callOf, makeDevice, makeUser, NOW, shareWith } from '../../testing/people.ts';
import { storePositions } from '../../testing/positions.ts';
import { testVault } from '../../testing/vault.ts';
import { reconsiderHeld, sendDigests } from '../delivery/digests.ts';
import { sendGuard } from '../delivery/send-guard.ts';
import { DEFAULT_POLICY } from '../delivery/sending-policy.ts';
import { deviceAccess } from '../devices/access.ts';
import { tripOperations } from '../motion/trip-operations.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { Pipeline } from '../tracking/pipeline.ts';
import { replay } from '../tracking/replay/replay.ts';
import { RulesCache } from '../tracking/state/rules-cache.ts';
import { evaluateProximity } from '../tracking/timers/proximity.ts';
import { triggerOperations } from '../triggers/operations.ts';
import { accountOperations } from '../users/accounts.ts';
import { rightsEnded } from './rights-ending.ts';

const MINUTE = 60_000;
const WINDOW_MS = 30 * 86_400_000;
const at = (minute: number) => NOW + minute * MINUTE;
const log = pino({ level: 'silent' });

/** What the table of ended rights, which uses the API, cannot cause at a certain moment. */
onEitherEngine<Tables>('rights that end', { migrations: MIGRATIONS }, (open) => {
  async function setting() {
    const store: Store = await open();
    const owner = await makeUser(store, 'owner@example.com');
    const guest = await makeUser(store, 'guest@example.com');
    const admin = await makeUser(store, 'admin@example.com', true);
    const deviceId = await makeDevice(store, owner.userId, { name: 'Van' });
    await shareWith(store, deviceId, guest.userId);
    const rulesCache = new RulesCache(store, WINDOW_MS);
    const intake = new Pipeline(store, rulesCache, { windowMs: WINDOW_MS, publish: () => {}, lateDataOf: () => {} });
    const triggers = triggerOperations(store, deviceAccess(store), () => undefined);
    const unshare = (tx = store.query) => tx.deleteFrom('shares').where('userId', '=', guest.userId).execute();
    return {
      store,
      owner,
      guest,
      admin,
      deviceId,
      triggers,
      accounts: accountOperations(store, { rightsEnded }),
      unshare,
      endShare: (now: number) =>
        store.transaction(async (tx) => {
          await unshare(tx);
          await rightsEnded(tx, { userId: guest.userId, deviceId }, now);
        }),
      watch: async (user: typeof owner, trigger: object, on = deviceId) =>
        (
          (await triggers.createNotificationTrigger(
            callOf(user, { deviceId: on, body: { delivery: {}, muteFor: 0, ...trigger } as never }),
          )) as { id: number }
        ).id,
      async press(minute: number, receivedAt = at(minute)) {
        const points = [{ timestamp: at(minute), location: { lat: 0, lng: 0 }, accuracyM: 5, alertType: 8 }];
        await intake.store(deviceId, { points, readings: [], gatewayReadings: [], messages: [] }, receivedAt);
        await replay(store, rulesCache, deviceId, () => receivedAt);
      },
      sentTo: async (user: typeof owner) =>
        (
          await store.query
            .selectFrom('notifications')
            .select(['timestamp', 'status', 'late'])
            .where('userId', '=', user.userId)
            .orderBy('timestamp')
            .execute()
        ).map(({ timestamp, status, late }) => `${(timestamp - NOW) / MINUTE} ${status}${late ? ' late' : ''}`),
    };
  }

  test('late data from before the end of a right notifies only users who have the right now', async () => {
    const { owner, guest, watch, press, endShare, sentTo } = await setting();
    for (const user of [owner, guest]) await watch(user, { type: 'button' });
    await press(1);
    await press(5);
    await endShare(at(6));
    await press(3, at(7));
    assert.deepEqual(await sentTo(owner), ['1 valid', '3 valid late', '5 valid']);
    assert.deepEqual(await sentTo(guest), ['1 valid', '5 valid'], 'and what they know stays as it was');
  });

  test('an admin who had ended a trigger before the demotion is not notified of late data either', async () => {
    const { store, admin, deviceId, triggers, accounts, watch, press, sentTo } = await setting();
    const id = await watch(admin, { type: 'button' });
    await makeUser(store, 'second@example.com', true);
    await press(1);
    await triggers.deleteNotificationTrigger(callOf(admin, { deviceId, key: id, now: at(4) }));
    await press(5);
    await press(2, at(6));
    assert.deepEqual(await sentTo(admin), ['1 valid', '2 valid late'], 'while they may manage the device');
    const demoted = callOf(admin, { userId: admin.userId, body: { admin: false }, now: at(7) });
    await accounts.updateUser(demoted as never);
    await press(3, at(8));
    assert.deepEqual(await sentTo(admin), ['1 valid', '2 valid late']);
  });

  test('what waits in hand, or to be tried again, goes nowhere once the right is gone', async () => {
    const { store, guest, owner, deviceId, unshare } = await setting();
    const channel = new ScriptedChannel({ concurrency: 1 });
    const first = Promise.withResolvers<void>();
    channel.gate = first.promise;
    channel.answer = (_, { target }) => (target === 'down' ? DOWN : SENT);
    const clock = { now: NOW };
    const posting = (text: string, target: string, userId = guest.userId) => ({
      kind: 'http',
      target,
      ownerId: userId,
      userId,
      deviceId,
      address: null,
      what: 'newLoc',
      content: { text, type: 'text/plain' },
    });
    await store.transaction((tx) =>
      post(
        tx,
        [posting('1', 'up'), posting('2', 'up'), posting('3', 'down'), posting('4', 'of the owner', owner.userId)],
        NOW,
      ),
    );
    const options = {
      log,
      now: () => clock.now,
      random: () => 0.5,
      pollMs: 600_000,
      guard: sendGuard,
      vault: testVault,
    };
    const outbox = await startOutbox(store, { http: channel }, options);
    while (channel.attempts.length < 3) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(channel.texts().sort(), ['1', '3', '4']);
    // Only the right itself ends: the sender checks it.
    await unshare();
    clock.now += MINUTE;
    first.resolve();
    await outbox.idle();
    clock.now += MINUTE;
    outbox.wake();
    await outbox.idle();
    const states = await store.query.selectFrom('outbox').select(['state', 'reason']).orderBy('id').execute();
    assert.deepEqual(
      states.map(({ state }) => state),
      ['sent', 'cancelled', 'cancelled', 'sent'],
    );
    assert.equal(states[1]!.reason, 'The user no longer has access to the device');
    assert.deepEqual(channel.texts().sort(), ['1', '3', '4']);
    await outbox.stop();
  });

  test('a digest that waits is made anew without what its reader may no longer know', async () => {
    const { store, guest, deviceId, endShare } = await setting();
    const own = await makeDevice(store, guest.userId, { name: 'Own' });
    const rows = () => store.query.selectFrom('outbox').selectAll().orderBy('id').execute();
    async function hold(about: number, sentence: string) {
      const { id } = await store.query
        .insertInto('notifications')
        .values({
          ...{ created: NOW, timestamp: NOW, decidedAt: NOW, explanation: '{}', triggerId: 1, triggerVersion: 0 },
          ...{ kind: 'button', status: 'valid', late: 0, isForPeople: 1, isOrdered: 1, deviceId: about },
          userId: guest.userId,
          params: JSON.stringify({ type: 'button', message: sentence }),
        } as never)
        .returning('id')
        .executeTakeFirstOrThrow();
      const held = { state: 'held', nextAt: NOW + MINUTE, notificationId: id, deviceId: about } as const;
      const to = { kind: 'push', target: 'https://push.example.com/b', ownerId: guest.userId, address: '{}' };
      const content = { text: sentence, type: 'text/plain' };
      const posting = { ...to, ...held, userId: guest.userId, what: 'notification', content };
      await store.transaction((tx) => post(tx, [posting], NOW));
    }
    await hold(own, 'Own: first');
    await hold(deviceId, 'Van: pressed');
    await hold(own, 'Own: second');
    await sendDigests(store, DEFAULT_POLICY, at(1));
    const digest = (await rows()).at(-1)!;
    assert.deepEqual([digest.what, digest.state], ['digest', 'queued']);
    assert.match(digest.content, /Van: pressed/);

    await endShare(at(2));
    await store.transaction((tx) => reconsiderHeld(tx, guest.userId, at(3)));
    await sendDigests(store, DEFAULT_POLICY, at(3));
    const after = await rows();
    assert.deepEqual(
      after.map(({ state }) => state),
      ['suppressed', 'cancelled', 'suppressed', 'cancelled', 'queued'],
    );
    assert.match(after.at(-1)!.content, /Own: first.*Own: second/);
    assert.doesNotMatch(after.at(-1)!.content, /Van/);
  });

  test('a device of another user is reported as near, without the distance', async () => {
    const { store, owner, guest, deviceId, watch, unshare } = await setting();
    const own = await makeDevice(store, guest.userId, { name: 'Own' });
    const place = (id: number, metres: number) => ({
      ...{ id, deviceId: own, timestamp: NOW, locationType: 'gps', created: NOW, judged: null },
      ...{ locationLat: metres / 111_195, locationLng: 0 },
    });
    await storePositions(store, [{ ...place(1, 0), deviceId }]);
    const evaluated = async (metres: number) =>
      (
        await evaluateProximity(
          store,
          DEFAULT_POLICY,
          { deviceId: own, points: [place(2, metres) as never], readings: [] },
          NOW,
        )
      ).map(({ notifications: [one] }) => JSON.parse(one!.params).message as string);
    const parameters = { deviceId, meters: 500 };
    const near = await watch(guest, { type: 'proximity', parameters }, own);
    assert.deepEqual(await evaluated(237.3), ['Own is within 300 m of Van']);
    const { explanation, params } = await store.query.selectFrom('notifications').selectAll().executeTakeFirstOrThrow();
    assert.doesNotMatch(explanation + params, /237/);

    // As it was stored before there was a most.
    await evaluated(5000);
    await store.query
      .updateTable('notificationTriggers')
      .set({ parameters: JSON.stringify({ deviceId, meters: 1_000_000 }) })
      .where('id', '=', near)
      .execute();
    assert.deepEqual(await evaluated(4000), []);
    await assert.rejects(watch(guest, { type: 'proximity', parameters: { deviceId, meters: 1001 } }, own), {
      statusCode: 422,
    });
    // Nothing but the right itself ends.
    await unshare();
    assert.deepEqual(await evaluated(10), []);

    await shareWith(store, own, owner.userId, 'manage');
    await watch(owner, { type: 'proximity', parameters }, own);
    assert.deepEqual(await evaluated(237.3), ['Own is 237 m from Van'], 'to the owner of the other device');
  });

  test('a download that is under way breaks off when the right ends', async () => {
    const { store, guest, deviceId, unshare } = await setting();
    const points = Array.from({ length: 2500 }, (_, i) => ({
      ...{ deviceId, timestamp: NOW + i, locationType: 'gps', created: NOW },
      ...{ locationLat: 1, locationLng: 2 },
    }));
    for (let start = 0; start < points.length; start += 500)
      await storePositions(store, points.slice(start, start + 500));
    const operations = tripOperations(store, deviceAccess(store));
    const parameters = { format: 'csv', from: new Date(NOW).toISOString(), to: new Date(NOW + 10_000).toISOString() };
    const call = callOf(guest, { deviceId, parameters, now: NOW + 10_000 });
    const { chunks } = (await operations.exportTrack(call as never)) as TextStream;
    const download = chunks[Symbol.asyncIterator]();
    assert.match((await download.next()).value, /^id,timestamp/);
    await unshare();
    await assert.rejects(download.next(), { statusCode: 403 });
  });
});
