import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '../../calls.ts';
import { type Posting, post } from '../../platform/outbox/post.ts';
import { onEitherEngine } from '../../testing/databases.ts';
import { callOf, makeDevice, makeUser, NOW } from '../../testing/people.ts';
import { testVault } from '../../testing/vault.ts';
import { rulesChanged } from '../devices/rules-changed.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { forwardingOperations } from './forwarder-operations.ts';
import { forgetGoneBrowsers, pushSubscriptionOperations } from './push-subscriptions.ts';

const ARN = 'arn:aws:sqs:eu-west-1:123456789012:queue';
const HOOK = 'https://example.com/hook';
const check = (address: string) => (address.includes('127.0.0.1') ? 'leads into a network' : undefined);
const KEYS = { p256dh: Buffer.alloc(65, 4).toString('base64url'), auth: Buffer.alloc(16, 1).toString('base64url') };

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at as clients see them.
type Answer = any;

type Json = Record<string, unknown>;

onEitherEngine<Tables>('forwarders', { migrations: MIGRATIONS }, (open) => {
  async function setting() {
    const store: Store = await open();
    const owner = await makeUser(store, 'owner@example.com');
    const deviceId = await makeDevice(store, owner.userId);
    const operations = forwardingOperations(store, { checkTarget: check, changed: rulesChanged, vault: testVault });
    const create = (who: Caller, body: object, on = deviceId): Promise<Answer> =>
      operations.createForwarder(callOf(who, { deviceId: on, body }));
    const update = (who: Caller, key: number, body: Json): Promise<Answer> =>
      operations.updateForwarder(callOf(who, { deviceId, key, body, sent: body }));
    const get = (key: number): Promise<Answer> => operations.getForwarder(callOf(owner, { deviceId, key }));
    return { store, owner, deviceId, operations, create, update, get };
  }

  test('a forwarder is made, shown and changed; the secret of a webhook is shown once', async () => {
    const { owner, create, update, get } = await setting();
    const { secret, ...made } = await create(owner, { kind: 'http', target: HOOK });
    assert.match(secret, /^whsec_/);
    assert.deepEqual(
      [made.kind, made.target, made.types, made.raw, made.corrections, made.active, made.waiting, made.lag],
      ['http', HOOK, ['newLoc', 'newReading'], false, false, true, 0, null],
    );
    assert.equal(made.status, 'Ready. Nothing has been sent yet.');
    assert.deepEqual(await get(made.id), made);
    const changed = await update(owner, made.id, { types: ['newMsg'], raw: true, target: `${HOOK}/2` });
    assert.deepEqual([changed.types, changed.raw, changed.target], [['newMsg'], true, `${HOOK}/2`]);
    assert.equal((await update(owner, made.id, { active: false })).status, 'Switched off.');
    await assert.rejects(update(owner, made.id, { kind: 'sqs' }), { statusCode: 400 });
    await assert.rejects(update(owner, made.id, { target: 'http://127.0.0.1/' }), { statusCode: 422 });
    await assert.rejects(update(owner, made.id, { types: ['everything'] }), { statusCode: 422 });
    await assert.rejects(update(owner, made.id, { types: [] }), { statusCode: 422 });
  });

  test('it says in plain words how its destination is, and how much waits', async () => {
    const { store, owner, create, get } = await setting();
    const { id } = await create(owner, { kind: 'sqs', target: ARN });
    const { id: destinationId } = await store.query.selectFrom('destinations').select('id').executeTakeFirstOrThrow();
    const health = (values: object) => store.query.updateTable('destinations').set(values).execute();
    await health({ lastSuccess: NOW });
    assert.equal((await get(id)).status, 'Working.');
    await health({ lastErrorAt: NOW + 1, lastError: 'No credentials.' });
    assert.equal((await get(id)).status, 'Failing: No credentials.');
    await health({ state: 'down' });
    await store.query
      .insertInto('outbox')
      .values({
        messageId: 'm',
        destinationId,
        userId: owner.userId,
        deviceId: null,
        channel: 'sqs',
        address: null,
        what: 'newLoc',
        notificationId: null,
        forwarderId: id,
        digestId: null,
        content: '{}',
        state: 'queued',
        reason: null,
        attemptLog: null,
        created: Date.now() - 90_000,
        nextAt: 0,
        expires: 0,
        ended: null,
      } as never)
      .execute();
    const shown = await get(id);
    assert.match(shown.status, /^Down, retrying: No credentials/);
    assert.equal(shown.waiting, 1);
    assert.ok(shown.lag >= 89 && shown.lag <= 120, `${shown.lag} s`);
    assert.equal(shown.lastSuccess, new Date(NOW).toISOString());
  });

  test('the owner of a device may switch off what others forward, but not lead it elsewhere', async () => {
    const { store, owner, create, update } = await setting();
    const guest = await makeUser(store, 'guest@example.com');
    const { id } = await create(guest, { kind: 'http', target: HOOK, types: ['notification'] });
    const denied = { statusCode: 403, message: /Access Denied/ };
    await assert.rejects(update(owner, id, { target: `${HOOK}/mine` }), denied);
    await assert.rejects(update(owner, id, { types: ['newLoc', 'notification'] }), denied);
    const same = { target: HOOK, types: ['notification'] };
    assert.equal((await update(owner, id, { ...same, active: false })).active, false);
    const admin = await makeUser(store, 'admin@example.com', true);
    assert.equal((await update(admin, id, { target: `${HOOK}/2` })).target, `${HOOK}/2`);
  });

  /** Something that waits for where a forwarder leads now. */
  async function wait(store: Store, forwarderId: number): Promise<number> {
    const { kind, target, userId, deviceId } = await store.query
      .selectFrom('forwarders')
      .selectAll()
      .where('id', '=', forwarderId)
      .executeTakeFirstOrThrow();
    const content = { text: 'waits', type: 'text/plain' };
    const about = { kind, target, ownerId: userId, userId, deviceId, address: null, what: 'newLoc', content };
    const [id] = await store.transaction((tx) => post(tx, [{ ...about, forwarderId }], NOW));
    return id!;
  }
  const statesOf = async (store: Store) =>
    (await store.query.selectFrom('outbox').select('state').orderBy('id').execute()).map(({ state }) => state);

  test('a forwarder that goes takes along all that it has not sent, wherever it was led before', async () => {
    const { store, owner, deviceId, operations, create, update } = await setting();
    const other = await create(owner, { kind: 'http', target: HOOK });
    const { id } = await create(owner, { kind: 'http', target: HOOK });
    await wait(store, id);
    await update(owner, id, { target: `${HOOK}/2` });
    await wait(store, id);
    await wait(store, other.id);
    await operations.deleteForwarder(callOf(owner, { deviceId, key: id }));
    assert.deepEqual(await statesOf(store), ['cancelled', 'cancelled', 'queued']);
  });

  test('other types for the same queue lose nothing that waits', async () => {
    const { store, owner, deviceId, operations } = await setting();
    const setUp = (parameters: { sqsArn?: string; types?: string[] }, who = owner) =>
      operations.setupSqsForwarding(callOf(who, { deviceId, parameters }));
    const forwarders = () => store.query.selectFrom('forwarders').selectAll().execute();
    await setUp({ sqsArn: ARN });
    const { id } = (await forwarders())[0]!;
    await wait(store, id);
    assert.deepEqual(await setUp({ sqsArn: ARN, types: ['newMsg'] }), { status: 'ok' });
    assert.deepEqual(
      (await forwarders()).map((one) => [one.id, one.types]),
      [[id, '["newMsg"]']],
    );
    assert.deepEqual(await statesOf(store), ['queued']);
    await setUp({ sqsArn: `${ARN}2`, types: ['newMsg'] });
    assert.deepEqual(await statesOf(store), ['cancelled']);
    const admin = await makeUser(store, 'admin@example.com', true);
    await setUp({ sqsArn: `${ARN}2`, types: ['newLoc'] }, admin);
    assert.deepEqual(
      (await forwarders()).map(({ userId, target }) => [userId, target]),
      [[admin.userId, `${ARN}2`]],
    );
  });

  test('only the owner of a device replaces or ends the queue that another has set up on it', async () => {
    const { store, owner, deviceId, operations } = await setting();
    const manager = await makeUser(store, 'manager@example.com');
    const setUp = (who: Caller, parameters: { sqsArn?: string; types?: string[] }): Promise<Answer> =>
      operations.setupSqsForwarding(callOf(who, { deviceId, right: who === owner ? 'own' : 'manage', parameters }));
    const target = async () => (await store.query.selectFrom('forwarders').select(['userId', 'target']).execute())[0];
    await setUp(owner, { sqsArn: ARN });
    const denied = { statusCode: 403, message: /only they or its owner/ };
    for (const parameters of [
      { sqsArn: `${ARN}2` },
      { sqsArn: ARN, types: ['newMsg'] },
      { sqsArn: ARN },
      { sqsArn: '' },
    ])
      await assert.rejects(setUp(manager, parameters), denied, JSON.stringify(parameters));
    assert.deepEqual({ ...(await target()) }, { userId: owner.userId, target: ARN });
    assert.deepEqual(await setUp(manager, {}), { status: 'ok' }, 'without a queue it returns whether there is one');
    await setUp(owner, { sqsArn: '' });
    assert.deepEqual(await setUp(manager, { sqsArn: `${ARN}2` }), { status: 'ok' });
    await setUp(owner, { sqsArn: ARN });
    assert.deepEqual({ ...(await target()) }, { userId: owner.userId, target: ARN });
  });

  test('a device has at most twenty', async () => {
    const { owner, create } = await setting();
    for (let n = 0; n < 20; n++) await create(owner, { kind: 'http', target: `${HOOK}/${n}` });
    await assert.rejects(create(owner, { kind: 'http', target: HOOK }), {
      statusCode: 422,
      message: /the limit of 20/,
    });
  });

  test('the account that proved a queue holds it until an admin allows another; naming it is not enough', async () => {
    const { store, owner, deviceId, operations, create, get } = await setting();
    const admin = await makeUser(store, 'admin@example.com', true);
    const other = await makeUser(store, 'other@example.com');
    const theirs = await makeDevice(store, other.userId);
    await create(owner, { kind: 'sqs', target: ARN });
    await create(owner, { kind: 'sqs', target: ARN });
    const held = { statusCode: 422, message: /belongs to another account/ };
    await create(other, { kind: 'sqs', target: ARN }, theirs);
    await store.query.updateTable('queueHolders').set({ provenAt: NOW }).execute();
    await assert.rejects(create(other, { kind: 'sqs', target: ARN }, theirs), held);
    const setUp = (who: Caller, on: number) =>
      operations.setupSqsForwarding(callOf(who, { deviceId: on, parameters: { sqsArn: ARN } }));
    await assert.rejects(setUp(other, theirs), held);
    await setUp(admin, theirs);
    const queues = JSON.parse(((await operations.listQueues(callOf(admin, {}))) as Answer).text);
    assert.deepEqual(
      queues.map(({ arn, userId }: Answer) => [arn, userId]),
      [[ARN, owner.userId]],
    );
    const allow = (body: Json) => operations.updateQueue(callOf(admin, { key: queues[0].id, body, sent: body }));
    await assert.rejects(allow({ allowed: [900_000] }) as Promise<Answer>, { statusCode: 422 });
    await allow({ allowed: [other.userId] });
    const { id } = await create(other, { kind: 'sqs', target: ARN }, theirs);
    const waiting = ({ userId }: Caller): Posting => ({
      kind: 'sqs',
      target: ARN,
      ownerId: userId,
      userId,
      deviceId: theirs,
      address: null,
      what: 'notification',
      content: { text: 'waits', type: 'text/plain' },
    });
    await store.transaction((tx) => post(tx, [waiting(owner), waiting(other), waiting(admin)], NOW));
    await allow({ allowed: [] });
    const states = await store.query.selectFrom('outbox').select('state').orderBy('id').execute();
    assert.deepEqual(
      states.map(({ state }) => state),
      ['queued', 'cancelled', 'queued'],
      'what waits of theirs is not sent any more',
    );
    const row = await store.query.selectFrom('forwarders').select('active').where('id', '=', id).executeTakeFirst();
    assert.equal(row!.active, 0, 'who may not use it any more is switched off');
    const [kept] = await store.query.selectFrom('forwarders').select('id').where('deviceId', '=', deviceId).execute();
    assert.equal((await get(kept!.id)).active, true);
  });

  test('pending messages for a browser are deleted with its subscription, and with its user', async () => {
    const { store, owner } = await setting();
    const other = await makeUser(store, 'other@example.com');
    const { createPushSubscription, deletePushSubscription } = pushSubscriptionOperations(store, check, testVault);
    const endpoint = 'https://push.example.com/1';
    const subscribe = (who: Caller): Promise<Answer> =>
      createPushSubscription(callOf(who, { body: { endpoint, keys: KEYS } }));
    const waiting = ({ userId }: Caller, state: 'queued' | 'held'): Posting => ({
      kind: 'push',
      target: endpoint,
      ownerId: userId,
      userId,
      deviceId: null,
      address: null,
      what: 'notification',
      content: { text: 'waits', type: 'text/plain' },
      state,
    });
    const deliver = (...postings: Posting[]) => store.transaction((tx) => post(tx, postings, NOW));
    await subscribe(owner);
    await deliver(waiting(owner, 'queued'), waiting(owner, 'held'));
    await subscribe(owner);
    assert.deepEqual(await statesOf(store), ['queued', 'held'], 'it is the same browser of the same user');
    const { id } = await subscribe(other);
    assert.deepEqual(await statesOf(store), ['cancelled', 'cancelled']);
    await deliver(waiting(other, 'queued'), waiting(other, 'held'));
    await deletePushSubscription(callOf(other, { key: id }));
    assert.deepEqual(await statesOf(store), Array(4).fill('cancelled'));
  });

  test('a browser is subscribed once, for any signed-in user; its keys are never shown', async () => {
    const { store, owner } = await setting();
    const other = await makeUser(store, 'other@example.com');
    const { createPushSubscription, listPushSubscriptions, deletePushSubscription } = pushSubscriptionOperations(
      store,
      check,
      testVault,
    );
    const endpoint = 'https://push.example.com/1';
    const subscribe = (who: Caller, body: object): Promise<Answer> => createPushSubscription(callOf(who, { body }));
    const list = async (who: Caller) => JSON.parse(((await listPushSubscriptions(callOf(who, {}))) as Answer).text);
    await subscribe(owner, { endpoint, keys: KEYS, agent: 'Firefox' });
    await subscribe(owner, { endpoint, keys: KEYS, agent: 'Firefox' });
    assert.deepEqual(
      (await list(owner)).map((one: object) => Object.keys(one)),
      [['id', 'endpoint', 'agent', 'created']],
    );
    await subscribe(other, { endpoint, keys: KEYS });
    assert.deepEqual(await list(owner), []);
    for (const wrong of [
      { endpoint: 'http://127.0.0.1/x', keys: KEYS },
      { endpoint, keys: {} },
      { endpoint, keys: { ...KEYS, auth: 'short' } },
      { endpoint, keys: { ...KEYS, p256dh: 'a b' } },
    ])
      await assert.rejects(subscribe(owner, wrong), { statusCode: 422 });
    await store.query.updateTable('destinations').set({ state: 'off' }).execute();
    await forgetGoneBrowsers(store);
    assert.deepEqual(await list(other), []);
    const { id } = await subscribe(other, { endpoint, keys: KEYS });
    await assert.rejects(deletePushSubscription(callOf(owner, { key: id })), { statusCode: 404 });
    await deletePushSubscription(callOf(other, { key: id }));
    assert.deepEqual(await list(other), []);
  });
});
