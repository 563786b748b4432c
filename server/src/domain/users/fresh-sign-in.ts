import type { Call } from '../../calls.ts';
import { freshSignInRequired, invalidField } from '../../refusals.ts';

const FRESH_MS = 15 * 60_000;

/** Whether this is the password of the caller. Counts what is wrong, and refuses who tried too often. */
export type OwnPassword = (call: Call, password: unknown) => Promise<boolean>;

export const isFreshlySignedIn = ({ caller: { signedInAt }, now }: Call) =>
  signedInAt !== undefined && now - signedInAt < FRESH_MS;

/** For what makes an admin, or another account that acts by itself. */
export function requireFreshly(call: Call): void {
  if (!isFreshlySignedIn(call)) throw freshSignInRequired();
}

/**
 * What outlives a session, such as a token, needs proof of who the caller is: a sign-in within the last 15 minutes, or
 * the password. Otherwise whoever finds an open session keeps the account.
 */
export async function requireFreshSignIn(
  call: Call,
  password: string | null | undefined,
  ownPassword: OwnPassword,
  { context, field } = { context: 'personalAccessToken', field: 'password' },
): Promise<void> {
  if (isFreshlySignedIn(call)) return;
  if (password === undefined || password === null || password === '') throw freshSignInRequired();
  if (!(await ownPassword(call, password))) throw invalidField(context, field, 'invalid', 'is not correct');
}
