import type { Call } from '../../../calls.ts';
import { invalidField } from '../../../refusals.ts';
import { failureRecorder } from '../../audit/failures.ts';
import type { Store } from '../../schema/tables.ts';
import { isFreshlySignedIn, requireFreshly } from '../fresh-sign-in.ts';
import { attemptSignIn } from '../password-guard.ts';
import { passwordMatches } from '../passwords.ts';
import type { SecondFactors } from './second-factors.ts';

interface Given {
  readonly password?: string | null;
  readonly code?: string | null;
}

export interface Prove {
  /** A sign-in within the last 15 minutes, the password or a code: for what outlives the session. */
  fresh(call: Call, given: Given): Promise<void>;
  /** The password or a code, however fresh the sign-in: for what makes the account weaker. */
  again(call: Call, given: Given): Promise<void>;
}

/** Lets a signed-in user prove once more who they are, so that an open session alone does not take over the account. */
export function proveAgain(store: Store, factors: SecondFactors): Prove {
  const recordFailure = failureRecorder(store);
  const passwordOf = async (userId: number) =>
    (await store.query.selectFrom('users').select('passwordHash').where('id', '=', userId).executeTakeFirst())
      ?.passwordHash || undefined;

  async function check({ caller: { userId }, address, now }: Call, { password, code }: Given): Promise<void> {
    const isRight = await attemptSignIn(store, { userId, name: '', address, now }, async () =>
      password ? passwordMatches(await passwordOf(userId), password) : factors.useCode(userId, code!, now),
    );
    if (isRight) return;
    await recordFailure({ action: 'user.passwordFailed', userId, address }, now);
    throw invalidField('proof', password ? 'password' : 'code', 'invalid', 'is not correct');
  }

  return {
    async fresh(call, given) {
      if (given.password || given.code) return check(call, given);
      requireFreshly(call);
    },

    async again(call, given) {
      if (given.password || given.code) return check(call, given);
      // Whoever signs in elsewhere has no password to give; an authenticator app gives a code.
      const { userId } = call.caller;
      const hasNone = (await passwordOf(userId)) === undefined && !(await factors.stateOf(userId)).authenticator;
      if (!hasNone || !isFreshlySignedIn(call))
        throw invalidField('proof', 'password', 'presence', 'or `code` is required');
    },
  };
}
