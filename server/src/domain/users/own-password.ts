import { failureRecorder } from '../audit/failures.ts';
import type { Store } from '../schema/tables.ts';
import { FailedSignIns } from './failed-sign-ins.ts';
import type { OwnPassword } from './fresh-sign-in.ts';
import { passwordMatches } from './passwords.ts';

/** Checks the password of a caller who is signed in already. */
export function ownPasswordOf(store: Store): OwnPassword {
  const guesses = new FailedSignIns();
  const recordFailure = failureRecorder(store);
  return async ({ caller, address, now }, password) => {
    const { userId } = caller;
    const account = `user ${userId}`;
    guesses.check(account, address, now);
    const user = await store.query
      .selectFrom('users')
      .select('passwordHash')
      .where('id', '=', userId)
      .executeTakeFirst();
    const isRight = await passwordMatches(user?.passwordHash, password);
    if (isRight) guesses.succeeded(account, address);
    else {
      guesses.failed(account, address, now);
      await recordFailure({ action: 'user.passwordFailed', userId, address }, now);
    }
    return isRight;
  };
}
