import type { Call } from '../../calls.ts';
import { freshSignInRequired, invalidField } from '../../refusals.ts';

const FRESH_MS = 15 * 60_000;

/** Whether this is the password of the caller. Counts what is wrong, and refuses who tried too often. */
export type OwnPassword = (call: Call, password: unknown) => Promise<boolean>;

/**
 * What outlives a session, such as a token, needs proof of who the caller is: a sign-in within the last 15 minutes, or
 * the password. Otherwise whoever finds an open session keeps the account.
 */
export async function requireFreshSignIn(
  call: Call,
  password: string | null | undefined,
  ownPassword: OwnPassword,
): Promise<void> {
  const { signedInAt } = call.caller;
  if (signedInAt !== undefined && call.now - signedInAt < FRESH_MS) return;
  if (password === undefined || password === null || password === '') throw freshSignInRequired();
  if (!(await ownPassword(call, password)))
    throw invalidField('personalAccessToken', 'password', 'invalid', 'is not correct');
}
