import type { Handlers } from '../../calls.ts';
import { Refusal } from '../../platform/errors.ts';
import { fingerprint, randomSecret } from '../../platform/secrets.ts';
import { CannotOpen, type Vault } from '../../platform/vault.ts';
import { recordAudit } from '../audit/record.ts';
import { findRow } from '../rows.ts';
import { installationValue } from '../schema/installation-lease.ts';
import type { Store } from '../schema/tables.ts';
import { createAccount, emailOf } from './accounts.ts';
import { beginSession, tokenV1 } from './sessions.ts';
import { SESSION_S } from './tokens.ts';

/** Creates the first admin: from the settings, or by a link that works once. */

async function setting(store: Store, name: string): Promise<string | undefined> {
  const row = await findRow(store.query, 'settings', { name }, ['value']);
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
  const there = await adminNamed(store, address);
  const isMade = there === undefined && (await makeUnlessThere(store, address, password, now));
  await keepSetting(store, 'adminMade', address);
  return isMade;
}

/** Several nodes may start at once with the same settings: one of them makes the admin, to the others it is there. */
async function makeUnlessThere(store: Store, email: string, password: string, now: number): Promise<boolean> {
  try {
    await createAccount(store, { email, admin: true }, password, now);
    return true;
  } catch (error) {
    if ((await adminNamed(store, email)) === undefined) throw error;
    return false;
  }
}

const adminNamed = (store: Store, email: string) => findRow(store.query, 'users', { email }, ['id']);

/**
 * Returns the token of a set-up link while there are no users. On SQLite each start makes a new one and invalidates the
 * old one. Nodes that share a database print the same one.
 */
export async function openSetup(store: Store, vault: Vault): Promise<string | undefined> {
  if (await anyUser(store)) return undefined;
  const token = store.dialect.isShared ? await sharedToken(store, vault) : randomSecret(40);
  await keepSetting(store, 'setup', fingerprint(token));
  return token;
}

/** Kept sealed: who reads the database alone can't become an admin. */
async function sharedToken(store: Store, vault: Vault): Promise<string> {
  const make = () => vault.seal(randomSecret(40), LINK_CONTEXT);
  const sealed = await installationValue(store, LINK, make);
  try {
    return vault.open(sealed, LINK_CONTEXT);
  } catch (error) {
    if (!(error instanceof CannotOpen)) throw error;
    await store.query.deleteFrom('settings').where('name', '=', LINK).where('value', '=', sealed).execute();
    return vault.open(await installationValue(store, LINK, make), LINK_CONTEXT);
  }
}

const LINK = 'setupLink';
const LINK_CONTEXT = `settings:${LINK}`;

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
        await store.query.deleteFrom('settings').where('name', 'in', [LINK, 'setup']).execute();
        return tokenV1(userId, SESSION_S, session);
      } catch (error) {
        await keepSetting(store, 'setup', expected);
        throw error;
      }
    },
  };
}
