import type { AccountName } from '../../calls.ts';
import { Refusal } from '../../platform/errors.ts';
import { fingerprint } from '../../platform/secrets.ts';
import {
  loginFailed,
  passwordNotUsed,
  secondFactorFailed,
  secondFactorRequired,
  usernameOrEmailRequired,
} from '../../refusals.ts';
import type { Visitor } from '../../sign-in.ts';
import { failureRecorder } from '../audit/record.ts';
import { findRow } from '../rows.ts';
import type { Store } from '../schema/tables.ts';
import { attemptSignIn } from './password-guard.ts';
import { passwordMatches } from './passwords.ts';
import { type SecondFactors, waysOf } from './second-factors.ts';

/** The input of a sign-in. */
interface GivenCredentials extends AccountName {
  readonly password?: string | null;
  readonly code?: string | null;
  readonly passkey?: object | null;
}

interface ProvenUser {
  readonly userId: number;
  /** How they proved who they are, for the audit trail. */
  readonly way: string;
}

export interface SignInCheck {
  (given: GivenCredentials, visitor: Visitor): Promise<ProvenUser>;
  /** The second factor of a user who has proved themselves elsewhere. Returns the way. */
  secondStep(userId: number, given: GivenCredentials, visitor: Visitor): Promise<string>;
  /** How this user can give a second factor. */
  waysOf(userId: number): Promise<string[]>;
}

interface SignInParts {
  readonly factors?: SecondFactors;
  /** Whether users who sign in by OpenID Connect may also use their password. */
  readonly openidPasswords?: boolean;
  /** The user of a passkey; undefined if it is not known, or its signature is wrong. */
  readonly userOfPasskey?: (response: object, visitor: Visitor) => Promise<number | undefined>;
}

export const userNamed = ({ query }: Store, { username, email }: AccountName) =>
  query
    .selectFrom('users')
    .select(['id', 'passwordHash', 'hasSecondFactor'])
    .where((when) =>
      username
        ? when.or([when('username', '=', username), when('email', '=', username.toLowerCase())])
        : when('email', '=', (email ?? '').toLowerCase()),
    )
    .orderBy('id')
    .executeTakeFirst();

/** Identifies the user for every kind of sign-in. Refusing a known and an unknown user takes the same time. */
export function signInCheck(
  store: Store,
  { factors, openidPasswords = true, userOfPasskey }: SignInParts = {},
): SignInCheck {
  const recordFailure = failureRecorder(store);

  async function byPasskey(response: object, visitor: Visitor): Promise<ProvenUser> {
    const { address, now } = visitor;
    let userId: number | undefined;
    // It names no account before it is checked, so failures count by the address alone.
    await attemptSignIn(store, { userId, name: `passkey ${address}`, address, now }, async () => {
      userId = await userOfPasskey?.(response, visitor);
      return userId !== undefined;
    });
    if (userId === undefined) {
      await recordFailure({ action: 'session.failed', address }, now);
      throw loginFailed();
    }
    return { userId, way: 'passkey' };
  }

  /** Whether the second factor was given and is right; refuses where none was given. */
  async function secondFactor(userId: number, { code, passkey }: GivenCredentials, visitor: Visitor): Promise<string> {
    if (passkey && (await userOfPasskey?.(passkey, visitor)) === userId) return 'passkey';
    if (!passkey && code && (await factors?.useCode(userId, code, visitor.now))) return 'code';
    if (passkey || code) throw secondFactorFailed();
    throw secondFactorRequired(waysOf(await factors?.stateOf(userId)));
  }

  /** The way of the second factor, or why it is wrong. Throws where none was given: that guesses nothing. */
  async function factorOrRefusal(userId: number, given: GivenCredentials, visitor: Visitor): Promise<string | Refusal> {
    try {
      return await secondFactor(userId, given, visitor);
    } catch (error) {
      if ((given.code || given.passkey) && error instanceof Refusal) return error;
      throw error;
    }
  }

  async function refusePassword(userId: number): Promise<void> {
    if (openidPasswords) return;
    const linked = await findRow(store.query, 'openidAccounts', { userId }, ['id']);
    if (linked) throw passwordNotUsed();
  }

  const check = async (given: GivenCredentials, visitor: Visitor): Promise<ProvenUser> => {
    const { username, email, password, passkey } = given;
    const { address, now } = visitor;
    const account = username || email;
    if (!account && passkey) return byPasskey(passkey, visitor);
    if (!account) throw usernameOrEmailRequired();
    const user = await userNamed(store, given);
    const attempt = { userId: user?.id, name: fingerprint(account.toLowerCase()), address, now };
    let factor: string | Refusal | undefined;
    const isRight = await attemptSignIn(store, attempt, async () => {
      // An account without a password is refused like an unknown one.
      if (!(await passwordMatches(user?.passwordHash || undefined, password ?? '')) || user === undefined) return false;
      await refusePassword(user.id);
      if (user.hasSecondFactor !== 0) factor = await factorOrRefusal(user.id, given, visitor);
      return !(factor instanceof Refusal);
    });
    if (!isRight || user === undefined) {
      await recordFailure({ action: 'session.failed', address, userId: user?.id, name: account }, now);
      throw factor instanceof Refusal ? factor : loginFailed();
    }
    return { userId: user.id, way: factor ? `password and ${factor}` : 'password' };
  };

  return Object.assign(check, {
    async secondStep(userId: number, given: GivenCredentials, visitor: Visitor) {
      const { address, now } = visitor;
      let way: string | Refusal | undefined;
      await attemptSignIn(store, { userId, name: '', address, now }, async () => {
        way = await factorOrRefusal(userId, given, visitor);
        return !(way instanceof Refusal);
      });
      if (typeof way !== 'string') {
        await recordFailure({ action: 'session.failed', address, userId }, now);
        throw way ?? loginFailed();
      }
      return way;
    },
    waysOf: async (userId: number) => waysOf(await factors?.stateOf(userId)),
  });
}
