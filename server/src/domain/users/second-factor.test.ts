import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TOTP } from 'otpauth';
import { createVault, isSealed, newKey } from '../../platform/vault.ts';
import { onEitherEngine } from '../../testing/databases.ts';
import { callOf, makeUser, NOW, PASSWORD } from '../../testing/people.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { accountOperations } from './accounts.ts';
import { openSigning } from './browser-sessions.ts';
import { withoutSecrets } from './kept-answers.ts';
import { passkeyOperations } from './passkeys.ts';
import { ownPasswordOf } from './passwords.ts';
import { personalTokenOperations } from './personal-tokens.ts';
import { secondFactorOperations } from './second-factor.ts';
import { noteFactors, otpauthUri, stepOfCode } from './second-factors.ts';
import { issueToken } from './tokens.ts';

const STEP_MS = 30_000;
const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const codeAt = (at: number, secret = SECRET) => new TOTP({ secret }).generate({ timestamp: at });

test('the address of an app is not kept for a repeat of the request', () => {
  const kept = withoutSecrets(JSON.stringify({ secret: SECRET, uri: otpauthUri(SECRET, 'a@example.com') }));
  assert.ok(!kept.includes(SECRET));
});

test('a text that is no code is wrong, whatever its characters', () => {
  for (const code of ['', '12345', '1234567', 'abcdef', '😀😀😀', '１２３４５６', '12345\n'])
    assert.equal(stepOfCode(SECRET, code, NOW, 0), undefined, code);
});

test('a code is good one step before and after its own, and no step is used twice', () => {
  for (const steps of [-1, 0, 1]) assert.ok(stepOfCode(SECRET, codeAt(NOW + steps * STEP_MS), NOW, 0));
  for (const steps of [-2, 2]) assert.equal(stepOfCode(SECRET, codeAt(NOW + steps * STEP_MS), NOW, 0), undefined);
  const used = stepOfCode(SECRET, codeAt(NOW), NOW, 0)!;
  assert.equal(stepOfCode(SECRET, codeAt(NOW), NOW, used), undefined);
  assert.equal(stepOfCode(SECRET, codeAt(NOW - STEP_MS), NOW, used), undefined);
  assert.equal(stepOfCode(SECRET, codeAt(NOW + STEP_MS), NOW, used), used + 1);
});

