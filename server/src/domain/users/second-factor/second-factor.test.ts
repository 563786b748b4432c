import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TOTP } from 'otpauth';
import { createVault, isSealed, newKey } from '../../../platform/vault.ts';
import { onBothEngines } from '../../../testing/databases.ts';
import { callOf, makeUser, NOW, PASSWORD } from '../../../testing/people.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { openSigning } from '../signing.ts';
import { stepOfCode } from './one-time-code.ts';
import { secondFactorOperations } from './operations.ts';

const STEP_MS = 30_000;
const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const codeAt = (at: number, secret = SECRET) => new TOTP({ secret }).generate({ timestamp: at });

test('a code is good one step before and after its own, and no step is used twice', () => {
  for (const steps of [-1, 0, 1]) assert.ok(stepOfCode(SECRET, codeAt(NOW + steps * STEP_MS), NOW, 0));
  for (const steps of [-2, 2]) assert.equal(stepOfCode(SECRET, codeAt(NOW + steps * STEP_MS), NOW, 0), undefined);
  const used = stepOfCode(SECRET, codeAt(NOW), NOW, 0)!;
  assert.equal(stepOfCode(SECRET, codeAt(NOW), NOW, used), undefined);
  assert.equal(stepOfCode(SECRET, codeAt(NOW - STEP_MS), NOW, used), undefined);
  assert.equal(stepOfCode(SECRET, codeAt(NOW + STEP_MS), NOW, used), used + 1);
});

onBothEngines<Tables>('second factors', { migrations: MIGRATIONS }, (open) => {
  test('neither the secret of an app nor a recovery code is readable in the store', async () => {
    const store: Store = await open();
    const user = await makeUser(store, 'a@example.com');
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
});
