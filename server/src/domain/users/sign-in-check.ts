import {
  loginFailed,
  passwordNotUsed,
  secondFactorFailed,
  secondFactorRequired,
  usernameOrEmailRequired,
} from '../../refusals.ts';
import type { Visitor } from '../../sign-in.ts';
import { failureRecorder } from '../audit/failures.ts';
import type { Store } from '../schema/tables.ts';
import { FailedSignIns } from './failed-sign-ins.ts';
import { passwordMatches } from './passwords.ts';
import type { FactorState, SecondFactors } from './second-factor/second-factors.ts';

/** What somebody gives to sign in. */
export interface GivenCredentials {
  readonly username?: string | null;
  readonly email?: string | null;
  readonly password?: string | null;
  readonly code?: string | null;
  readonly passkey?: object | null;
}

export interface ProvenUser {
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

export interface SignInParts {
  readonly guesses?: FailedSignIns;
  readonly factors?: SecondFactors;
  /** Whether users who sign in by OpenID Connect may also use their password. */
  readonly openidPasswords?: boolean;
  /** The user of a passkey; undefined if it is not known, or its signature is wrong. */
  readonly userOfPasskey?: (response: object, visitor: Visitor) => Promise<number | undefined>;
}

/** Counts failures of passkeys, which name no account before they are checked. */
const PASSKEY = 'passkey\n';

/** Says who signs in, whichever way they come. Refusing a known and an unknown user takes the same time. */
export function signInCheck(
  store: Store,
  { guesses = new FailedSignIns(), factors, openidPasswords = true, userOfPasskey }: SignInParts = {},
): SignInCheck {
  const recordFailure = failureRecorder(store);

  async function byPasskey(response: object, visitor: Visitor): Promise<ProvenUser> {
    const { address, now } = visitor;
    guesses.check(PASSKEY, address, now);
    const userId = await userOfPasskey?.(response, visitor);
    if (userId === undefined) {
      guesses.failed(PASSKEY, address, now);
      throw loginFailed();
    }
    guesses.succeeded(PASSKEY, address);
    return { userId, way: 'passkey' };
  }

  /** Whether the second factor was given and is right; refuses where none was given. */
  async function secondFactor(userId: number, { code, passkey }: GivenCredentials, visitor: Visitor): Promise<string> {
    if (passkey && (await userOfPasskey?.(passkey, visitor)) === userId) return 'passkey';
    if (!passkey && code && (await factors?.useCode(userId, code, visitor.now))) return 'code';
    if (passkey || code) throw secondFactorFailed();
    throw secondFactorRequired(waysOf(await factors?.stateOf(userId)));
  }

  /** Counts what is wrong; whoever gives nothing has guessed nothing. */
  async function countedFactor(account: string, userId: number, given: GivenCredentials, visitor: Visitor) {
    try {
      return await secondFactor(userId, given, visitor);
    } catch (error) {
      if (given.code || given.passkey) {
        const { address, now } = visitor;
        guesses.failed(account, address, now);
        await recordFailure({ action: 'session.failed', address, userId }, now);
      }
      throw error;
    }
  }

  async function refusePassword(userId: number): Promise<void> {
    if (openidPasswords) return;
    const linked = await store.query
      .selectFrom('openidAccounts')
      .select('id')
      .where('userId', '=', userId)
      .limit(1)
      .executeTakeFirst();
    if (linked) throw passwordNotUsed();
  }

  const check = async (given: GivenCredentials, visitor: Visitor): Promise<ProvenUser> => {
    const { username, email, password, passkey } = given;
    const { address, now } = visitor;
    const account = username || email;
    if (!account && passkey) return byPasskey(passkey, visitor);
    if (!account) throw usernameOrEmailRequired();
    guesses.check(account, address, now);
    const user = await store.query
      .selectFrom('users')
      .select(['id', 'passwordHash', 'hasSecondFactor'])
      .where((when) =>
        username
          ? when.or([when('username', '=', username), when('email', '=', username.toLowerCase())])
          : when('email', '=', account.toLowerCase()),
      )
      .orderBy('id')
      .executeTakeFirst();
    // An account without a password is refused like an unknown one.
    if (!(await passwordMatches(user?.passwordHash || undefined, password ?? '')) || user === undefined) {
      guesses.failed(account, address, now);
      await recordFailure({ action: 'session.failed', address, userId: user?.id, name: account }, now);
      throw loginFailed();
    }
    await refusePassword(user.id);
    const factor = user.hasSecondFactor !== 0 && (await countedFactor(account, user.id, given, visitor));
    guesses.succeeded(account, address);
    return { userId: user.id, way: factor ? `password and ${factor}` : 'password' };
  };

  return Object.assign(check, {
    async secondStep(userId: number, given: GivenCredentials, visitor: Visitor) {
      const account = `user ${userId}`;
      guesses.check(account, visitor.address, visitor.now);
      const way = await countedFactor(account, userId, given, visitor);
      guesses.succeeded(account, visitor.address);
      return way;
    },
    waysOf: async (userId: number) => waysOf(await factors?.stateOf(userId)),
  });
}

const waysOf = (state: FactorState | undefined): string[] => [
  ...(state?.authenticator ? ['app'] : []),
  ...(state?.passkeys ? ['passkey'] : []),
  ...(state?.recoveryCodes ? ['recovery'] : []),
];
