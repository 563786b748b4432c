import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller, JsonText } from '../../calls.ts';
import { onEitherEngine } from '../../testing/databases.ts';
import { callOf, makeUser, NOW, PASSWORD } from '../../testing/people.ts';
import { readMail, testVault } from '../../testing/vault.ts';
import { deviceOperations } from '../devices/operations.ts';
import { deleteUserRow } from '../schema/dependants.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import type { AccountMailer } from './account-letters.ts';
import { accountOperations } from './accounts.ts';
import { type AddressFollower, confirmationOperations } from './confirmations.ts';
import { invitationOperations } from './invitations.ts';
import { invite } from './invite.ts';
import { forgetOldLinks } from './mail-links.ts';
import { passwordResetOperations } from './password-reset.ts';
import { UNLIMITED } from './quotas.ts';
import { sessionOperations } from './sessions.ts';
import { authenticator, issueToken } from './tokens.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MAILER: AccountMailer = {
  missing: undefined,
  publicUrl: 'https://track.example.com/',
  wake: () => {},
  seal: testVault.seal,
};
const NEW_PASSWORD = 'a quite different horse';
const nobody: Caller = { userId: 0, admin: false, tokenId: 0 };

onEitherEngine<Tables>('accounts by mail', { migrations: MIGRATIONS }, (open) => {
  async function setting(mailer = MAILER) {
    const store: Store = await open();
    const user = await makeUser(store, 'user@example.com');
    const confirmed: string[] = [];
    const follower: AddressFollower = async (_tx, { userId, email }) => void confirmed.push(`${userId} ${email}`);
    const operations = {
      ...accountOperations(store, { addressConfirmed: follower }, mailer),
      ...confirmationOperations(store, mailer, follower),
      ...passwordResetOperations(store, mailer),
      ...invitationOperations(store, mailer, follower),
      ...sessionOperations(store),
    };
    const mails = async () =>
      (
        await store.query
          .selectFrom('outbox')
          .select(['address', 'content', 'messageId', 'userId'])
          .orderBy('id')
          .execute()
      ).map(({ address, userId, ...mail }) => {
        assert.doesNotMatch(mail.content, /example\.com/, 'it lies encrypted');
        const { subject, text, html } = readMail(mail) as { subject: string; text: string; html: string };
        return { address, userId, subject, text, html, link: /https:\/\/\S+/.exec(text)?.[0] };
      });
    /** The token of the newest mail to an address. */
    const tokenTo = async (wanted: string) =>
      (await mails()).findLast(({ address, link }) => address === wanted && link)!.link!.split('#')[1]!;
    const update = (body: object, by = user, userId = by.userId, now = NOW) =>
      operations.updateUser(callOf(by, { userId, body, sent: body as never, now }));
    const change = (email: string, now = NOW) => update({ email, currentPassword: PASSWORD }, user, user.userId, now);
    const confirm = (token: string, now = NOW) => operations.confirmEmail(callOf(nobody, { body: { token }, now }));
    const forget = (email: string, now = NOW) =>
      operations.requestPasswordReset(callOf(nobody, { body: { email }, now }));
    const reset = (token: string, now = NOW) =>
      operations.resetPassword(callOf(nobody, { body: { token, newPassword: NEW_PASSWORD }, now }));
    const signIn = (email: string, password: string) =>
      operations.login(callOf(nobody, { body: { email, password } })) as Promise<{ id: string; userId: number }>;
    const row = async (userId = user.userId) =>
      store.query.selectFrom('users').selectAll().where('id', '=', userId).executeTakeFirstOrThrow();
    return { store, user, confirmed, operations, mails, tokenTo, update, change, confirm, forget, reset, signIn, row };
  }
  const ended = { statusCode: 403, code: 'LINK_ENDED' };

  test('a new address takes effect by the link mailed to it, and the old one is notified', async () => {
    const { store, change, confirm, mails, tokenTo, row, signIn, confirmed, user } = await setting();
    const shown = (await change('New@example.com')) as { email: string; newEmail: string };
    assert.deepEqual([shown.email, shown.newEmail], ['user@example.com', 'new@example.com']);
    await assert.rejects(signIn('new@example.com', PASSWORD), { statusCode: 401 });
    const [toNew, toOld] = await mails();
    assert.equal(toNew!.address, 'new@example.com');
    assert.match(toNew!.link!, /^https:\/\/track\.example\.com\/confirm#\w{43}$/);
    assert.deepEqual([toOld!.address, toOld!.link], ['user@example.com', undefined], 'which cannot confirm it');
    assert.match(toOld!.text, /new@example\.com/);
    const token = await tokenTo('new@example.com');
    const stored = JSON.stringify(await store.query.selectFrom('mailLinks').selectAll().execute());
    assert.ok(!stored.includes(token), 'only a hash is stored');

    await assert.rejects(confirm('a guess'), ended);
    assert.deepEqual(await confirm(token), { email: 'new@example.com' });
    await assert.rejects(confirm(token), ended, 'it works once');
    const { email, newEmail, emailConfirmedAt } = await row();
    assert.deepEqual([email, newEmail, emailConfirmedAt], ['new@example.com', null, NOW]);
    assert.deepEqual(confirmed, [`${user.userId} new@example.com`]);
    await signIn('new@example.com', PASSWORD);
  });

  test('a link is for one address and two days', async () => {
    const { store, change, confirm, tokenTo, row } = await setting();
    await change('first@example.com');
    const first = await tokenTo('first@example.com');
    await change('second@example.com');
    await assert.rejects(confirm(first), ended, 'replaced by the later wish');
    await assert.rejects(confirm(await tokenTo('second@example.com'), NOW + 2 * DAY_MS), ended);
    assert.deepEqual([(await row()).email, (await row()).newEmail], ['user@example.com', 'second@example.com']);
    await forgetOldLinks(store.query, NOW + 2 * DAY_MS);
    assert.equal((await row()).newEmail, null, 'the wish ends with its link');
    await store.query.insertInto('mailRefusals').values({ address: 'never@example.com', created: NOW }).execute();
    await assert.rejects(change('never@example.com'), { statusCode: 422, message: /has declined e-mail/ });
  });

  test('that an address is taken is written only to the address itself', async () => {
    const { store, change, confirm, tokenTo, row } = await setting();
    await makeUser(store, 'taken@example.com');
    await change('taken@example.com');
    await assert.rejects(confirm(await tokenTo('taken@example.com')), { statusCode: 422 });
    assert.equal((await row()).email, 'user@example.com');
  });

  test('changing it needs the password, and cannot be used to mail without end', async () => {
    const { update, change, operations, user, mails } = await setting();
    await assert.rejects(update({ email: 'new@example.com' }), { statusCode: 422 });
    assert.deepEqual(await mails(), []);
    for (let n = 0; n < 5; n++) await change(`new${n}@example.com`);
    await assert.rejects(change('new5@example.com'), { statusCode: 429, code: 'TOO_MANY_MAILS' });
    const again = (now: number) => operations.sendConfirmation(callOf(user, { now }));
    await assert.rejects(again(NOW), { statusCode: 429 });
    await again(NOW + DAY_MS + 1);
    assert.equal((await mails()).at(-1)!.address, 'new4@example.com');
  });

  test('without mail it changes at once, unproven, and an admin can vouch for it', async () => {
    const { store, change, update, user, row, operations, mails, confirmed } = await setting({
      ...MAILER,
      missing: 'no mail',
    });
    await change('new@example.com');
    assert.deepEqual([(await row()).email, (await row()).emailConfirmedAt], ['new@example.com', null]);
    await assert.rejects(operations.sendConfirmation(callOf(user)), { statusCode: 400, code: 'MAIL_NOT_CONFIGURED' });
    const admin = await makeUser(store, 'admin@example.com', true);
    await update({ email: 'right@example.com' }, admin, user.userId);
    assert.deepEqual([(await row()).email, (await row()).emailConfirmedAt], ['right@example.com', NOW]);
    assert.deepEqual(confirmed, [`${user.userId} right@example.com`]);
    assert.deepEqual(await mails(), []);
  });

  test('an unproven address is confirmed by a link once mail is set up', async () => {
    const { store, user, operations, confirm, tokenTo, row } = await setting();
    await store.query.updateTable('users').set({ emailConfirmedAt: null }).where('id', '=', user.userId).execute();
    await operations.sendConfirmation(callOf(user));
    await confirm(await tokenTo('user@example.com'));
    assert.equal((await row()).emailConfirmedAt, NOW);
    await operations.sendConfirmation(callOf(user));
    assert.equal((await store.query.selectFrom('outbox').selectAll().execute()).length, 1, 'once is enough');
  });

  test('a forgotten password is set anew by a link, and everything that was signed in ends', async () => {
    const { store, user, forget, reset, mails, tokenTo, signIn } = await setting();
    const session = await signIn('user@example.com', PASSWORD);
    const personal = await issueToken(store.query, { userId: user.userId, kind: 'personal', ttl: 3600 }, NOW);
    assert.equal(await forget(' User@Example.com'), undefined);
    assert.equal(await forget('nobody@example.com'), undefined, 'answered alike');
    assert.deepEqual(
      (await mails()).map(({ address }) => address),
      ['user@example.com'],
    );
    const token = await tokenTo('user@example.com');
    await assert.rejects(reset('a guess'), ended);
    await reset(token);
    await assert.rejects(reset(token), ended, 'it works once');
    for (const old of [session.id, personal.token]) await assert.rejects(authenticator(store)(old, NOW));
    await assert.rejects(signIn('user@example.com', PASSWORD), { statusCode: 401 });
    await signIn('user@example.com', NEW_PASSWORD);
    assert.match((await mails()).at(-1)!.subject, /Your password was changed/);
    const actions = await store.query.selectFrom('auditEntries').select('action').orderBy('id').execute();
    assert.deepEqual(
      actions.map(({ action }) => action).filter((action) => action.startsWith('password')),
      ['password.forgotten', 'password.reset'],
    );
  });

  test('a link to a new password lasts an hour, and ends with a change of address', async () => {
    const { store, forget, reset, tokenTo, update, user } = await setting();
    await forget('user@example.com');
    await assert.rejects(reset(await tokenTo('user@example.com'), NOW + HOUR_MS), ended);
    const token = await tokenTo('user@example.com');
    const admin = await makeUser(store, 'admin@example.com', true);
    await update({ email: 'other@example.com' }, admin, user.userId);
    await assert.rejects(reset(token), ended);
  });

  test('a new password ends the links that somebody who knew the old one may have', async () => {
    const { change, forget, reset, confirm, tokenTo, operations, update, user, row, store } = await setting();
    const body = { oldPassword: PASSWORD, newPassword: NEW_PASSWORD };
    await forget('user@example.com');
    const toReset = await tokenTo('user@example.com');
    await change('thief@example.com');
    const toChange = await tokenTo('thief@example.com');
    await operations.changePassword(callOf(user, { body }));
    await assert.rejects(confirm(toChange), ended);
    await assert.rejects(reset(toReset), ended);
    assert.deepEqual([(await row()).email, (await row()).newEmail], ['user@example.com', null]);

    await update({ email: 'thief@example.com', currentPassword: NEW_PASSWORD });
    const again = await tokenTo('thief@example.com');
    await forget('user@example.com');
    await reset(await tokenTo('user@example.com'));
    await assert.rejects(confirm(again), ended);
    assert.equal((await row()).newEmail, null);

    await update({ email: 'thief@example.com', currentPassword: NEW_PASSWORD });
    const third = await tokenTo('thief@example.com');
    const admin = await makeUser(store, 'admin@example.com', true);
    await update({ password: 'yet another long horse' }, admin, user.userId);
    await assert.rejects(confirm(third), ended);
  });

  test('a wrong password of somebody who is signed in is in the audit trail', async () => {
    const { store, update, operations, user } = await setting();
    const body = { oldPassword: 'wrong', newPassword: NEW_PASSWORD };
    await assert.rejects(operations.changePassword(callOf(user, { body })), { statusCode: 422 });
    await assert.rejects(update({ email: 'new@example.com', currentPassword: 'wrong' }), { statusCode: 422 });
    const failed = await store.query
      .selectFrom('auditEntries')
      .select(['userId', 'count'])
      .where('action', '=', 'user.passwordFailed')
      .execute();
    assert.deepEqual(
      failed.map((row) => ({ ...row })),
      [{ userId: user.userId, count: 2 }],
    );
  });

  test('the account of a program gets no password by mail', async () => {
    const { store, user, forget, mails } = await setting();
    await store.query.updateTable('users').set({ kind: 'service' }).where('id', '=', user.userId).execute();
    await forget('user@example.com');
    assert.deepEqual(await mails(), []);
    assert.deepEqual(await store.query.selectFrom('mailLinks').selectAll().execute(), []);
  });

  test('invitations end with the right to invite', async () => {
    const { store, operations, update, tokenTo } = await setting();
    const admin = await makeUser(store, 'admin@example.com', true);
    const accept = (token: string) =>
      operations.acceptInvitation(callOf(nobody, { body: { token, password: NEW_PASSWORD } }));
    const inviteBy = async (name: string) => {
      const inviting = await makeUser(store, `${name}@example.com`, true);
      const email = `friend-of-${name}@example.com`;
      await operations.createInvitation(callOf({ ...inviting, signedInAt: NOW }, { body: { email, admin: true } }));
      return { inviting, token: await tokenTo(email) };
    };
    const demoted = await inviteBy('demoted');
    await update({ admin: false }, admin, demoted.inviting.userId);
    await assert.rejects(accept(demoted.token), ended);
    const deleted = await inviteBy('deleted');
    await operations.deleteUser(callOf(admin, { key: deleted.inviting.userId }));
    await assert.rejects(accept(deleted.token), ended);
    assert.deepEqual(await store.query.selectFrom('invitations').selectAll().execute(), []);
  });

  test('a share revives an expired invitation without the rights of an admin', async () => {
    const { store, operations, user } = await setting();
    const admin = await makeUser(store, 'admin@example.com', true);
    const email = 'new@example.com';
    await operations.createInvitation(callOf({ ...admin, signedInAt: NOW }, { body: { email, admin: true } }));
    const share = (now: number) =>
      store.transaction((tx) => invite(tx, { email, origin: 'share', invitedBy: user.userId }, now));
    const isAdmin = async () =>
      (await store.query.selectFrom('invitations').select('admin').executeTakeFirstOrThrow()).admin;
    await share(NOW + DAY_MS);
    assert.equal(await isAdmin(), 1, 'what an admin decided stays while it is good');
    await share(NOW + 9 * DAY_MS);
    assert.equal(await isAdmin(), 0);
  });

  test('accounts that a user invites by a share have one quota with the user, and those of an admin their own', async () => {
    const { store, operations, user } = await setting();
    const admin = await makeUser(store, 'admin@example.com', true);
    const devices = deviceOperations(store, {}, testVault, undefined, { ...UNLIMITED, devices: 3 });
    const create = (by: Caller) => devices.createDevice(callOf(by, { body: { name: 'Van' } as never }));
    const join = async (email: string, invitedBy: number): Promise<Caller> => {
      const { token } = await store.transaction((tx) => invite(tx, { email, origin: 'share', invitedBy }, NOW));
      await operations.acceptInvitation(callOf(nobody, { body: { token, password: NEW_PASSWORD } as never }));
      const { id } = await store.query
        .selectFrom('users')
        .select('id')
        .where('email', '=', email)
        .executeTakeFirstOrThrow();
      return { userId: id, admin: false, tokenId: 0 };
    };
    const friend = await join('friend@example.com', user.userId);
    const theirs = await join('theirs@example.com', friend.userId);
    const refused = { statusCode: 403, code: 'QUOTA_EXCEEDED' };
    for (const one of [user, friend, theirs]) await create(one);
    for (const one of [user, friend, theirs]) await assert.rejects(create(one), refused);
    const guest = await join('guest@example.com', admin.userId);
    for (let n = 0; n < 3; n++) await create(guest);
    await assert.rejects(create(guest), refused);
    await store.query.deleteFrom('devices').where('ownerId', '=', friend.userId).execute();
    await create(theirs);
    await store.query.deleteFrom('devices').where('ownerId', '=', user.userId).execute();
    await store.transaction((tx) => deleteUserRow(tx, user.userId));
    await create(friend);
    for (const one of [friend, theirs]) await assert.rejects(create(one), refused, 'without the one who invited both');
  });

  test('an address gets three links to a new password an hour, and none if it is unproven', async () => {
    const { store, user, forget, mails } = await setting();
    for (let n = 0; n < 10; n++) await forget('user@example.com', NOW + n);
    assert.equal((await mails()).length, 3);
    await forget('user@example.com', NOW + HOUR_MS + 10);
    assert.equal((await mails()).length, 4);
    await store.query.updateTable('users').set({ emailConfirmedAt: null }).where('id', '=', user.userId).execute();
    await forget('user@example.com', NOW + 3 * HOUR_MS);
    assert.equal((await mails()).length, 4);
  });

  test('without mail a forgotten password is a matter for an admin, for known and unknown alike', async () => {
    const { forget } = await setting({ ...MAILER, missing: 'no mail' });
    for (const email of ['user@example.com', 'nobody@example.com'])
      await assert.rejects(forget(email), { statusCode: 400, message: /Ask an admin .*trackway user password/ });
  });

  test('an invited person chooses a password and is in, with the address confirmed', async () => {
    const { store, operations, tokenTo, signIn, row, confirmed, mails } = await setting();
    const admin = await makeUser(store, 'admin@example.com', true);
    const body = { email: 'New@example.com', name: 'Jane', admin: true };
    const invited = (await operations.createInvitation(callOf({ ...admin, signedInAt: NOW }, { body }))) as {
      id: number;
      expires: string;
    };
    assert.equal(invited.expires, new Date(NOW + 7 * DAY_MS).toISOString());
    assert.match((await mails())[0]!.link!, /\/invitation#\w{43}$/);
    const accept = (token: string, now = NOW) =>
      operations.acceptInvitation(callOf(nobody, { body: { token, password: NEW_PASSWORD }, now })) as Promise<{
        id: string;
        userId: number;
      }>;
    const first = await tokenTo('new@example.com');
    await operations.resendInvitation(callOf(admin, { key: invited.id, now: NOW + DAY_MS }));
    await assert.rejects(accept(first), ended, 'a newer mail replaces it');
    const token = await tokenTo('new@example.com');
    await assert.rejects(accept(token, NOW + 8 * DAY_MS), ended);
    const both = await Promise.allSettled([accept(token, NOW + DAY_MS), accept(token, NOW + DAY_MS)]);
    const [session] = both.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    assert.equal(both.filter(({ status }) => status === 'fulfilled').length, 1, 'of two uses one counts');
    const made = await row(session!.userId);
    assert.deepEqual([made.email, made.name, made.admin], ['new@example.com', 'Jane', 1]);
    assert.equal(made.emailConfirmedAt, NOW + DAY_MS);
    assert.deepEqual(confirmed, [`${made.id} new@example.com`]);
    await signIn('new@example.com', NEW_PASSWORD);
    assert.equal((await authenticator(store)(session!.id, NOW + DAY_MS)).userId, made.id);
    const answer = await operations.listInvitations(callOf(admin));
    assert.equal((answer as JsonText<unknown>).text, '[]');
  });

  test('invitations are listed, revoked, and forgotten; whoever has an account needs none', async () => {
    const { store, operations, tokenTo, mails } = await setting();
    const admin = await makeUser(store, 'admin@example.com', true);
    const invite = (email: string, now = NOW) => operations.createInvitation(callOf(admin, { body: { email }, now }));
    await assert.rejects(invite('user@example.com'), { statusCode: 422, message: /already has an account/ });
    await assert.rejects(invite('nowhere'), { statusCode: 422 });
    await store.query.insertInto('mailRefusals').values({ address: 'never@example.com', created: NOW }).execute();
    await assert.rejects(invite('never@example.com'), { statusCode: 422, message: /has declined e-mail/ });
    const { id } = (await invite('new@example.com')) as { id: number };
    const token = await tokenTo('new@example.com');
    const text = ((await operations.listInvitations(callOf(admin))) as JsonText<unknown>).text;
    assert.match(text, /new@example\.com/);
    assert.ok(!text.includes(token));
    await operations.deleteInvitation(callOf(admin, { key: id }));
    const body = { token, password: NEW_PASSWORD };
    await assert.rejects(operations.acceptInvitation(callOf(nobody, { body })), ended);
    await assert.rejects(operations.deleteInvitation(callOf(admin, { key: id })), { statusCode: 404 });

    for (let n = 0; n < 4; n++) await invite('new@example.com');
    await assert.rejects(invite('new@example.com'), { statusCode: 429 });
    assert.equal((await mails()).length, 5);
    await forgetOldLinks(store.query, NOW + 38 * DAY_MS);
    assert.deepEqual(await store.query.selectFrom('invitations').selectAll().execute(), []);
    assert.deepEqual(await store.query.selectFrom('mailLinks').selectAll().execute(), []);
  });
});
