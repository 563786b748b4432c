import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '../../calls.ts';
import { onEitherEngine } from '../../testing/databases.ts';
import { callOf, makeDevice, makeUser } from '../../testing/people.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { UNLIMITED } from '../users/quotas.ts';
import { messageOperations } from './message-operations.ts';
import { transientOperations } from './transients.ts';

onEitherEngine<Tables>('messages that wait for devices', { migrations: MIGRATIONS }, (open) => {
  test('are bounded for each device and each user, for every way of queueing', async () => {
    const store: Store = await open();
    const quotas = { ...UNLIMITED, deviceMessages: 3, messages: 5 };
    const messages = messageOperations(store, undefined, undefined, quotas);
    const { flightMode } = transientOperations(store, quotas);
    const owner = await makeUser(store, 'a@example.com');
    const admin = await makeUser(store, 'admin@example.com', true);
    const [first, second, third] = [
      await makeDevice(store, owner.userId),
      await makeDevice(store, owner.userId),
      await makeDevice(store, owner.userId),
    ] as const;
    const send = (deviceId: number, caller: Caller = owner, more: object = {}) =>
      messages.createMessage(callOf(caller, { deviceId, body: { message: 'hello', mobileTerminated: true, ...more } }));
    const full = (field: string) => ({ statusCode: 422, details: { codes: { [field]: ['quota'] } } });
    const refused = (trying: Promise<unknown>, field: string) =>
      assert.rejects(trying, (error: { statusCode: number; details: object }) => {
        const { context: _, messages: __, ...details } = error.details as { context: string; messages: object };
        assert.deepEqual({ statusCode: error.statusCode, details }, full(field));
        return true;
      });
    // Several at once get no further than one after another.
    const tried = await Promise.allSettled([send(first), send(first), send(first), send(first)]);
    assert.equal(tried.filter(({ status }) => status === 'fulfilled').length, 3);
    await refused(send(first), 'deviceId');
    await refused(send(first, admin), 'deviceId');
    await refused(messages.sendCommand(callOf(owner, { deviceId: first, body: { command: 'reboot' } })), 'deviceId');
    await refused(flightMode(callOf(owner, { deviceId: first, parameters: { duration: 5 } })), 'deviceId');
    await send(first, owner, { mobileTerminated: false });

    for (const deviceId of [second, second]) await send(deviceId);
    await refused(send(third), 'userId');
    await send(third, admin);
    await store.query.updateTable('messages').set({ sent: 1 }).where('deviceId', '=', first).execute();
    await send(third);
    await send(first);
  });
});
