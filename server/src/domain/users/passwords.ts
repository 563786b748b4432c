import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Call } from '../../calls.ts';
import { Refusal } from '../../platform/errors.ts';
import { FewAtATime } from '../../platform/turns.ts';
import { freshSignInRequired, invalidField, secondFactorMissing, sessionRequired } from '../../refusals.ts';
import { failureRecorder } from '../audit/record.ts';
import { findRow } from '../rows.ts';
import type { Store } from '../schema/tables.ts';
import { attemptSignIn } from './password-guard.ts';
import { factorState, type SecondFactors, waysOf } from './second-factors.ts';

/**
 * argon2id with 19 MiB, two passes, one lane. Each hash contains its own cost, so that the cost can be raised later.
 */
const COST = { memory: 19_456, passes: 2, parallelism: 1 };
const FORM = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/;

/**
 * Hashing takes a thread and 19 MiB for tens of milliseconds, so a flood of sign-ins waits here: half of Node's four
 * threads stay free for everything else.
 */
const turns = new FewAtATime(2, 100);

const busy = () =>
  new Refusal(503, 'Too many sign-ins at once: try again in a moment', { headers: { 'retry-after': '2' } });

function derive(password: string, salt: Buffer, cost: typeof COST, tagLength: number): Promise<Buffer> {
  const work = () =>
    new Promise<Buffer>((resolve, reject) => {
      argon2('argon2id', { message: password, nonce: salt, tagLength, ...cost }, (error, tag) =>
        error ? reject(error) : resolve(tag),
      );
    });
  return turns.take(work, busy);
}

const unpadded = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const tag = await derive(password, salt, COST, 32);
  return `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${unpadded(salt)}$${unpadded(tag)}`;
}

/** Used for an unknown user, so that refusing takes the same time. */
const DUMMY_HASH = `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${unpadded(Buffer.alloc(16, 7))}$${unpadded(Buffer.alloc(32))}`;

export async function passwordMatches(stored: string | undefined, password: string): Promise<boolean> {
  const parts = FORM.exec(stored ?? DUMMY_HASH);
  if (parts === null) return false;
  const [, memory, passes, parallelism, salt, tag] = parts as unknown as string[];
  const expected = Buffer.from(tag!, 'base64');
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  const derived = await derive(password, Buffer.from(salt!, 'base64'), cost, expected.length);
  return timingSafeEqual(derived, expected) && stored !== undefined;
}

/**
 * Checks what a caller sends who is signed in already. A code is enough by itself only where an account has a second
 * factor.
 *
 * @param needsCode whether a password alone is too little for an account with a second factor, also right after a sign-in
 */
export function ownPasswordOf(
  store: Store,
  factors?: SecondFactors,
  needsCode: (authenticator: boolean) => boolean = () => false,
): OwnPassword {
  const recordFailure = failureRecorder(store);
  return async (call, { password, code }) => {
    const { address, now } = call;
    const { userId } = call.caller;
    const user = await findRow(store.query, 'users', { id: userId }, ['passwordHash', 'hasSecondFactor']);
    if (user?.hasSecondFactor && !code) {
      const state = await factorState(store.query, userId);
      if (!isFreshlySignedIn(call) || needsCode(state.authenticator)) throw secondFactorMissing(waysOf(state));
    }
    refusePersonalToken(call);
    const isRight = await attemptSignIn(store, { userId, name: '', address, now }, async () => {
      const isPassword = typeof password === 'string' && password !== '';
      if (isPassword || !code) {
        if (!(await passwordMatches(user?.passwordHash || undefined, isPassword ? password : ''))) return false;
        if (!code || !user?.hasSecondFactor) return true;
      }
      return (await factors?.useCode(userId, code, now)) ?? false;
    });
    if (!isRight) await recordFailure({ action: 'user.passwordFailed', userId, address }, now);
    return isRight;
  };
}

const FRESH_MS = 15 * 60_000;

/** What a caller sends to prove once more who they are. */
export interface GivenProof {
  readonly password?: string | null | undefined;
  readonly code?: string | null | undefined;
}

/**
 * Whether the password of the caller is right, and the code where one is given. Counts what is wrong, and refuses who
 * tried too often, personal tokens, and a password alone where the account has a second factor.
 */
export type OwnPassword = (call: Call, given: GivenProof) => Promise<boolean>;

export const isFreshlySignedIn = ({ caller: { signedInAt }, now }: Call) =>
  signedInAt !== undefined && now - signedInAt < FRESH_MS;

/** For what makes an admin, or another account that acts by itself. */
export function requireFreshly(call: Call): void {
  if (!isFreshlySignedIn(call)) throw freshSignInRequired();
}

/** Personal tokens are for programs: a holder who guesses the password must not get the account. */
export function refusePersonalToken({ caller }: Call): void {
  if (caller.signedInAt === undefined) throw sessionRequired();
}

/**
 * What outlives a session, such as a token, needs proof of who the caller is: a sign-in within the last 15 minutes, or
 * the password, with the second factor where there is one. Otherwise a person who finds an open session could keep the
 * account.
 */
export async function requireFreshSignIn(
  call: Call,
  given: GivenProof,
  ownPassword: OwnPassword,
  { context, field } = { context: 'personalAccessToken', field: 'password' },
): Promise<void> {
  if (isFreshlySignedIn(call)) return;
  if (!given.password && !given.code) throw freshSignInRequired();
  if (!(await ownPassword(call, given)))
    throw invalidField(context, given.password ? field : 'code', 'invalid', 'is not correct');
}
