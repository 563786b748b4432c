import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Content } from '../../platform/outbox/channel.ts';
import { onEitherEngine } from '../../testing/databases.ts';
import { callOf, makeDevice, makeUser, NOW } from '../../testing/people.ts';
import { relayStaged } from '../../testing/relay-staged.ts';
import { testVault } from '../../testing/vault.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { accountOperations } from '../users/accounts.ts';
import { reconsiderHeld, sendDigests } from './digests.ts';
import { pushSubscriptionOperations } from './push-subscriptions.ts';
import { send } from './send.ts';
import { DEFAULT_POLICY } from './sending-policy.ts';

const MINUTE = 60_000;
const HOUR = 3_600_000;
const NIGHT = { from: '22:00', to: '07:00' };
/** NOW is noon in UTC; ten hours later it is 22:00. */
const EVENING = NOW + 10 * HOUR;
const MORNING = NOW + 19 * HOUR;
const KEYS = { p256dh: Buffer.alloc(65, 4).toString('base64url'), auth: Buffer.alloc(16, 1).toString('base64url') };

onEitherEngine<Tables>('digests', { migrations: MIGRATIONS }, (open) => {
  async function setting(
    profile: object = {},
    trigger = { delivery: { email: true, push: true, mqtt: true }, parameters: {} },
  ) {
    const store: Store = await open();
    const owner = await makeUser(store, 'owner@example.com');
    const deviceId = await makeDevice(store, owner.userId, { name: 'Van 3' });
    const accounts = accountOperations(store, { hoursChanged: reconsiderHeld });
    const setHours = (body: object, now = NOW) =>
      accounts.updateUser(callOf(owner, { userId: owner.userId, body, now }));
    await setHours(profile);
    const { id: triggerId } = await store.query
      .insertInto('notificationTriggers')
      .values({
        name: 'watch',
        type: 'newLoc',
        muteFor: 0,
        lastTriggered: null,
        parameters: JSON.stringify(trigger.parameters),
        delivery: JSON.stringify(trigger.delivery),
        deviceId,
        userId: owner.userId,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    /** A notification recorded at a time. */
    async function happen(now: number, message = 'Van 3 did something', type = 'newLoc'): Promise<number> {
      const row = {
        created: now,
        timestamp: now,
        decidedAt: now,
        params: JSON.stringify({ type, name: 'watch', zones: [], message, meta: {} }),
        explanation: '{}',
        deviceId,
        userId: owner.userId,
        triggerId,
        triggerVersion: 1,
        zoneId: null,
        kind: 'each',
        pointId: null,
        readingId: null,
        messageId: null,
        status: 'valid' as const,
        reason: null,
        late: 0,
        isForPeople: 1,
        isOrdered: 1,
        severity: 'info' as const,
        unread: 1,
        acknowledgedAt: null,
        acknowledgedBy: null,
        note: null,
        escalatedAt: null,
      };
      const notificationId = await store.transaction(async (tx) => {
        const { id } = await tx.insertInto('notifications').values(row).returning('id').executeTakeFirstOrThrow();
        const outgoing = { deviceId, forwarders: [], notifications: [{ id, ...row }] };
        await send(tx, DEFAULT_POLICY, [outgoing], now);
        return id;
      });
      await relayStaged(store);
      return notificationId;
    }
    const rows = (channel = 'email') =>
      store.query
        .selectFrom('outbox')
        .selectAll()
        .where('channel', '=', channel as 'email')
        .orderBy('id')
        .execute();
    return {
      store,
      owner,
      happen,
      rows,
      setHours,
      states: async (channel?: string) => (await rows(channel)).map(({ what, state }) => `${what} ${state}`),
      digest: (now: number) => sendDigests(store, DEFAULT_POLICY, now),
      subscribe: (endpoint: string) =>
        pushSubscriptionOperations(store, () => undefined, testVault).createPushSubscription(
          callOf(owner, { body: { endpoint, keys: KEYS } }),
        ),
    };
  }

  test('at night people get nothing, and one digest in the morning; machines are notified at once', async () => {
    const { happen, rows, states, digest } = await setting({ quietHours: NIGHT, timeZone: 'UTC' });
    await happen(EVENING - 1, 'Before');
    for (const n of [1, 2, 3]) await happen(EVENING + n * HOUR, `At night ${n}`);
    assert.deepEqual(await states(), [
      'notification queued',
      'notification held',
      'notification held',
      'notification held',
    ]);
    assert.match((await rows())[1]!.reason!, /^Quiet hours: will be sent with the others at .*07:00 \(UTC\)/);
    assert.deepEqual(await states('mqtt'), Array(4).fill('notification queued'));
    assert.equal(await digest(MORNING - 1), false);
    assert.equal(await digest(MORNING), true);
    assert.equal(await digest(MORNING), false, 'once');
    const all = await rows();
    assert.deepEqual(
      all.map(({ what, state }) => `${what} ${state}`),
      [
        'notification queued',
        'notification suppressed',
        'notification suppressed',
        'notification suppressed',
        'digest queued',
      ],
    );
    assert.deepEqual(
      all.slice(1, 4).map(({ digestId }) => digestId),
      Array(3).fill(all[4]!.id),
    );
    const { subject, text } = JSON.parse(all[4]!.content) as Content;
    assert.equal(subject, '3 notifications');
    assert.deepEqual(text.match(/At night \d/g), ['At night 1', 'At night 2', 'At night 3']);
    assert.equal(all[4]!.address, 'owner@example.com');
  });

  test('a chat gets the same peace as a mailbox', async () => {
    const trigger = { delivery: { telegram: true }, parameters: { telegramChat: -1001234 } };
    const { store, owner, happen, rows, states, digest } = await setting({ quietHours: NIGHT }, trigger as never);
    await happen(NOW);
    for (const n of [1, 2]) await happen(EVENING + n * HOUR, `At night ${n}`);
    await digest(MORNING);
    assert.deepEqual(await states('telegram'), [
      'notification queued',
      'notification suppressed',
      'notification suppressed',
      'digest queued',
    ]);
    const [first, , , last] = await rows('telegram');
    assert.match((JSON.parse(first!.content) as Content).text, /^Van 3 did something\.\n\nDevice: Van 3\n/);
    assert.deepEqual((JSON.parse(last!.content) as Content).text.match(/At night \d/g), ['At night 1', 'At night 2']);
    const [chat, ...others] = await store.query.selectFrom('destinations').selectAll().execute();
    assert.deepEqual(
      [chat!.kind, chat!.target, chat!.userId, others.length],
      ['telegram', '-1001234', owner.userId, 0],
    );
    for (let n = 0; n < 12; n++) await happen(MORNING + HOUR);
    assert.deepEqual((await states('telegram')).slice(-2), ['notification held', 'notification held']);
  });

  test('a button wakes people up', async () => {
    const { happen, states } = await setting({ quietHours: NIGHT });
    for (const type of ['button', 'acc', 'alertMode']) await happen(EVENING + HOUR, 'Help', type);
    assert.deepEqual(await states(), Array(3).fill('notification queued'));
  });

  test('a burst of buttons at night waits for the end of the minute, not of the night', async () => {
    const { happen, rows, states, digest } = await setting({ quietHours: NIGHT });
    const night = EVENING + HOUR;
    await happen(night, 'Nothing much');
    for (let n = 0; n < 12; n++) await happen(night + 1, `Help ${n}`, 'button');
    assert.equal(await digest(night + MINUTE), true);
    const { text } = JSON.parse((await rows()).at(-1)!.content) as Content;
    assert.deepEqual(text.match(/Help \d+/g), ['Help 10', 'Help 11']);
    await digest(MORNING);
    assert.deepEqual(await states(), [
      'notification queued',
      ...Array(10).fill('notification queued'),
      ...Array(2).fill('notification suppressed'),
      'digest queued',
    ]);
  });

  test('a burst that ends in quiet hours waits for their end, but for what is urgent', async () => {
    const { happen, states, digest, setHours } = await setting();
    for (let n = 0; n < 12; n++) await happen(EVENING - MINUTE, `Burst ${n}`);
    await happen(EVENING - MINUTE, 'Help', 'button');
    await setHours({ quietHours: NIGHT }, EVENING - MINUTE);
    assert.equal(await digest(EVENING), true);
    const [plain, urgent] = ['notification held', 'notification queued'];
    assert.deepEqual((await states()).slice(10), [plain, plain, urgent]);
    await digest(MORNING);
    assert.deepEqual((await states()).slice(10), [
      ...Array(2).fill('notification suppressed'),
      urgent,
      'digest queued',
    ]);
  });

  test('one that was held alone goes out as itself', async () => {
    const { happen, states, rows, digest } = await setting({ quietHours: NIGHT });
    await happen(EVENING + HOUR);
    await digest(MORNING);
    assert.deepEqual(await states(), ['notification queued']);
    assert.equal((await rows())[0]!.reason, null);
  });

  test('hours that change are heeded at once', async () => {
    const { happen, states, digest, setHours } = await setting({ quietHours: NIGHT });
    await happen(EVENING + HOUR);
    await happen(EVENING + HOUR);
    await setHours({ quietHours: { from: '21:00', to: '08:00' } }, EVENING + 2 * HOUR);
    assert.equal(await digest(EVENING + 2 * HOUR), false);
    assert.equal(await digest(MORNING), false, 'it is quiet for another hour');
    await setHours({ quietHours: null }, MORNING + MINUTE);
    assert.equal(await digest(MORNING + MINUTE), true);
    assert.deepEqual((await states()).at(-1), 'digest queued');
  });

  test('in a burst ten a minute come singly and the rest as one, for each channel', async () => {
    const { happen, states, digest, subscribe } = await setting();
    await subscribe('https://push.example.com/1');
    await subscribe('https://push.example.com/2');
    for (let n = 0; n < 14; n++) await happen(NOW + 1000 + n, `Burst ${n}`);
    const expected = (each: number) => [
      ...Array(10 * each).fill('notification queued'),
      ...Array(4 * each).fill('notification held'),
    ];
    assert.deepEqual(await states(), expected(1));
    assert.deepEqual(await states('push'), expected(2), 'two browsers count as one person');
    assert.deepEqual(await states('mqtt'), Array(14).fill('notification queued'));
    assert.equal(await digest(NOW + MINUTE - 1), false);
    assert.equal(await digest(NOW + MINUTE), true);
    assert.deepEqual((await states()).slice(10), [...Array(4).fill('notification suppressed'), 'digest queued']);
    assert.deepEqual((await states('push')).slice(-2), ['digest queued', 'digest queued'], 'one for each browser');
    await happen(NOW + 3 * MINUTE);
    assert.equal((await states()).at(-1), 'notification queued', 'the burst is over');
  });

  test('two processes send one digest', async () => {
    const { happen, states, digest } = await setting({ quietHours: NIGHT });
    for (const n of [1, 2, 3]) await happen(EVENING + n * HOUR);
    await Promise.all([digest(MORNING), digest(MORNING), digest(MORNING)]);
    assert.deepEqual(
      (await states()).filter((one) => one.startsWith('digest')),
      ['digest queued'],
    );
  });

  test('a process that dies half-way leaves everything held, and the next one sends it', async () => {
    const { store, happen, states, digest } = await setting({ quietHours: NIGHT });
    for (const n of [1, 2]) await happen(EVENING + n * HOUR);
    const dying: Store = Object.assign(Object.create(store), {
      storeKind: store.dialect.name,
      query: store.query,
      transaction: (work: Parameters<Store['transaction']>[0]) =>
        store.transaction(async (tx) => {
          await work(tx);
          throw new Error('killed');
        }),
    });
    await assert.rejects(sendDigests(dying, DEFAULT_POLICY, MORNING), /killed/);
    assert.deepEqual(await states(), ['notification held', 'notification held']);
    await digest(MORNING);
    assert.deepEqual(await states(), ['notification suppressed', 'notification suppressed', 'digest queued']);
  });

  test('what was cancelled meanwhile is in no digest', async () => {
    const { store, happen, states, rows, digest } = await setting({ quietHours: NIGHT });
    const [first] = [await happen(EVENING + HOUR, 'Wrong'), await happen(EVENING + HOUR), await happen(EVENING + HOUR)];
    await store.query.updateTable('outbox').set({ state: 'cancelled' }).where('notificationId', '=', first!).execute();
    await digest(MORNING);
    assert.deepEqual((await states()).at(-1), 'digest queued');
    assert.ok(!(await rows()).at(-1)!.content.includes('Wrong'));
  });

  test('a browser that is gone is neither notified nor waited for', async () => {
    const { store, happen, states, rows, subscribe } = await setting();
    await subscribe('https://push.example.com/1');
    await store.query.updateTable('destinations').set({ state: 'off' }).where('kind', '=', 'push').execute();
    await happen(NOW);
    assert.deepEqual(await states('push'), ['notification suppressed']);
    await subscribe('https://push.example.com/1');
    await happen(NOW + 1);
    assert.deepEqual(await states('push'), ['notification suppressed', 'notification queued']);
    assert.equal((await rows('push'))[0]!.reason, 'No browser is subscribed to push notifications');
  });
});
