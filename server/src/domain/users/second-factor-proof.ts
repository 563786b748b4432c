import type { Call } from '../../calls.ts';
import { invalidField } from '../../refusals.ts';
import { findRow } from '../rows.ts';
import type { Store } from '../schema/tables.ts';
import {
  type GivenProof,
  isFreshlySignedIn,
  type OwnPassword,
  ownPasswordOf,
  refusePersonalToken,
  requireFreshly,
} from './passwords.ts';
import type { SecondFactors } from './second-factors.ts';

/** Personal tokens prove nothing. Where an account has a second factor, the password alone does not either. */
export interface Prove {
  /** A sign-in within the last 15 minutes, the password or a code: for what outlives the session. */
  fresh(call: Call, given: GivenProof): Promise<void>;
  /** The password or a code, however fresh the sign-in: for what makes the account weaker. */
  again(call: Call, given: GivenProof): Promise<void>;
  /** The same for a sign-in that is to count as fresh: the code cannot be replaced by an earlier sign-in. */
  signIn(call: Call, given: GivenProof): Promise<void>;
}

/** Lets a signed-in user prove once more who they are, so that an open session alone does not take over the account. */
export function proveAgain(store: Store, factors: SecondFactors): Prove {
  const passwordOf = async (userId: number) =>
    (await findRow(store.query, 'users', { id: userId }, ['passwordHash']))?.passwordHash || undefined;

  async function check(isOwn: OwnPassword, call: Call, given: GivenProof): Promise<void> {
    if (await isOwn(call, given)) return;
    throw invalidField('proof', given.password ? 'password' : 'code', 'invalid', 'is not correct');
  }

  async function again(isOwn: OwnPassword, call: Call, given: GivenProof): Promise<void> {
    if (given.password || given.code) return check(isOwn, call, given);
    refusePersonalToken(call);
    // Users who sign in at a provider have no password; an authenticator app gives a code.
    const { userId } = call.caller;
    const hasNone = (await passwordOf(userId)) === undefined && !(await factors.stateOf(userId)).authenticator;
    if (!hasNone || !isFreshlySignedIn(call))
      throw invalidField('proof', 'password', 'presence', 'or `code` is required');
  }

  const orSignIn = ownPasswordOf(store, factors);
  // A passkey gives no code, so its user signs in with it instead.
  const orPasskey = ownPasswordOf(store, factors, (authenticator) => authenticator);
  const strict = ownPasswordOf(store, factors, () => true);
  return {
    async fresh(call, given) {
      if (given.password || given.code) return check(orSignIn, call, given);
      requireFreshly(call);
    },
    again: (call, given) => again(orPasskey, call, given),
    signIn: (call, given) => again(strict, call, given),
  };
}