onEitherEngine<Tables>('second factors', { migrations: MIGRATIONS }, (open) => {
  test('neither the secret of an app nor a recovery code is readable in the store', async () => {
    const store: Store = await open();
    const user = { ...(await makeUser(store, 'a@example.com')), signedInAt: NOW };
    const signing = openSigning(store, { vault: createVault([newKey()]), publicUrl: '', tabTokenS: 900 });
    const operations = secondFactorOperations(store, signing);
    const begun = await operations.beginAuthenticator(callOf(user, { body: { password: PASSWORD } }));
    const { secret } = begun as { secret: string };
    const confirmed = await operations.confirmAuthenticator(callOf(user, { body: { code: codeAt(NOW, secret) } }));
    const { recoveryCodes } = confirmed as { recoveryCodes: string[] };
    const app = await store.query.selectFrom('authenticators').selectAll().executeTakeFirstOrThrow();
    assert.ok(isSealed(app.secret));
    const kept = JSON.stringify([app, await store.query.selectFrom('recoveryCodes').selectAll().execute()]);
    for (const known of [secret, ...recoveryCodes, ...recoveryCodes.map((code) => code.replaceAll('-', ''))])
      assert.ok(!kept.includes(known));
    assert.equal(await signing.factors.useCode(user.userId, codeAt(NOW, secret), NOW), false, 'it confirmed the app');
    assert.equal(await signing.factors.useCode(user.userId, codeAt(NOW + STEP_MS, secret), NOW), true);
  });

  async function enrolled(isAdmin = false) {
    const store: Store = await open();
    const user = await makeUser(store, 'a@example.com', isAdmin);
    const signing = openSigning(store, { vault: createVault([newKey()]), publicUrl: '', tabTokenS: 900 });
    const operations = {
      ...secondFactorOperations(store, signing),
      ...passkeyOperations(store, { prove: signing.prove, publicUrl: '' }),
    };
    const hasFactor = async () =>
      (
        await store.query
          .selectFrom('users')
          .select('hasSecondFactor')
          .where('id', '=', user.userId)
          .executeTakeFirstOrThrow()
      ).hasSecondFactor;
    const addPasskey = () =>
      store.transaction(async (tx) => {
        const { id } = await tx
          .insertInto('passkeys')
          .values({
            userId: user.userId,
            name: 'Phone',
            credentialId: 'c',
            publicKey: 'p',
            counter: 0,
            transports: null,
            created: NOW,
            lastUsedAt: null,
          })
          .returning('id')
          .executeTakeFirstOrThrow();
        await noteFactors(tx, user.userId);
        return id;
      });
    return { store, user, signing, operations, hasFactor, addPasskey };
  }

  test('an admin removes their own second factor like anyone else, with a proof', async () => {
    const { user, operations, hasFactor, addPasskey } = await enrolled(true);
    await addPasskey();
    await assert.rejects(operations.resetSecondFactor(callOf(user, { key: user.userId })), { statusCode: 422 });
    assert.equal(await hasFactor(), 1);
  });

  test('a user is notified by mail that an admin removed their second factor', async () => {
    const store: Store = await open();
    const admin = await makeUser(store, 'admin@example.com', true);
    const user = await makeUser(store, 'a@example.com');
    const signing = openSigning(store, { vault: createVault([newKey()]), publicUrl: '', tabTokenS: 900 });
    let woken = 0;
    const mailer = { missing: undefined, publicUrl: 'https://trackway.example.com', wake: () => void woken++ };
    const reset = (parts: object) =>
      secondFactorOperations(store, { ...signing, ...parts }).resetSecondFactor(callOf(admin, { key: user.userId }));
    const mails = () =>
      store.query
        .selectFrom('outbox')
        .select(['address', 'what', 'channel', 'state'])
        .where('what', '=', 'account')
        .execute();
    await reset({});
    assert.deepEqual(await mails(), [], 'without mail it is done all the same');
    await reset({ mailer });
    assert.deepEqual(
      (await mails()).map((row) => ({ ...row })),
      [{ address: 'a@example.com', what: 'account', channel: 'email', state: 'queued' }],
    );
    assert.equal(woken, 1);
  });

  test('whoever confirms a session is freshly signed in, in all tabs; a personal token is not confirmed', async () => {
    const store: Store = await open();
    const user = await makeUser(store, 'a@example.com');
    const signing = openSigning(store, { vault: createVault([newKey()]), publicUrl: '', tabTokenS: 900 });
    const { confirmSignIn } = secondFactorOperations(store, signing);
    const kinds = ['browser', 'tab', 'login', 'personal'] as const;
    const ids: Partial<Record<(typeof kinds)[number], number>> = {};
    for (const kind of kinds) {
      const parentId = kind === 'tab' ? ids.browser : undefined;
      ids[kind] = (await issueToken(store.query, { userId: user.userId, kind, ttl: 3600, parentId }, NOW)).id;
    }
    const later = NOW + 3_600_000;
    const confirm = (tokenId: number, body: object) =>
      confirmSignIn(callOf({ ...user, tokenId, signedInAt: NOW }, { body, now: later }));
    for (const body of [{}, { password: 'wrong' }, { code: '000000' }])
      await assert.rejects(confirm(ids.browser!, body), { statusCode: 422 });
    await assert.rejects(confirm(ids.personal!, { password: PASSWORD }), { statusCode: 403 });
    await confirm(ids.browser!, { password: PASSWORD });
    const rows = await store.query.selectFrom('tokens').select(['kind', 'signedInAt']).orderBy('id').execute();
    assert.deepEqual(
      rows.map(({ kind, signedInAt }) => `${kind} ${signedInAt === later}`),
      ['browser true', 'tab true', 'login false', 'personal false'],
    );
  });

  test('an open session alone does not delete a passkey', async () => {
    const { user, operations, hasFactor, addPasskey } = await enrolled();
    const key = await addPasskey();
    const remove = (signedInAt?: number) => operations.deletePasskey(callOf({ ...user, signedInAt }, { key }));
    for (const stale of [undefined, NOW - 16 * 60_000])
      await assert.rejects(remove(stale), { statusCode: 403, code: 'FRESH_SIGN_IN_REQUIRED' });
    assert.equal(await hasFactor(), 1);
    await remove(NOW - 60_000);
    assert.equal(await hasFactor(), 0);
  });

  test('a session that is not fresh needs the second factor for everything that outlives it', async () => {
    const { store, user: caller, operations, signing } = await enrolled();
    const user = { ...caller, signedInAt: NOW };
    const { secret } = (await operations.beginAuthenticator(callOf(user, { body: {} }))) as { secret: string };
    const confirmed = await operations.confirmAuthenticator(callOf(user, { body: { code: codeAt(NOW, secret) } }));
    const { recoveryCodes: codes } = confirmed as { recoveryCodes: string[] };
    const ownPassword = ownPasswordOf(store, signing.factors);
    const tokens = personalTokenOperations(store, { ownPassword });
    const { changePassword, updateUser } = accountOperations(store, {}, undefined, ownPassword);
    const stale = { ...user, signedInAt: NOW - 16 * 60_000 };
    const newPassword = 'another long password';
    type Body = Record<string, unknown>;
    const update = (body: Body) => updateUser(callOf(stale, { body, sent: body }));
    const acts: ((proof: Body) => Promise<unknown>)[] = [
      (proof) => tokens.createPersonalAccessToken(callOf(stale, { body: { ttl: 60, password: PASSWORD, ...proof } })),
      (proof) => update({ email: 'b@example.com', currentPassword: PASSWORD, ...proof }),
      (proof) => operations.confirmSignIn(callOf({ ...stale, tokenId }, { body: { password: PASSWORD, ...proof } })),
      (proof) => operations.createRecoveryCodes(callOf(stale, { body: { password: PASSWORD, ...proof } })),
      (proof) => changePassword(callOf(stale, { body: { oldPassword: PASSWORD, newPassword, ...proof } })),
    ];
    const { id: tokenId } = await issueToken(store.query, { userId: user.userId, kind: 'login', ttl: 3600 }, NOW);
    for (const [index, act] of acts.entries()) {
      await assert.rejects(act({}), { statusCode: 403, code: 'SECOND_FACTOR_REQUIRED' }, `${index}`);
      await assert.rejects(act({ code: '000000' }), { statusCode: 422 }, `${index}`);
      if (index < 4) await act({ code: codes[index] });
    }
  });

  test('a wrong proof is in the audit trail', async () => {
    const { store, user: caller, operations } = await enrolled();
    const user = { ...caller, signedInAt: NOW };
    for (const body of [{ password: 'wrong' }, { code: '000000' }])
      await assert.rejects(operations.removeAuthenticator(callOf(user, { body })), { statusCode: 422 });
    const failed = await store.query.selectFrom('auditEntries').select(['action', 'userId', 'count']).execute();
    assert.deepEqual(
      failed.map((row) => ({ ...row })),
      [{ action: 'user.passwordFailed', userId: user.userId, count: 2 }],
    );
  });
});
