import type { Vault } from '../../platform/vault.ts';
import type { BrowserSessions } from '../../sign-in.ts';
import type { AdminPolicy } from '../admin-rights.ts';
import type { Store } from '../schema/tables.ts';
import { type Begin, browserSessions } from './browser-sessions.ts';
import type { OpenidUserOptions } from './openid/openid-users.ts';
import { userOfPasskey } from './passkeys/sign-in-passkey.ts';
import { type Prove, proveAgain } from './second-factor/proof.ts';
import { type SecondFactors, secondFactors } from './second-factor/second-factors.ts';
import { type SignInCheck, signInCheck } from './sign-in-check.ts';

/** What all ways to sign in share: one count of failures, one set of second factors. */
export interface Signing {
  readonly vault: Vault;
  readonly factors: SecondFactors;
  readonly prove: Prove;
  readonly check: SignInCheck;
  readonly sessions: BrowserSessions & { begin: Begin };
}

export interface SigningOptions {
  readonly vault: Vault;
  readonly publicUrl: string;
  readonly tabTokenS: number;
  readonly admins?: AdminPolicy;
  readonly openid?: OpenidUserOptions & { readonly passwords: boolean };
}

const NO_OPENID = { domains: [], createsUsers: false, passwords: true };

export function openSigning(
  store: Store,
  { vault, publicUrl, tabTokenS, admins, openid = NO_OPENID }: SigningOptions,
): Signing {
  const factors = secondFactors(store, vault);
  const check = signInCheck(store, {
    factors,
    openidPasswords: openid.passwords,
    userOfPasskey: (response, visitor) => userOfPasskey(store, publicUrl, response, visitor),
  });
  return {
    vault,
    factors,
    check,
    prove: proveAgain(store, factors),
    sessions: browserSessions(store, check, { tabTokenS, publicUrl, admins, openid, vault }),
  };
}
