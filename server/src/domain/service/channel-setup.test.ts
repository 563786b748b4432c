import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createVault, newKey } from '../../platform/vault.ts';
import { onEitherEngine } from '../../testing/databases.ts';
import { callOf, makeUser } from '../../testing/people.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { channelSetupOperations, channelValues, enteredSetting } from './channel-setup.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at as clients see them.
type Answer = any;

onEitherEngine<Tables>('channels that admins set up', { migrations: MIGRATIONS }, (open) => {
  test('values are encrypted, secrets are not returned, and other nodes follow', async () => {
    const store: Store = await open();
    const admin = await makeUser(store, 'admin@example.com');
    const vault = createVault([newKey()]);
    const [values, elsewhere] = [channelValues(store, vault), channelValues(store, vault)];
    const sent: unknown[] = [];
    const operations = channelSetupOperations(store, {
      vault,
      values,
      isFixed: (setting) => setting === 'telegramToken',
      missing: () => null,
      checkHost: async (host) => (host === '10.0.0.1' ? 'is inside the network' : undefined),
      async sendTest(...test) {
        sent.push(test);
        return sent.length === 1 ? { kind: 'sent' } : { kind: 'down', reason: 'The mail server cannot be reached.' };
      },
      changed() {},
    });
    const setUp = (channel: string, entered: object): Promise<Answer> =>
      operations.setUpChannel(callOf(admin, { body: { channel, values: entered } } as never) as never) as never;
    const smtp = { smtpServer: 'smtp://mail.example.com:587', smtpUser: 'me@x', smtpPassword: 'very secret' };
    const [{ fields }] = await setUp('email', smtp);
    assert.deepEqual(
      fields.map(({ value, isSet }: Answer) => [value, isSet]),
      [
        ['smtp://mail.example.com:587', true],
        ['me@x', true],
        [null, true],
        [null, false],
      ],
    );
    const stored = JSON.stringify(await store.query.selectFrom('settings').selectAll().execute());
    assert.doesNotMatch(stored, /very secret|mail\.example/);
    assert.deepEqual(elsewhere.current(), {});
    await elsewhere.follow();
    assert.equal(enteredSetting(elsewhere.current(), 'smtpUrl'), 'smtp://me%40x:very%20secret@mail.example.com:587');
    await setUp('email', { smtpUser: null });
    assert.equal(enteredSetting(values.current(), 'smtpUrl'), 'smtp://mail.example.com:587');
    const telegram = ((await operations.listChannels(callOf(admin) as never)) as Answer)[1].fields[0];
    assert.deepEqual(telegram, {
      ...{ name: 'telegramToken', value: null, isSet: true },
      fixedBy: 'TRACKWAY_TELEGRAM_TOKEN',
    });
    for (const [channel, wrong] of [
      ['telegram', { telegramToken: '1:abc' }],
      ['email', { smtpServer: 'smtp://10.0.0.1' }],
      ['email', { smtpServer: 'smtp://user:pw@mail.example.com' }],
      ['email', { smtpServer: 'http://mail.example.com' }],
      ['email', { smtpFrom: 'a\r\nBcc: b@example.com' }],
      ['email', { constructor: 'x' }],
    ] as const)
      await assert.rejects(setUp(channel, wrong), { statusCode: 422 }, JSON.stringify(wrong));
    const entries = await store.query.selectFrom('auditEntries').selectAll().execute();
    assert.deepEqual(
      entries.map(({ action }) => action),
      ['channel.changed', 'channel.changed'],
    );
    assert.doesNotMatch(JSON.stringify(entries), /very secret/);
    const test = async () =>
      operations.testChannel(callOf(admin, { body: { channel: 'email' } } as never) as never) as Promise<Answer>;
    assert.deepEqual(await test(), { isSent: true, reason: null });
    assert.deepEqual(sent, [['email', '', 'admin@example.com']]);
    assert.deepEqual(await test(), { isSent: false, reason: 'The mail server cannot be reached.' });
  });
});
