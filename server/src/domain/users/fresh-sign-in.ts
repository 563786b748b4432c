import type { Call } from '../../calls.ts';
import { freshSignInRequired, invalidField, sessionRequired } from '../../refusals.ts';

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
