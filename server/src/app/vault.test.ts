import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { deviceKeys } from '../domain/devices/device-keys.ts';
import { MIGRATIONS } from '../domain/schema/migrations.ts';
import { SEALED_PLACES } from '../domain/schema/sealed-places.ts';
import type { Store, Tables } from '../domain/schema/tables.ts';
import { openContent } from '../platform/outbox/channel.ts';
import { openSecrets } from '../platform/outbox/destinations.ts';
import { isSealed, keyFile, newKey, readKeys, type Vault } from '../platform/vault.ts';
import { onEitherEngine } from '../testing/databases.ts';
import { makeDevice, makeUser, NOW } from '../testing/people.ts';
import { discardSecrets, openVault, rotateKey } from './vault.ts';

const DEVICES = 450;
const quiet = { info() {} };
const SECRETS = [{ secret: 'whsec_plain', until: null }];
const KEYS = { p256dh: 'point', auth: 'plain auth' };
const VAPID = JSON.stringify({ publicKey: 'public', privateKey: 'plain private' });

function newFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'trackway-vault-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const MAIL = { type: 'text/plain', text: 'a plain link', subject: 'plain' };

onEitherEngine<Tables>('secrets at rest', { migrations: MIGRATIONS }, (open) => {
  /** A database as an earlier version left it: everything in plain. */
  async function plainStore(): Promise<{ store: Store; device: number; destination: number }> {
    const store: Store = await open();
    const { userId } = await makeUser(store, 'a@example.com');
    const device = await makeDevice(store, userId);
    await store.transaction(async (tx) => {
      await tx.updateTable('devices').set({ secret: 'plain secret' }).where('id', '=', device).execute();
      for (let more = 0; more < DEVICES; more++)
        await tx
          .insertInto('devices')
          .values({ id: 1000 + more, ownerId: userId, firstSeen: NOW, secret: `plain ${more}` } as never)
          .execute();
      await tx.insertInto('settings').values({ name: 'vapidKeys', value: VAPID }).execute();
      const subscription = { userId, endpoint: 'https://push.example.com/1', agent: null, created: NOW };
      await tx
        .insertInto('pushSubscriptions')
        .values({ ...subscription, keys: JSON.stringify(KEYS) })
        .execute();
      const address = JSON.stringify({ endpoint: subscription.endpoint, keys: KEYS });
      const times = { created: NOW, nextAt: NOW, expires: NOW };
      await tx
        .insertInto('outbox')
        .values({
          messageId: 'mail',
          userId,
          channel: 'email',
          address: 'a@example.com',
          what: 'account',
          content: JSON.stringify(MAIL),
          state: 'queued',
          ...times,
        } as never)
        .execute();
      await tx
        .insertInto('outbox')
        .values({
          messageId: 'm',
          userId,
          channel: 'push',
          address,
          what: 'test',
          content: '{}',
          state: 'queued',
          ...times,
        } as never)
        .execute();
    });
    const { id: destination } = await store.query
      .insertInto('destinations')
      .values({
        kind: 'http',
        target: 'https://example.com',
        userId,
        secrets: JSON.stringify(SECRETS),
        created: NOW,
      } as never)
      .returning('id')
      .executeTakeFirstOrThrow();
    return { store, device, destination };
  }

  /** Everything that is stored in the places of secrets, as one text. */
  async function stored(store: Store): Promise<string> {
    const texts: string[] = [];
    for (const { table, column } of SEALED_PLACES) {
      const rows = await store.query
        .selectFrom(table as 'devices')
        .select(column as 'secret')
        .execute();
      texts.push(JSON.stringify(rows));
    }
    return texts.join('\n');
  }

  async function check(store: Store, vault: Vault, device: number, destination: number): Promise<void> {
    assert.equal(await deviceKeys(store, vault).secretOf(device), 'plain secret');
    const { secrets } = await store.query
      .selectFrom('destinations')
      .select('secrets')
      .where('id', '=', destination)
      .executeTakeFirstOrThrow();
    assert.deepEqual(openSecrets(vault, destination, secrets), SECRETS);
    const { value } = await store.query
      .selectFrom('settings')
      .select('value')
      .where('name', '=', 'vapidKeys')
      .executeTakeFirstOrThrow();
    assert.equal(vault.open(value, 'settings:vapidKeys'), VAPID);
    const outbox = store.query.selectFrom('outbox').selectAll();
    const { address } = await outbox.where('channel', '=', 'push').executeTakeFirstOrThrow();
    const { content } = await outbox.where('what', '=', 'account').executeTakeFirstOrThrow();
    assert.deepEqual(openContent(vault, 'mail', JSON.parse(content)), MAIL);
    const { endpoint, keys } = JSON.parse(address!);
    assert.deepEqual(JSON.parse(vault.open(keys, `pushSubscriptions.keys:${endpoint}`)), KEYS);
  }

  test('what an earlier version stored in plain is encrypted at the first start, and read as before', async (t) => {
    const { store, device, destination } = await plainStore();
    const settings = { data: newFolder(t), secret: '' };
    const vault = await openVault(store, settings, quiet);
    assert.ok(!(await stored(store)).includes('plain'));
    await check(store, vault, device, destination);
    const again = await openVault(store, settings, quiet);
    assert.equal(again.keyId, vault.keyId);
    await check(store, again, device, destination);
    if (process.platform !== 'win32') assert.equal(statSync(keyFile(settings.data)).mode & 0o777, 0o600);
  });

  test('a start that ends in between goes on where it was', async (t) => {
    const { store, device, destination } = await plainStore();
    const settings = { data: newFolder(t), secret: '' };
    let transactions = 0;
    const dying: Store = {
      ...store,
      transaction: ((work: never) => {
        if (++transactions > 2) throw new Error('killed');
        return store.transaction(work);
      }) as Store['transaction'],
    };
    await assert.rejects(openVault(dying, settings, quiet), /killed/);
    assert.ok((await stored(store)).includes('plain'), 'only some of it was done');
    const vault = await openVault(store, settings, quiet);
    assert.ok(!(await stored(store)).includes('plain'));
    await check(store, vault, device, destination);
  });

  test('a rotation encrypts everything anew, and one that is interrupted is finished by the next', async (t) => {
    const { store, device, destination } = await plainStore();
    const settings = { data: newFolder(t), secret: '' };
    const before = await openVault(store, settings, quiet);
    let transactions = 0;
    const dying: Store = {
      ...store,
      transaction: ((work: never) => {
        if (++transactions > 2) throw new Error('killed');
        return store.transaction(work);
      }) as Store['transaction'],
    };
    await assert.rejects(rotateKey(dying, settings, newKey()), /killed/);
    assert.equal(readKeys(keyFile(settings.data))!.length, 2, 'both keys are there until it is done');
    assert.ok((await stored(store)).includes(before.keyId));
    await rotateKey(store, settings, newKey());
    assert.equal(readKeys(keyFile(settings.data))!.length, 1);
    const after = await openVault(store, settings, quiet);
    assert.notEqual(after.keyId, before.keyId);
    assert.ok(!(await stored(store)).includes(before.keyId));
    await check(store, after, device, destination);
    await assert.rejects(check(store, before, device, destination), /missing/);
  });

  test('a secret of the settings replaces the key of the file, and an older one in its list', async (t) => {
    const { store, device, destination } = await plainStore();
    const data = newFolder(t);
    await openVault(store, { data, secret: '' }, quiet);
    const [one, two] = ['x'.repeat(32), 'y'.repeat(32)];
    await check(store, await openVault(store, { data, secret: one }, quiet), device, destination);
    const elsewhere = newFolder(t);
    await check(store, await openVault(store, { data: elsewhere, secret: one }, quiet), device, destination);
    await check(
      store,
      await openVault(store, { data: elsewhere, secret: `${two}, ${one}` }, quiet),
      device,
      destination,
    );
    await check(store, await openVault(store, { data: elsewhere, secret: two }, quiet), device, destination);
    await assert.rejects(openVault(store, { data: elsewhere, secret: one }, quiet), /a key that is missing here/);
  });

  test('a lost key is said in a sentence, and makes no new one', async (t) => {
    const { store } = await plainStore();
    const data = newFolder(t);
    await openVault(store, { data, secret: '' }, quiet);
    const file = keyFile(data);
    const kept = readFileSync(file);
    rmSync(file);
    await assert.rejects(openVault(store, { data, secret: '' }, quiet), (error: Error) => {
      assert.match(error.message, /encrypted with a key that is missing here\. Restore the file .*trackway\.key/);
      return true;
    });
    assert.throws(() => statSync(file), 'nobody starts with another key by mistake');
    assert.ok(kept.length > 0);
    assert.equal(await discardSecrets(store, { data, secret: '' }), DEVICES + 6);
    const vault = await openVault(store, { data, secret: '' }, quiet);
    assert.equal(
      await store.query.selectFrom('devices').select('id').where('secret', 'is not', null).executeTakeFirst(),
      undefined,
    );
    assert.ok(isSealed(vault.seal('x', 'y')));
  });
});
