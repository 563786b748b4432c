import { loginFailed, usernameOrEmailRequired } from '../../refusals.ts';
import type { Visitor } from '../../sign-in.ts';
import type { Store } from '../schema/tables.ts';
import { FailedSignIns } from './failed-sign-ins.ts';
import { passwordMatches } from './passwords.ts';

/** What somebody gives to sign in. */
export interface GivenCredentials {
  readonly username?: string | null;
  readonly email?: string | null;
  readonly password?: string | null;
}

export interface Identified {
  readonly userId: number;
  /** How they proved who they are, for the audit trail. */
  readonly way: string;
}

export type SignInCheck = (given: GivenCredentials, visitor: Pick<Visitor, 'address' | 'now'>) => Promise<Identified>;

/** Says who signs in, whichever way they come. Refusing a known and an unknown user takes the same time. */
export function signInCheck(store: Store): SignInCheck {
  const guesses = new FailedSignIns();
  return async ({ username, email, password }, { address, now }) => {
    const account = username || email;
    if (!account) throw usernameOrEmailRequired();
    guesses.check(account, address, now);
    const user = await store.query
      .selectFrom('users')
      .select(['id', 'passwordHash'])
      .where((when) =>
        username
          ? when.or([when('username', '=', username), when('email', '=', username.toLowerCase())])
          : when('email', '=', account.toLowerCase()),
      )
      .orderBy('id')
      .executeTakeFirst();
    if (!(await passwordMatches(user?.passwordHash, password ?? '')) || user === undefined) {
      guesses.failed(account, address, now);
      throw loginFailed();
    }
    guesses.succeeded(account, address);
    return { userId: user.id, way: 'password' };
  };
}
