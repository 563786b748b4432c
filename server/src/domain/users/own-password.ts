import { failureRecorder } from '../audit/failures.ts';
import type { Store } from '../schema/tables.ts';
import { checkPassword } from './check-password.ts';
import type { OwnPassword } from './fresh-sign-in.ts';

/** Checks the password of a caller who is signed in already. */
export function ownPasswordOf(store: Store): OwnPassword {
  const recordFailure = failureRecorder(store);
  return async ({ caller: { userId }, address, now }, password) => {
    const isRight = await checkPassword(store, userId, password, { address, now });
    if (!isRight) await recordFailure({ action: 'user.passwordFailed', userId, address }, now);
    return isRight;
  };
}
