import type { Handlers } from '../../calls.ts';
import { Refusal } from '../../platform/errors.ts';
import { fingerprint, randomSecret } from '../../platform/secrets.ts';
import { recordAudit } from '../audit/record.ts';
import type { Store } from '../schema/tables.ts';
import { createAccount, emailOf } from './accounts.ts';
import { beginSession } from './begin-session.ts';
import { tokenV1 } from './sessions.ts';
import { SESSION_S } from './tokens.ts';

/** Creates the first admin: from the settings, or by a link that works once. */

async function setting(store: Store, name: string): Promise<string | undefined> {
  const row = await store.query.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst();
  return row?.value;
}

async function keepSetting(store: Store, name: string, value: string): Promise<void> {
  await store.query
    .insertInto('settings')
    .values({ name, value })
    .onConflict((on) => on.column('name').doUpdateSet({ value }))
    .execute();
}

export async function anyUser(store: Store): Promise<boolean> {
  return (await store.query.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined;
}

/** Creates the admin only once: one who was deleted or renamed since is not created again. */
export async function makeAdminOfSettings(
  store: Store,
  email: string,
  password: string,
  now: number,
): Promise<boolean> {
  const address = emailOf(email);
  if ((await setting(store, 'adminMade')) === address) return false;
  const there = await store.query.selectFrom('users').select('id').where('email', '=', address).executeTakeFirst();
  if (there === undefined) await createAccount(store, { email: address, admin: true }, password, now);
  await keepSetting(store, 'adminMade', address);
  return there === undefined;
}

/**
 * Returns the token of a setup link while there are no users; each start creates a new one and invalidates the old one.
 */
export async function openSetup(store: Store): Promise<string | undefined> {
  if (await anyUser(store)) return undefined;
  const token = randomSecret(40);
  await keepSetting(store, 'setup', fingerprint(token));
  return token;
}

export function setUpOperations(store: Store): Handlers<'setUp'> {
  return {
    async setUp(call) {
      const { body, now } = call;
      const { token, email, password } = body as { token: string; email: string; password: string };
      const expected = await setting(store, 'setup');
      if (expected === undefined || expected !== fingerprint(token) || (await anyUser(store))) {
        throw new Refusal(403, 'This set-up link is no longer valid. Restart the server to get a new one.', {
          code: 'ACCESS_DENIED',
        });
      }
      // The row is deleted before the account is created: of two concurrent uses of the link, one finds it gone.
      const taken = await store.query
        .deleteFrom('settings')
        .where('name', '=', 'setup')
        .where('value', '=', expected)
        .executeTakeFirst();
      if (taken.numDeletedRows === 0n)
        throw new Refusal(403, 'This set-up link has already been used.', { code: 'ACCESS_DENIED' });
      try {
        const { id: userId } = await createAccount(store, { email, admin: true }, password, now);
        const session = await store.transaction(async (tx) => {
          const detail = { email: emailOf(email), admin: true };
          await recordAudit(tx, { action: 'user.created', address: call.address, userId, detail }, now);
          return beginSession(tx, call, { userId, ttl: SESSION_S });
        });
        return tokenV1(userId, SESSION_S, session);
      } catch (error) {
        await keepSetting(store, 'setup', expected);
        throw error;
      }
    },
  };
}
