import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { Refusal } from '../../platform/errors.ts';
import { FewAtATime } from '../../platform/turns.ts';
import { secondFactorMissing } from '../../refusals.ts';
import { failureRecorder } from '../audit/record.ts';
import type { Store } from '../schema/tables.ts';
import { isFreshlySignedIn, type OwnPassword, refusePersonalToken } from './fresh-sign-in.ts';
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
    const user = await store.query
      .selectFrom('users')
      .select(['passwordHash', 'hasSecondFactor'])
      .where('id', '=', userId)
      .executeTakeFirst();
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
