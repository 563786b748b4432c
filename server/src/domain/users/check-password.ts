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
