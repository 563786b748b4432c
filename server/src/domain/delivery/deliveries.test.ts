import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Selectable } from 'kysely';
import type { JsonText } from '../../calls.ts';
import { openSecrets } from '../../platform/outbox/destinations.ts';
import { PATIENCE_MS, type Posting, post } from '../../platform/outbox/post.ts';
import { onEitherEngine } from '../../testing/databases.ts';
import { callOf, makeUser, NOW } from '../../testing/people.ts';
import { testVault } from '../../testing/vault.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { OutboxRow } from '../schema/rows/sending-rows.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { eraseSentMail } from '../users/mailings.ts';
import { deliveryOperations } from './deliveries.ts';
import { destinationOperations } from './destinations.ts';
import { giveUpGoneBrowsers } from './push-subscriptions.ts';

const HOUR_MS = 3_600_000;

onEitherEngine<Tables>('deliveries', { migrations: MIGRATIONS }, (open) => {
  async function setting() {
    const store: Store = await open();
    const user = await makeUser(store, 'user@example.com');
    const other = await makeUser(store, 'other@example.com');
    const admin = await makeUser(store, 'admin@example.com', true);
    const woken = { times: 0 };
    const wake = () => {
      woken.times++;
    };
    const operations = { ...deliveryOperations(store, wake), ...destinationOperations(store, wake, testVault) };
    const posting = (more: Partial<Posting> = {}): Posting => ({
      kind: 'http',
      isSigned: more.kind === undefined,
      target: 'https://example.com/a',
      ownerId: user.userId,
      userId: user.userId,
      deviceId: 1,
      address: null,
      what: 'newLoc',
      content: { text: 'hello', type: 'text/plain' },
      ...more,
    });
    const postAll = (postings: Posting[], now = NOW) => store.transaction((tx) => post(tx, postings, now));
    const become = (id: number, values: Partial<Selectable<OutboxRow>>) =>
      store.query
        .updateTable('outbox')
        .set(values as never)
        .where('id', '=', id)
        .execute();
    const rowOf = (id: number) =>
      store.query.selectFrom('outbox').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    const listed = async (caller = user, filter?: object) => {
      const query = filter ? ([['filter', JSON.stringify(filter)]] as const) : [];
      const answer = await operations.listDeliveries(callOf(caller, { query }));
      return JSON.parse((answer as unknown as JsonText<unknown>).text) as Record<string, unknown>[];
    };
    const destinations = async (caller = user) => {
      const answer = await operations.listDestinations(callOf(caller, {}));
      return JSON.parse((answer as unknown as JsonText<unknown>).text) as Record<string, unknown>[];
    };
    return { store, user, other, admin, woken, operations, posting, postAll, become, rowOf, listed, destinations };
  }

  test('a user sees what was sent for them, with target, status and reason, and nothing of others', async () => {
    const { user, other, posting, postAll, become, listed } = await setting();
    const [a, b, c, d] = await postAll([
      posting(),
      posting({ kind: 'push', target: 'https://push.example.com/x', address: '{"keys":"secret"}' }),
      posting({
        kind: 'email',
        target: 'smtp',
        ownerId: null,
        address: 'me@example.com',
        state: 'held',
        reason: 'night',
      }),
      posting({ kind: 'push', target: null, state: 'suppressed', reason: 'no browser is subscribed' }),
    ]);
    await postAll([posting({ userId: other.userId, ownerId: other.userId })]);
    const attemptLog = [{ at: new Date(NOW).toISOString(), reason: 'answered 400', refused: true }];
    await become(a!, { state: 'dead', reason: 'answered 400', attempts: 3, attemptLog: JSON.stringify(attemptLog) });
    const rows = await listed();
    assert.deepEqual(
      rows.map(({ id, channel, target, address, status, reason }) => [id, channel, target, address, status, reason]),
      [
        [a, 'http', 'https://example.com/a', null, 'dead', 'answered 400'],
        [b, 'push', 'https://push.example.com/x', null, 'queued', null],
        [c, 'email', 'smtp', 'me@example.com', 'queued', 'night'],
        [d, 'push', null, null, 'suppressed', 'no browser is subscribed'],
      ],
      'keys of a browser are not shown, what is held waits',
    );
    assert.deepEqual(rows[0]!.attemptLog, attemptLog);
    assert.equal(rows[0]!.created, new Date(NOW).toISOString());
    assert.deepEqual(
      (await listed(user, { where: { status: 'dead' } })).map(({ id }) => id),
      [a],
    );
    assert.equal((await listed(other)).length, 1);
  });

  test('what is dead or was sent can be sent again, with all its tries and days', async () => {
    const { user, operations, posting, postAll, become, rowOf, woken } = await setting();
    const [id] = await postAll([posting()]);
    await become(id!, { state: 'dead', reason: 'answered 400', attempts: 3, ended: NOW });
    const { messageId } = await rowOf(id!);
    const later = NOW + 10 * 24 * HOUR_MS;
    const shown = (await operations.resendDelivery(callOf(user, { key: id!, now: later }))) as { status: string };
    assert.equal(shown.status, 'queued');
    const row = await rowOf(id!);
    assert.deepEqual(
      [row.state, row.attempts, row.ended, row.nextAt, row.expires, row.messageId],
      ['queued', 0, null, later, later + PATIENCE_MS, messageId],
    );
    assert.equal(woken.times, 1);
    await become(id!, { state: 'cancelled' });
    await assert.rejects(operations.resendDelivery(callOf(user, { key: id! })), /is cancelled: only dead/);
  });

  test('a range of time is sent again, of one destination or all, dead or sent', async () => {
    const { user, other, operations, posting, postAll, become } = await setting();
    const ids: number[] = [];
    for (let hour = 0; hour < 4; hour++) {
      ids.push(...(await postAll([posting(), posting({ target: 'https://example.com/b' })], NOW + hour * HOUR_MS)));
    }
    for (const id of ids) await become(id, { state: 'dead', ended: NOW });
    const range = { from: new Date(NOW + HOUR_MS).toISOString(), to: new Date(NOW + 3 * HOUR_MS).toISOString() };
    const resend = async (body: object, caller = user) =>
      ((await operations.resendDeliveries(callOf(caller, { body }))) as { count: number }).count;
    assert.equal(await resend(range, other), 0);
    assert.equal(await resend({ ...range, status: 'sent' }), 0);
    assert.equal(await resend({ ...range, destinationId: 1 }), 2);
    assert.equal(await resend(range), 2, 'the others');
    assert.equal(await resend(range), 0);
    await assert.rejects(resend({ from: range.to, to: range.from }), /must be after from/);
  });

  test('sent mails are not resent in bulk, failed ones are', async () => {
    const { user, operations, posting, postAll, become, rowOf } = await setting();
    const mail = posting({ kind: 'email', target: 'smtp', ownerId: null, address: 'user@example.com' });
    const [sent, dead, hook] = (await postAll([mail, mail, posting()])) as [number, number, number];
    for (const id of [sent, hook]) await become(id, { state: 'sent', ended: NOW });
    await become(dead, { state: 'dead', ended: NOW });
    const range = { from: new Date(NOW).toISOString(), to: new Date(NOW + HOUR_MS).toISOString() };
    const resend = (status: 'sent' | 'dead') =>
      operations.resendDeliveries(callOf(user, { body: { ...range, status } }));
    assert.deepEqual([await resend('sent'), await resend('dead')], [{ count: 1 }, { count: 1 }]);
    const states = [];
    for (const id of [sent, dead, hook]) states.push((await rowOf(id)).state);
    assert.deepEqual(states, ['sent', 'queued', 'queued']);
    await operations.resendDelivery(callOf(user, { key: sent }));
    assert.equal((await rowOf(sent)).state, 'queued', 'singly it is');
  });

  test('mail that other people got, or do not want, is not sent again; nor is mail about an account', async () => {
    const { store, user, operations, posting, postAll, become, rowOf } = await setting();
    const mail = posting({ kind: 'email', target: 'smtp', ownerId: null, address: 'other@example.com' });
    const account = { ...mail, address: 'user@example.com', what: 'account' };
    const [sent, dead, reset] = (await postAll([mail, mail, account])) as [number, number, number];
    await become(sent, { state: 'sent', ended: NOW });
    for (const id of [dead, reset]) await become(id, { state: 'dead', ended: NOW });
    const resend = (key: number) => operations.resendDelivery(callOf(user, { key }));
    await assert.rejects(resend(sent), /cannot be resent/);
    await assert.rejects(resend(dead), /has not agreed/);
    await assert.rejects(resend(reset), /request a new one/);
    const agreed = { userId: user.userId, address: 'other@example.com', confirmed: NOW, created: NOW };
    await store.query.insertInto('mailRecipients').values(agreed).execute();
    await resend(dead);
    assert.equal((await rowOf(dead)).state, 'queued');

    await eraseSentMail(store);
    assert.equal((await rowOf(reset)).content, '{}', 'its link is not kept');
    assert.match((await rowOf(sent)).content, /hello/);
    const range = { from: new Date(NOW).toISOString(), to: new Date(NOW + HOUR_MS).toISOString() };
    await operations.resendDeliveries(callOf(user, { body: { ...range, status: 'dead' } }));
    assert.equal((await rowOf(reset)).state, 'dead');
  });

  test('only queued deliveries can be cancelled', async () => {
    const { user, operations, posting, postAll, become } = await setting();
    const [id] = await postAll([posting()]);
    const shown = (await operations.cancelDelivery(callOf(user, { key: id! }))) as { status: string; reason: string };
    assert.deepEqual([shown.status, shown.reason], ['cancelled', 'Canceled by a user']);
    await become(id!, { state: 'sending', ended: null });
    await assert.rejects(operations.cancelDelivery(callOf(user, { key: id! })), /is sending: only queued/);
  });

  test('a destination shows its state, its pending messages and since when', async () => {
    const { store, user, posting, postAll, become, destinations } = await setting();
    const now = Date.now();
    const [dead] = await postAll([posting(), posting(), posting()], now - 90_000);
    await become(dead!, { state: 'dead', ended: now });
    await store.query
      .updateTable('destinations')
      .set({ state: 'down', lastError: 'no connection', lastErrorAt: NOW, downSince: NOW, nextTryAt: NOW + 5000 })
      .execute();
    const [shown] = await destinations();
    const { lag, ...rest } = shown as { lag: number };
    assert.ok(lag >= 90 && lag < 100, `${lag}`);
    assert.deepEqual(rest, {
      id: 1,
      kind: 'http',
      target: 'https://example.com/a',
      userId: user.userId,
      state: 'down',
      waiting: 2,
      dead: 1,
      lastSuccess: null,
      lastError: 'no connection',
      lastErrorDetails: null,
      lastErrorAt: new Date(NOW).toISOString(),
      downSince: new Date(NOW).toISOString(),
      nextTryAt: new Date(NOW + 5000).toISOString(),
      created: new Date(now - 90_000).toISOString(),
    });
  });

  test('a destination is tried now: with its oldest while something waits, else it is simply on again', async () => {
    const { store, user, operations, posting, postAll, woken } = await setting();
    const [id] = await postAll([posting()]);
    const stopped = { state: 'off', failures: 7, downSince: NOW } as const;
    const reopen = async () =>
      (await operations.reopenDestination(callOf(user, { key: 1, now: NOW + 1 }))) as {
        state: string;
        nextTryAt: string;
      };
    await store.query.updateTable('destinations').set(stopped).execute();
    assert.deepEqual([(await reopen()).state, (await reopen()).nextTryAt], ['down', new Date(NOW + 1).toISOString()]);
    await store.query.deleteFrom('outbox').where('id', '=', id!).execute();
    await store.query.updateTable('destinations').set(stopped).execute();
    assert.equal((await reopen()).state, 'up');
    assert.equal(woken.times, 3);
  });

  test('a webhook gets another secret, the old one is valid for a day; only its user may see it', async () => {
    const { store, user, admin, operations, posting, postAll } = await setting();
    await postAll([posting(), posting({ kind: 'sqs', target: 'arn:aws:sqs:eu-west-1:123456789012:q' })]);
    const secretsOf = async () => {
      const { id, secrets } = await store.query
        .selectFrom('destinations')
        .select(['id', 'secrets'])
        .where('kind', '=', 'http')
        .executeTakeFirstOrThrow();
      assert.ok(!secrets!.includes('whsec_'), 'the database shows none of them');
      return openSecrets(testVault, id, secrets);
    };
    const [{ id: hook }, { id: queue }] = (await store.query
      .selectFrom('destinations')
      .select('id')
      .orderBy('kind')
      .execute()) as [{ id: number }, { id: number }];
    const call = callOf<undefined>(user, { key: hook });
    const { secret: first } = (await operations.getWebhookSecret(call)) as { secret: string };
    const { secret: second } = (await operations.rotateWebhookSecret(call)) as { secret: string };
    assert.notEqual(first, second);
    assert.deepEqual(await secretsOf(), [
      { secret: second, until: null },
      { secret: first, until: NOW + 24 * HOUR_MS },
    ]);
    assert.deepEqual(await operations.getWebhookSecret(call), { secret: second });
    const byAdmin = callOf<undefined>(admin, { userId: user.userId, key: hook });
    await assert.rejects(operations.getWebhookSecret(byAdmin), /Access Denied/);
    await assert.rejects(operations.rotateWebhookSecret(byAdmin), /Access Denied/);
    await assert.rejects(operations.rotateWebhookSecret(callOf(user, { key: queue })), /which is not signed/);
  });

  test('a test is a delivery like any other, in the form of the destination', async () => {
    const { user, operations, posting, postAll, rowOf } = await setting();
    await postAll([posting()]);
    const shown = (await operations.testDelivery(callOf(user, { key: 1 }))) as { id: number; what: string };
    assert.equal(shown.what, 'test');
    const { content, messageId } = await rowOf(shown.id);
    const { text, headers } = JSON.parse(content);
    assert.equal(JSON.parse(text).MessageId, messageId);
    assert.equal(JSON.parse(JSON.parse(text).Message).notification.params.type, 'test');
    assert.equal(headers['x-amz-sns-message-type'], 'Notification');
  });

  test('a queue that belongs to another by now gets nothing more, whatever was sent to it before', async () => {
    const { store, user, other, admin, operations, posting, postAll, become, rowOf } = await setting();
    const [theirs, mine] = ['lost', 'kept'].map((name) => `arn:aws:sqs:eu-west-1:123456789012:${name}`) as [
      string,
      string,
    ];
    const [lost, kept] = (await postAll([
      posting({ kind: 'sqs', target: theirs }),
      posting({ kind: 'sqs', target: mine }),
    ])) as [number, number];
    const holder = {
      arn: theirs,
      userId: other.userId,
      allowed: JSON.stringify([admin.userId]),
      created: NOW,
      provenAt: NOW,
    };
    await store.query.insertInto('queueHolders').values(holder).execute();
    for (const id of [lost, kept]) await become(id, { state: 'dead', ended: NOW });
    const held = { statusCode: 422, message: /belongs to another account/ };
    const { destinationId } = await rowOf(lost);
    await assert.rejects(operations.testDelivery(callOf(user, { key: destinationId! })), held);
    await assert.rejects(operations.resendDelivery(callOf(user, { key: lost })), held);
    const range = { from: new Date(NOW).toISOString(), to: new Date(NOW + HOUR_MS).toISOString() };
    const resent = await operations.resendDeliveries(callOf(user, { body: range }));
    assert.deepEqual(resent, { count: 1 });
    assert.deepEqual([(await rowOf(lost)).state, (await rowOf(kept)).state], ['dead', 'queued']);
    await store.query
      .updateTable('queueHolders')
      .set({ allowed: JSON.stringify([user.userId]) })
      .where('arn', '=', theirs)
      .execute();
    assert.deepEqual(await operations.resendDeliveries(callOf(user, { body: range })), { count: 1 });
    await operations.testDelivery(callOf(user, { key: destinationId! }));
  });

  test('what waits for a browser that is gone is given up, for a webhook that is gone it waits', async () => {
    const { store, posting, postAll, rowOf } = await setting();
    const [hook, push, well] = await postAll([
      posting(),
      posting({ kind: 'push', target: 'https://push.example.com/gone' }),
      posting({ kind: 'push', target: 'https://push.example.com/well' }),
    ]);
    await store.query.updateTable('destinations').set({ state: 'off' }).where('target', 'not like', '%well').execute();
    await giveUpGoneBrowsers(store, NOW);
    const states = [];
    for (const id of [hook, push, well]) states.push((await rowOf(id!)).state);
    assert.deepEqual(states, ['queued', 'dead', 'queued']);
  });
});
