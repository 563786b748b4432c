import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '../../calls.ts';
import { createVault, newKey } from '../../platform/vault.ts';
import { onEitherEngine } from '../../testing/databases.ts';
import { callOf, makeDevice, makeUser, NOW } from '../../testing/people.ts';
import { relayStaged } from '../../testing/relay-staged.ts';
import { deviceAccess } from '../devices/access.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { triggerOperations } from '../triggers/operations.ts';
import { recipientOperations } from './recipients.ts';
import { send } from './send.ts';
import { DEFAULT_POLICY, type SendingPolicy } from './sending-policy.ts';

const DAY_MS = 86_400_000;
const OTHER = 'other@example.com';
const nobody: Caller = { userId: 0, admin: false, tokenId: 0 };
const POLICY: SendingPolicy = {
  ...DEFAULT_POLICY,
  publicUrl: 'https://track.example.com',
  mail: { canAsk: true, toOthersPerDay: 200 },
};

onEitherEngine<Tables>('mail to others', { migrations: MIGRATIONS }, (open) => {
  async function setting(policy = POLICY) {
    const store: Store = await open();
    const owner = await makeUser(store, 'owner@example.com');
    const deviceId = await makeDevice(store, owner.userId, { name: 'Van 3' });
    async function watch(email: string | undefined, who = owner, device = deviceId): Promise<() => Promise<void>> {
      const triggers = triggerOperations(store, deviceAccess(store), () => undefined, policy);
      const body = { type: 'button', muteFor: 0, parameters: { email }, delivery: { email: true } };
      const trigger = await triggers.createNotificationTrigger(callOf(who, { deviceId: device, body }));
      const { id: triggerId } = trigger as { id: number };
      return () => fire(triggerId, who.userId, device);
    }
    let now = NOW;
    async function fire(triggerId: number, userId: number, device: number): Promise<void> {
      const row = {
        created: now,
        timestamp: now,
        decidedAt: now,
        params: JSON.stringify({ type: 'button', name: 'SOS', zones: [], message: 'Van 3 says hello', meta: {} }),
        explanation: '{}',
        deviceId: device,
        userId,
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
      await store.transaction(async (tx) => {
        const { id } = await tx.insertInto('notifications').values(row).returning('id').executeTakeFirstOrThrow();
        const outgoing = { deviceId: device, forwarders: [], notifications: [{ id, ...row }] };
        await send(tx, policy, [outgoing], now);
      });
      await relayStaged(store);
    }
    const rows = async (what: 'notification' | 'account') =>
      store.query.selectFrom('outbox').selectAll().where('what', '=', what).orderBy('id').execute();
    const states = async () => (await rows('notification')).map(({ state, address }) => `${state} ${address}`);
    const tokenTo = async (address: string) =>
      /\/mail#(\w{43})/.exec((await rows('account')).findLast((row) => row.address === address)!.content)![1]!;
    const answer = async (allow: boolean, address = OTHER) =>
      recipientOperations(store, createVault([newKey()])).answerMailRequest(
        callOf(nobody, { body: { token: await tokenTo(address), allow }, now }),
      );
    const wait = (ms: number) => {
      now += ms;
    };
    return { store, owner, deviceId, watch, rows, states, answer, wait, tokenTo };
  }

  test('is sent only after the reader has agreed, who is asked once a day', async () => {
    const { watch, rows, states, answer, wait } = await setting();
    const fire = await watch('Other@Example.com');
    assert.equal((await rows('account')).length, 1, 'asked when the trigger is made');
    await fire();
    await fire();
    assert.deepEqual(await states(), ['suppressed null', 'suppressed null']);
    assert.match((await rows('notification'))[0]!.reason!, /other@example\.com has not agreed to receive e-mail yet/);
    assert.equal((await rows('account')).length, 1);
    wait(DAY_MS + 1);
    await fire();
    assert.equal((await rows('account')).length, 2, 'and again the next day');
    await answer(true);
    await fire();
    assert.deepEqual((await states()).at(-1), 'queued Other@Example.com');
  });

  test('the own address of a user needs no agreement, unless it is unconfirmed', async () => {
    const { store, owner, watch, rows, states } = await setting();
    const fire = [await watch(undefined), await watch('OWNER@example.com')];
    for (const one of fire) await one();
    assert.deepEqual(await states(), ['queued owner@example.com', 'queued OWNER@example.com']);
    assert.deepEqual(await rows('account'), []);
    await store.query.updateTable('users').set({ emailConfirmedAt: null }).where('id', '=', owner.userId).execute();
    await fire[0]!();
    assert.equal((await states()).at(-1), 'suppressed null');
  });

  test('agreeing is for one user alone', async () => {
    const { store, watch, states, answer } = await setting();
    await watch(OTHER);
    await answer(true);
    const stranger = await makeUser(store, 'stranger@example.com');
    const fire = await watch(OTHER, stranger, await makeDevice(store, stranger.userId));
    await fire();
    assert.deepEqual(await states(), ['suppressed null']);
  });

  test('an address that refused is never mailed again, by any user, until it agrees', async () => {
    const { store, watch, rows, states, answer, wait } = await setting();
    const fire = await watch(OTHER);
    await answer(true);
    await fire();
    assert.deepEqual(await states(), [`queued ${OTHER}`]);
    assert.deepEqual(await answer(false), { email: OTHER, allow: false }, 'by the same link');
    assert.deepEqual(await states(), [`cancelled ${OTHER}`], 'what waits goes nowhere');
    wait(3 * DAY_MS);
    await fire();
    assert.match((await rows('notification')).at(-1)!.reason!, /has declined e-mail/);
    const stranger = await makeUser(store, 'stranger@example.com');
    await (await watch(OTHER, stranger, await makeDevice(store, stranger.userId)))();
    assert.equal((await rows('account')).length, 1, 'no second request');
    await answer(true);
    await fire();
    assert.equal((await states()).at(-1), `queued ${OTHER}`);
  });

  test('a user can ask a few a day, and mails others within a limit', async () => {
    const { watch, rows, states, answer, wait } = await setting({
      ...POLICY,
      mail: { canAsk: true, toOthersPerDay: 2 },
    });
    const fire = await watch(OTHER);
    for (let n = 0; n < 40; n++) await watch(`n${n}@example.com`);
    assert.equal((await rows('account')).length, 20);
    await answer(true);
    for (let n = 0; n < 3; n++) await fire();
    assert.deepEqual(await states(), [`queued ${OTHER}`, `queued ${OTHER}`, 'suppressed null']);
    assert.match((await rows('notification')).at(-1)!.reason!, /is reached/);
    wait(DAY_MS + 1);
    await fire();
    assert.equal((await states()).at(-1), `queued ${OTHER}`);
  });

  test('the mail that asks holds nothing that the user wrote', async () => {
    const { store, deviceId, watch, rows } = await setting();
    await store.query.updateTable('devices').set({ name: 'https://evil.example' }).where('id', '=', deviceId).execute();
    await watch(OTHER);
    const { content, address } = (await rows('account'))[0]!;
    assert.equal(address, OTHER);
    assert.doesNotMatch(content, /evil/);
    const { text } = JSON.parse(content) as { text: string };
    assert.equal(text.match(/https?:/g)!.length, 1, 'one link, which is ours');
  });

  test('where no mail can ask, nothing goes out, and the record says what to set up', async () => {
    const { watch, rows, states } = await setting(DEFAULT_POLICY);
    await (await watch(OTHER))();
    assert.deepEqual(await states(), ['suppressed null']);
    assert.match((await rows('notification'))[0]!.reason!, /set up e-mail and TRACKWAY_PUBLIC_URL/);
    assert.deepEqual(await rows('account'), []);
  });
});
