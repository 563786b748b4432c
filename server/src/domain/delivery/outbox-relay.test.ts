import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { timeNow } from '../../platform/clock.ts';
import { type Posting, post } from '../../platform/outbox/post.ts';
import { citusDialect } from '../../platform/storage/dialect.ts';
import { relayAll, startRelay } from '../../platform/storage/relay.ts';
import { StoreTrouble } from '../../platform/storage/trouble.ts';
import { onPostgres } from '../../testing/databases.ts';
import { eventually } from '../../testing/eventually.ts';
import { makeDevice, makeUser, NOW } from '../../testing/people.ts';
import { citusUrl } from '../../testing/storage/citus-places.ts';
import { watchfulLog } from '../../testing/watchful-log.ts';
import { deleteDevice } from '../schema/dependants.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { postOfDevices, STAGED_POSTINGS } from './outbox-relay.ts';
import { send } from './send.ts';
import { DEFAULT_POLICY } from './sending-policy.ts';

// Statements must name their device, or they would be sent to all servers.
process.env.TRACKWAY_STRICT_DEVICES = '1';

const NEVER_MS = 3_600_000;

/** On one server nothing is staged by itself: here the store says that its rows are spread. */
onPostgres<Tables>('what is staged', { migrations: MIGRATIONS }, (open) => {
  async function setting() {
    const opened = await open();
    const dialect = citusDialect(opened.dialect.shardOf ?? (() => 0));
    Object.assign(opened.query.getExecutor().adapter, { dialect });
    const store: Store = { ...opened, dialect };
    const owner = await makeUser(store, 'owner@example.com');
    const deviceId = await makeDevice(store, owner.userId, { name: 'Van 3' });
    const postingOf = (text: string, more: Partial<Posting> = {}): Posting => ({
      kind: 'http',
      target: 'https://example.com/hook',
      ownerId: owner.userId,
      userId: owner.userId,
      deviceId,
      address: null,
      what: 'newLoc',
      content: { text, type: 'text/plain' },
      ...more,
    });
    const logged: string[] = [];
    const noting = (_: object, sentence: string) => logged.push(sentence);
    return {
      store,
      owner,
      deviceId,
      postingOf,
      logged,
      stage: (...postings: Posting[]) => store.transaction((tx) => postOfDevices(tx, postings, NOW)),
      relay: (on = store, now = NOW + 1) =>
        relayAll(on, STAGED_POSTINGS, { log: { warn: noting, error: noting } as never, clock: () => now }),
      staged: async () =>
        (await store.query.selectFrom('outboxRelay').select('id').where('created', '<=', NOW).execute()).length,
      posted: () => store.query.selectFrom('outbox').selectAll().orderBy('id').execute(),
      async texts(of = deviceId) {
        const rows = await store.query
          .selectFrom('outbox')
          .select('content')
          .where('deviceId', '=', of)
          .orderBy('id')
          .execute();
        return rows.map(({ content }) => (JSON.parse(content) as { text: string }).text);
      },
    };
  }

  test('is posted as it was when it was caused', async () => {
    const { store, stage, relay, posted, staged, postingOf } = await setting();
    const content = (messageId: string) => ({ text: `I am ${messageId}`, type: 'text/plain' });
    await stage(postingOf('', { content, notificationId: 7, address: 'topic' }));
    assert.deepEqual([await staged(), (await posted()).length], [1, 0]);
    await relay();
    const [row, ...others] = await posted();
    assert.deepEqual([others.length, await staged()], [0, 0]);
    assert.equal(JSON.parse(row!.content).text, `I am ${row!.messageId}`);
    const { created, nextAt, state, notificationId, address } = row!;
    assert.deepEqual([created, nextAt, state, notificationId, address], [NOW, NOW, 'queued', 7, 'topic']);
    await store.transaction((tx) => post(tx, [postingOf('at once')], NOW + 5));
    assert.equal((await posted())[1]!.created, NOW + 5);
  });

  test('is posted only by the transaction that removes it', {
    skip: citusUrl() && 'Citus has no triggers',
  }, async () => {
    const { store, stage, relay, posted, postingOf } = await setting();
    await stage(postingOf('first'), postingOf('second'));
    // As if another transaction had removed the first one since it was read.
    await sql`CREATE FUNCTION keep_first() RETURNS TRIGGER LANGUAGE plpgsql AS 'BEGIN
      IF OLD."posting" LIKE ''%first%'' THEN RETURN NULL; END IF; RETURN OLD; END'`.execute(store.query);
    await sql`CREATE TRIGGER keep_first BEFORE DELETE ON "outboxRelay" FOR EACH ROW EXECUTE FUNCTION keep_first()`.execute(
      store.query,
    );
    await relay();
    assert.deepEqual(
      (await posted()).map(({ content }) => JSON.parse(content).text),
      ['second'],
    );
  });

  test('is in the outbox once and in order, also if several relays move it and stop in between', async () => {
    const { store, owner, deviceId, stage, postingOf, staged, texts } = await setting();
    const other = await makeDevice(store, owner.userId);
    const count = 700;
    const wanted: string[] = [];
    for (let n = 0; n < count; n++) wanted.push(`${n}`);
    for (let start = 0; start < count; start += 100)
      await stage(
        ...wanted
          .slice(start, start + 100)
          .flatMap((text) => [deviceId, other].map((of) => postingOf(text, { deviceId: of }))),
      );
    let woken = 0;
    const moved = () => {
      woken++;
    };
    const quiet = { log: watchfulLog, clock: timeNow, moved, everyMs: NEVER_MS };
    const stopping = startRelay(store, STAGED_POSTINGS, quiet);
    stopping.wake([deviceId, other]);
    await stopping.stop();
    // Two at a time, as where two nodes believe that a device is theirs; one of them looks by itself.
    const [looking, waiting] = [
      startRelay(store, STAGED_POSTINGS, { ...quiet, everyMs: 20 }),
      startRelay(store, STAGED_POSTINGS, quiet),
    ];
    waiting.wake([deviceId, other]);
    await eventually('nothing is staged any more', staged, (left) => left === 0);
    await Promise.all([looking.stop(), waiting.stop()]);
    assert.deepEqual([await texts(deviceId), await texts(other)], [wanted, wanted]);
    assert.ok(woken > 0);
  });

  test('stays as it was where the store fails before the commit', async () => {
    const { store, stage, relay, staged, texts, postingOf } = await setting();
    await stage(postingOf('1'), postingOf('2'));
    const failing: Store = {
      ...store,
      transaction: (work) =>
        store.transaction(async (tx) => {
          await work(tx);
          throw new StoreTrouble('unavailable', new Error('The connection is lost.'));
        }),
    };
    await assert.rejects(relay(failing), StoreTrouble);
    assert.deepEqual([await staged(), await texts()], [2, []]);
    await relay();
    assert.deepEqual([await staged(), await texts()], [0, ['1', '2']]);
  });

  test('is dropped where its user or a device is gone, and what can not be posted holds up nothing', async () => {
    const { store, owner, deviceId, stage, relay, staged, texts, postingOf, logged } = await setting();
    const gone = await makeDevice(store, owner.userId);
    await stage(
      postingOf('1'),
      postingOf('of nobody', { userId: 999_999, ownerId: 999_999 }),
      postingOf('of a device that is gone', { deviceId: 999_999 }),
      postingOf('about another that is gone', { otherDeviceId: 999_999 }),
      postingOf('deleted with its device', { deviceId: gone }),
      postingOf('2'),
    );
    await store.transaction((tx) => deleteDevice(tx, gone));
    assert.equal(await staged(), 4, 'what is about a device that is gone was not staged');
    await relay();
    assert.deepEqual([await staged(), await texts()], [0, ['1', '2']]);
    assert.deepEqual(logged, ['Staged rows of deleted users or devices were dropped']);

    await stage(postingOf('3'), postingOf('nowhere', { target: null }), postingOf('4'));
    await store.query
      .insertInto('outboxRelay')
      .values({ deviceId, userId: owner.userId, posting: 'no JSON', created: NOW })
      .execute();
    await stage(postingOf('5'));
    await relay();
    assert.deepEqual([await staged(), await texts()], [0, ['1', '2', '3', '4', '5']]);
    assert.equal(logged.filter((sentence) => sentence.includes('cannot be written')).length, 2);
  });

  test('is not sent if it was cancelled meanwhile', async () => {
    const { store, owner, deviceId, stage, relay, posted, postingOf } = await setting();
    const push = { kind: 'push', target: 'https://push.example.com/1', address: '{}', what: 'notification' };
    const mail = { kind: 'email', target: 'smtp', ownerId: null, address: 'Other@example.com', what: 'notification' };
    await stage(
      postingOf('forwarded', { forwarderId: 999_999 }),
      postingOf('to a browser', { ...push, notificationId: 1 }),
      postingOf('by mail', { ...mail, notificationId: 1 }),
    );
    await store.query.insertInto('mailRefusals').values({ address: 'other@example.com', created: NOW }).execute();
    await relay();
    assert.deepEqual(
      (await posted()).map(({ state, reason }) => [state, reason]),
      [
        ['suppressed', 'The forwarder was removed'],
        ['suppressed', 'The browser was unsubscribed'],
        ['suppressed', 'other@example.com has declined e-mail from this server'],
      ],
    );

    const subscribed = { userId: owner.userId, endpoint: push.target, keys: '"sealed anew"', agent: null };
    await store.query
      .insertInto('pushSubscriptions')
      .values({ ...subscribed, created: NOW })
      .execute();
    const forwarder = { deviceId, userId: owner.userId, kind: 'http', target: 'https://example.com/hook' } as const;
    const { id: forwarderId } = await store.query
      .insertInto('forwarders')
      .values({ ...forwarder, types: '["newLoc"]', status: '', origin: 'api', created: NOW, destinationId: null })
      .returning('id')
      .executeTakeFirstOrThrow();
    await stage(postingOf('forwarded', { forwarderId }), postingOf('to a browser', { ...push, notificationId: 1 }));
    await relay();
    const [forwarded, shown] = (await posted()).slice(3);
    assert.deepEqual([forwarded!.state, shown!.state], ['queued', 'queued']);
    assert.deepEqual(JSON.parse(shown!.address!), { endpoint: push.target, keys: 'sealed anew' });
  });

  test('counts together where many notifications come at once', async () => {
    const { stage, relay, posted, postingOf } = await setting();
    const mail = { kind: 'email', target: 'smtp', ownerId: null, address: 'owner@example.com', what: 'notification' };
    for (let n = 1; n <= 12; n++) await stage(postingOf(`${n}`, { ...mail, notificationId: n }));
    await relay();
    const states = (await posted()).map(({ state }) => state);
    assert.deepEqual(states, [...Array(10).fill('queued'), 'held', 'held']);
  });

  test('is cancelled with a notification that is retracted', async () => {
    const { store, owner, deviceId, relay, posted, staged } = await setting();
    const { id: triggerId } = await store.query
      .insertInto('notificationTriggers')
      .values({
        ...{ deviceId, userId: owner.userId, type: 'button', name: 'SOS', muteFor: 0, lastTriggered: null },
        ...{ parameters: '{"endpoint":"https://example.com/hook"}', delivery: '{"http":true}' },
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const notification = {
      ...{ created: NOW, timestamp: NOW, decidedAt: NOW, explanation: '{}', deviceId, userId: owner.userId },
      ...{ triggerId, triggerVersion: 1, zoneId: null, kind: 'each', pointId: null, readingId: null, messageId: null },
      ...{ reason: null, late: 0, isForPeople: 1, isOrdered: 1, unread: 1, acknowledgedAt: null, acknowledgedBy: null },
      ...{ note: null, escalatedAt: null, severity: 'info' as const, status: 'valid' as const },
      params: JSON.stringify({ type: 'button', name: 'SOS', zones: [], message: 'Van 3', meta: {} }),
    };
    const { id } = await store.query
      .insertInto('notifications')
      .values(notification)
      .returning('id')
      .executeTakeFirstOrThrow();
    const happened = { deviceId, forwarders: [], notifications: [{ id, ...notification }] };
    await store.transaction((tx) => send(tx, DEFAULT_POLICY, [happened], NOW));
    assert.equal(await staged(), 1);
    const retracted = [{ id, status: 'valid', reason: 'it never happened' }];
    await store.transaction((tx) => send(tx, DEFAULT_POLICY, [{ deviceId, forwarders: [], retracted }], NOW + 1));
    await relay();
    assert.deepEqual(
      (await posted()).map(({ state, reason }) => [state, reason]),
      [['cancelled', 'Retracted: later data shows that it did not happen']],
    );
  });
});
