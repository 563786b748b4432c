import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller, JsonText } from '../../calls.ts';
import { onEitherEngine } from '../../testing/databases.ts';
import { callOf, makeDevice, makeUser, NOW, PASSWORD } from '../../testing/people.ts';
import { readMail, testVault } from '../../testing/vault.ts';
import { deliveryOperations } from '../delivery/deliveries.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import type { AccountMailer } from '../users/account-letters.ts';
import { accountOperations } from '../users/accounts.ts';
import type { AddressFollower } from '../users/confirmations.ts';
import { deviceAccess } from './access.ts';
import { claimGrants, claimWaitingGrants, type ShareFollowers } from './grants.ts';
import { deviceOperations } from './operations.ts';
import type { SharePolicy } from './share-mail.ts';
import { shareOperations } from './shares.ts';

const DAY_MS = 86_400_000;
const MAILER: AccountMailer = {
  missing: undefined,
  publicUrl: 'https://track.example.com',
  wake: () => {},
  seal: testVault.seal,
};

onEitherEngine<Tables>('shares', { migrations: MIGRATIONS }, (open) => {
  async function setting(more: Partial<SharePolicy> = {}) {
    const store: Store = await open();
    const owner = await makeUser(store, 'owner@example.com');
    const deviceId = await makeDevice(store, owner.userId, { name: 'Van' });
    const received: string[] = [];
    const followers: ShareFollowers = {
      began: [async (_tx, device, user) => void received.push(`began ${device} ${user}`)],
      ended: [async (_tx, device, user) => void received.push(`ended ${device} ${user}`)],
    };
    const policy = { mailer: MAILER, newAddressesPerDay: 50, isInviting: true, ...more };
    const shares = shareOperations(store, followers, policy);
    const addressConfirmed: AddressFollower = (tx, user, now) => claimGrants(tx, followers, user, now);
    const accounts = accountOperations(store, { addressConfirmed });
    const access = deviceAccess(store);
    const share = (body: object, { caller = owner, device = deviceId, now = NOW } = {}) =>
      shares.createShare(
        callOf(caller, { deviceId: device, body: { rights: 'view', ...body } as never, now }),
      ) as Promise<{ id: number; [field: string]: unknown }>;
    const listed = async (caller = owner, filter?: object) => {
      const query = filter ? ([['filter', JSON.stringify(filter)]] as const) : [];
      const answer = await shares.listShares(callOf(caller, { deviceId, query }));
      return JSON.parse((answer as JsonText<unknown>).text) as Record<string, unknown>[];
    };
    const mails = async () =>
      (
        await store.query.selectFrom('outbox').select(['address', 'what', 'content', 'messageId', 'userId']).execute()
      ).map((mail) => ({ ...mail, text: readMail(mail).text }));
    const admin = () => makeUser(store, 'admin@example.com', true);
    const createUser = async (email: string, by?: Caller) =>
      (await accounts.createUser(callOf(by ?? (await admin()), { body: { email, password: PASSWORD } as never }))) as {
        id: number;
      };
    return {
      store,
      owner,
      deviceId,
      received,
      followers,
      shares,
      accounts,
      access,
      share,
      listed,
      mails,
      admin,
      createUser,
    };
  }
  const caller = (userId: number): Caller => ({ userId, admin: false, tokenId: 0 });

  test('sharing with an address does not reveal whether it has an account', async () => {
    const { store, owner, share, listed, mails, access, deviceId } = await setting();
    const member = await makeUser(store, 'member@example.com');
    const [known, unknown] = [
      await share({ email: 'Member@Example.com', rights: 'manage' }),
      await share({ email: 'nobody@example.com', rights: 'manage' }),
    ];
    const bare = ({ id: _, email: __, ...rest }: Record<string, unknown>) => rest;
    assert.deepEqual(bare(known), bare(unknown));
    assert.deepEqual(Object.keys(known), Object.keys(unknown));
    assert.equal(known.email, 'member@example.com');
    assert.equal(known.userId, null, 'an address reveals no id');
    assert.deepEqual((await listed()).map(bare), [bare(known), bare(unknown)]);
    assert.deepEqual(await listed(owner, { where: { userId: member.userId } }), [], 'nor does a filter');
    assert.equal(await access.rightOn(member, deviceId), 'manage', 'and it works at once');

    const sent = await mails();
    assert.deepEqual(
      sent.map(({ address, what, userId }) => [address, what, userId]),
      [
        ['member@example.com', 'account', owner.userId],
        ['nobody@example.com', 'account', owner.userId],
      ],
      'both are notified by mail',
    );
    const answer = await deliveryOperations(store, () => {}).listDeliveries(callOf(owner, {}));
    const deliveries = JSON.parse((answer as JsonText<unknown>).text) as Record<string, unknown>[];
    const alike = deliveries.map(({ id: _, messageId: __, address: ___, ...rest }) => rest);
    assert.deepEqual(alike[0], alike[1]);
    assert.doesNotMatch(JSON.stringify(deliveries), /invitation#|track\.example/, 'links are in no record');
    assert.match(sent[1]!.text, /track\.example\.com\/invitation#\w{43}/);
    assert.doesNotMatch(sent[0]!.text, /#/, 'a user with an account needs no link to create one');
  });

  test('a second share is refused by what was sent alone', async () => {
    const { store, share, admin } = await setting();
    const member = await makeUser(store, 'member@example.com');
    const boss = await admin();
    await share({ userId: member.userId }, { caller: boss });
    await share({ email: 'member@example.com' });
    await share({ email: 'nobody@example.com' });
    for (const email of ['member@example.com', 'nobody@example.com'])
      await assert.rejects(share({ email }), { statusCode: 422, message: /`email` already has a share/ });
    await assert.rejects(share({ userId: member.userId }, { caller: boss }), { statusCode: 422 });
    for (const email of ['owner@example.com', ' OWNER@example.com'])
      await assert.rejects(share({ email }), { statusCode: 422, message: /already owns/ });
    for (const email of ['no address', 'a@b\r\nBcc: c@d', 'a@b,c@d'])
      await assert.rejects(share({ email }), { statusCode: 422, message: /not an e-mail address/ });
    await assert.rejects(share({}), { statusCode: 422 });
  });

  test('of several shares with one person the highest counts, until the last has ended', async () => {
    const { store, owner, share, shares, access, deviceId, admin, received } = await setting();
    const member = await makeUser(store, 'member@example.com');
    const byId = await share({ userId: member.userId, rights: 'view' }, { caller: await admin() });
    const byMail = await share({ email: 'member@example.com', rights: 'manage' });
    assert.equal(await access.rightOn(member, deviceId), 'manage');
    await shares.deleteShare(callOf(owner, { deviceId, key: byMail.id }));
    assert.equal(await access.rightOn(member, deviceId), 'view');
    const rights = { rights: 'manage' } as const;
    await shares.updateShare(callOf(owner, { deviceId, key: byId.id, body: rights, sent: rights }));
    assert.equal(await access.rightOn(member, deviceId), 'manage');
    await shares.deleteShares(callOf(owner, { deviceId }));
    assert.equal(await access.rightOn(member, deviceId), undefined);
    const [device, user] = [deviceId, member.userId];
    assert.deepEqual(
      received.map((line) => line.replace(`${device} ${user}`, 'it')),
      ['began it', 'began it', 'ended it', 'began it', 'ended it'],
    );
  });

  test('an id that the caller cannot know is like one that does not exist', async () => {
    const { store, owner, deviceId, share, listed, admin } = await setting();
    const member = await makeUser(store, 'member@example.com');
    const refused = async (userId: number) => {
      const error = await share({ userId }).then(
        () => assert.fail(),
        (refusal) => refusal,
      );
      return { ...error, message: error.message.replace(String(userId), 'N') };
    };
    assert.deepEqual(await refused(member.userId), await refused(900_001));
    assert.equal((await refused(member.userId)).statusCode, 404);

    await share({ email: 'member@example.com' });
    const other = await makeDevice(store, owner.userId);
    assert.deepEqual(
      await refused(member.userId),
      await refused(900_001),
      'ids cannot be tried until one fits the address',
    );
    const theirs = await makeDevice(store, member.userId);
    await share({ email: 'owner@example.com' }, { caller: member, device: theirs });
    const shared = await share({ userId: member.userId }, { device: other });
    assert.deepEqual(
      [shared.userId, shared.email],
      [member.userId, null],
      'a user who shares with the caller is known',
    );

    const guest = await makeUser(store, 'guest@example.com');
    await share({ userId: guest.userId }, { caller: await admin() });
    assert.deepEqual(
      (await listed()).map(({ userId, email }) => [userId, email]),
      [
        [null, 'member@example.com'],
        [guest.userId, null],
      ],
      'an id reveals no address',
    );
    const third = await makeDevice(store, owner.userId);
    await share({ userId: guest.userId }, { device: third });
    assert.equal(await deviceAccess(store).rightOn(guest, third), 'view', 'whom one shares with by id is known');
    assert.ok(deviceId);
  });

  test('a share waits for an account with the confirmed address', async () => {
    const { store, share, access, deviceId, createUser, accounts, received } = await setting();
    await share({ email: 'new@example.com', rights: 'manage' });
    assert.deepEqual(received, []);
    const { id } = await createUser('New@example.com');
    assert.equal(await access.rightOn(caller(id), deviceId), 'manage');
    assert.deepEqual(received, [`began ${deviceId} ${id}`]);

    // An unconfirmed address gives no access: it could belong to anyone.
    await share({ email: 'victim@example.com' });
    const thief = await makeUser(store, 'thief@example.com');
    const body = { email: 'victim@example.com', currentPassword: PASSWORD };
    await accounts.updateUser(callOf(thief, { body, sent: body }));
    assert.equal(await access.rightOn(thief, deviceId), undefined);

    // An admin vouches for the address that they set.
    const { userId } = await makeUser(store, 'renamed@example.com');
    await share({ email: 'right@example.com' });
    const boss = await makeUser(store, 'boss@example.com', true);
    const set = { email: 'right@example.com' };
    await accounts.updateUser(callOf(boss, { userId, body: set, sent: set }));
    assert.equal(await access.rightOn(caller(userId), deviceId), 'view');
    const moved = { email: 'elsewhere@example.com' };
    await accounts.updateUser(callOf(boss, { userId, body: moved, sent: moved }));
    assert.equal(await access.rightOn(caller(userId), deviceId), 'view', 'and stays with who has it');
  });

  test('accounts made elsewhere get what waited for them', async () => {
    const { store, share, access, deviceId, followers } = await setting();
    await share({ email: 'new@example.com' });
    const made = await makeUser(store, 'new@example.com');
    assert.equal(await access.rightOn(made, deviceId), undefined);
    await claimWaitingGrants(store, followers, NOW);
    assert.equal(await access.rightOn(made, deviceId), 'view');
  });

  test('a waiting share that has ended gives nothing, and its invitation ends', async () => {
    const { store, owner, share, shares, access, deviceId, createUser } = await setting();
    const second = await makeDevice(store, owner.userId);
    const first = await share({ email: 'new@example.com' });
    const other = await share({ email: 'new@example.com' }, { device: second });
    const invitations = async () => (await store.query.selectFrom('invitations').selectAll().execute()).length;
    await shares.deleteShare(callOf(owner, { deviceId, key: first.id }));
    assert.equal(await invitations(), 1, 'the other share still waits');
    await shares.deleteShare(callOf(owner, { deviceId: second, key: other.id }));
    assert.equal(await invitations(), 0);
    assert.deepEqual(await store.query.selectFrom('mailLinks').selectAll().execute(), []);
    const { id } = await createUser('new@example.com');
    assert.equal(await access.rightOn(caller(id), deviceId), undefined);
  });

  test('a user with a share can leave it, and other users cannot end it for them', async () => {
    const { store, share, shares, listed, access, deviceId, admin } = await setting();
    const member = await makeUser(store, 'member@example.com');
    const guest = await makeUser(store, 'guest@example.com');
    await share({ email: 'member@example.com' });
    await share({ userId: member.userId, rights: 'manage' }, { caller: await admin() });
    await share({ email: 'guest@example.com' });
    const operations = deviceOperations(store, {}, testVault);
    const { shareId } = (await operations.getDeviceAccess(
      callOf(member, { deviceId, right: 'manage', body: undefined }),
    )) as { shareId: number };
    const leaving = (who: Caller) => shares.deleteShare(callOf(who, { deviceId, key: shareId, right: 'view' }));
    await assert.rejects(leaving(guest), { statusCode: 403 });
    await leaving(member);
    assert.equal(await access.rightOn(member, deviceId), undefined);
    assert.deepEqual(
      (await listed()).map(({ email }) => email),
      ['guest@example.com'],
      'left for good, however often it was shared',
    );
  });

  test('a deleted account leaves the share to the address, as it looked before', async () => {
    const { store, share, listed, access, deviceId, createUser, accounts, admin } = await setting();
    await share({ email: 'member@example.com' });
    const boss = await admin();
    const { id } = await createUser('member@example.com', boss);
    const before = await listed();
    await accounts.deleteUser(callOf(boss, { key: id }));
    assert.deepEqual(await listed(), before);
    const { id: again } = await createUser('member@example.com', boss);
    assert.equal(await access.rightOn(caller(again), deviceId), 'view');
    assert.deepEqual(
      await store.query
        .selectFrom('shares')
        .select('userId')
        .execute()
        .then((all) => all.length),
      1,
    );
  });

  test('sharing with new addresses has a limit a day, whether or not they have accounts', async () => {
    const { store, owner, share, shares, deviceId, admin } = await setting({ newAddressesPerDay: 2 });
    await makeUser(store, 'member@example.com');
    const first = await share({ email: 'member@example.com' });
    await share({ email: 'a@example.com' });
    for (const email of ['b@example.com', 'c@example.com'])
      await assert.rejects(share({ email }, { now: NOW + 1000 }), (error: never) => {
        const { statusCode, code, headers } = error as { statusCode: number; code: string; headers: object };
        assert.deepEqual([statusCode, code, headers], [429, 'TOO_MANY_NEW_ADDRESSES', { 'retry-after': '86399' }]);
        return true;
      });
    const second = await makeDevice(store, owner.userId);
    await share({ email: 'a@example.com' }, { device: second });
    await shares.deleteShare(callOf(owner, { deviceId, key: first.id }));
    await share({ email: 'member@example.com' });
    await share({ email: 'b@example.com' }, { caller: await admin() });
    await share({ email: 'c@example.com' }, { now: NOW + DAY_MS + 1 });
  });

  test('an address is mailed once a day for each who shares with it, and never against its will', async () => {
    const { store, owner, share, mails } = await setting();
    const second = await makeDevice(store, owner.userId);
    await share({ email: 'a@example.com' });
    await share({ email: 'a@example.com' }, { device: second });
    assert.equal((await mails()).length, 1);
    await store.query.insertInto('mailRefusals').values({ address: 'b@example.com', created: NOW }).execute();
    await share({ email: 'b@example.com' });
    assert.equal((await mails()).length, 1);
  });

  test('without sign-up by invitation no link to create an account is sent', async () => {
    const { store, share, mails } = await setting({ isInviting: false });
    await share({ email: 'a@example.com' });
    assert.doesNotMatch((await mails())[0]!.text, /#/);
    assert.deepEqual(await store.query.selectFrom('invitations').selectAll().execute(), []);
  });

  test('without mail a share waits all the same', async () => {
    const { share, mails, access, deviceId, createUser } = await setting({ mailer: { ...MAILER, missing: 'no mail' } });
    await share({ email: 'a@example.com' });
    assert.deepEqual(await mails(), []);
    const { id } = await createUser('a@example.com');
    assert.equal(await access.rightOn(caller(id), deviceId), 'view');
  });
});
