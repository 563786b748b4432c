import { fingerprint } from '../../platform/secrets.ts';
import type { Store } from '../schema/tables.ts';
import { attemptSignIn } from './password-guard.ts';
import { passwordMatches } from './passwords.ts';

/** From where, and when, a password is tried. */
export interface PasswordTry {
  readonly address: string;
  readonly now: number;
}

/**
 * Whether this is the password of a user. Every operation that asks for a password asks here, so that wrong ones are
 * counted together. Refuses with 429 where too many were wrong.
 */
export async function checkPassword(
  store: Store,
  userId: number,
  password: unknown,
  { address, now }: PasswordTry,
): Promise<boolean> {
  const user = await store.query.selectFrom('users').select('passwordHash').where('id', '=', userId).executeTakeFirst();
  return attemptSignIn(store, { userId, name: '', address, now }, () =>
    passwordMatches(user?.passwordHash, typeof password === 'string' ? password : ''),
  );
}

/**
 * The user of this name, if there is one, and whether the password is theirs. That takes the same time for known and
 * unknown names.
 */
export async function userOfCredentials(
  store: Store,
  {
    username,
    email,
    password,
  }: { readonly username?: string | null; readonly email?: string | null; readonly password?: string | null },
  { address, now }: PasswordTry,
): Promise<{ userId: number | undefined; isRight: boolean }> {
  const name = (username || email || '').toLowerCase();
  const user = await store.query
    .selectFrom('users')
    .select(['id', 'passwordHash'])
    .where((when) =>
      username ? when.or([when('username', '=', username), when('email', '=', name)]) : when('email', '=', name),
    )
    .orderBy('id')
    .executeTakeFirst();
  const isRight = await attemptSignIn(store, { userId: user?.id, name: fingerprint(name), address, now }, () =>
    passwordMatches(user?.passwordHash, password ?? ''),
  );
  return { userId: user?.id, isRight };
}
