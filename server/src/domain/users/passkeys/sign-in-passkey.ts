import type { AuthenticationResponseJSON, verifyAuthenticationResponse } from '@simplewebauthn/server';
import type { Visitor } from '../../../sign-in.ts';
import type { Store } from '../../schema/tables.ts';
import { newChallenge, useChallenge } from './challenges.ts';
import { relyingPartyOf } from './relying-party.ts';
import { webauthn } from './webauthn.ts';

/** What a browser needs to ask for a passkey. It names none: the passkey itself says whose it is. */
export async function signInOptions(store: Store, publicUrl: string, { origin, now }: Visitor): Promise<object> {
  const { id } = relyingPartyOf(origin, publicUrl);
  const challenge = await newChallenge(store, null, now);
  const { generateAuthenticationOptions } = await webauthn();
  return generateAuthenticationOptions({ rpID: id, challenge, userVerification: 'required' });
}

/** The user who signed a challenge of ours with a passkey of theirs; undefined for anything else. */
export async function userOfPasskey(
  store: Store,
  publicUrl: string,
  response: object,
  { origin, now }: Visitor,
): Promise<number | undefined> {
  const party = relyingPartyOf(origin, publicUrl);
  const { id } = response as Partial<AuthenticationResponseJSON>;
  if (typeof id !== 'string') return undefined;
  const passkey = await store.query
    .selectFrom('passkeys')
    .select(['id', 'userId', 'publicKey', 'counter'])
    .where('credentialId', '=', id)
    .executeTakeFirst();
  if (passkey === undefined) return undefined;
  const newCounter = await counterOf(response as AuthenticationResponseJSON, {
    party,
    credential: {
      id,
      publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
      counter: passkey.counter,
    },
    isOurs: (challenge) => useChallenge(store, challenge, null, now),
  });
  if (newCounter === undefined) return undefined;
  // A counter that did not rise is that of a copy. Authenticators that do not count always say 0.
  const used = await store.query
    .updateTable('passkeys')
    .set({ counter: newCounter, lastUsedAt: now })
    .where('id', '=', passkey.id)
    .where((when) => (newCounter === 0 ? when('counter', '=', 0) : when('counter', '<', newCounter)))
    .executeTakeFirst();
  return used.numUpdatedRows > 0n ? passkey.userId : undefined;
}

interface Expected {
  readonly party: { readonly id: string; readonly origin: string };
  readonly credential: Parameters<typeof verifyAuthenticationResponse>[0]['credential'];
  readonly isOurs: (challenge: string) => Promise<boolean>;
}

/** The counter of an answer that is right; undefined for one that is not, in whatever way. */
async function counterOf(
  response: AuthenticationResponseJSON,
  { party, credential, isOurs }: Expected,
): Promise<number | undefined> {
  const { verifyAuthenticationResponse: verify } = await webauthn();
  try {
    const { verified, authenticationInfo } = await verify({
      response,
      expectedChallenge: isOurs,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      credential,
      requireUserVerification: true,
    });
    return verified ? authenticationInfo.newCounter : undefined;
  } catch {
    // The library throws for whatever does not fit, and what it throws says nothing that the sender may know.
    return undefined;
  }
}
