import type { AuthenticationResponseJSON, verifyAuthenticationResponse } from '@simplewebauthn/server';
import type { BrowserSignIn, TabToken } from '@trackway/contract/resources/accounts/browser-session.ts';
import { fingerprint } from '../../platform/secrets.ts';
import type { Vault } from '../../platform/vault.ts';
import { loginFailed } from '../../refusals.ts';
import type { BrowserSession, BrowserSessions, Visitor } from '../../sign-in.ts';
import { recordAudit } from '../audit/record.ts';
import { ADMINS_AS_THEY_ARE, type AdminPolicy, adminRights } from '../rights.ts';
import { findRow, getRow } from '../rows.ts';
import type { Store, Tx } from '../schema/tables.ts';
import { type OpenidUserOptions, userOfClaims } from './openid-users.ts';
import { newChallenge, relyingPartyOf, useChallenge, webauthn } from './passkeys.ts';
import { type Prove, proveAgain } from './second-factor-proof.ts';
import { type SecondFactors, secondFactors } from './second-factors.ts';
import { agentLabel } from './session-list.ts';
import { type SignInCheck, signInCheck } from './sign-in-check.ts';
import { issueToken } from './tokens.ts';

const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;
/** How long the session of a browser lasts after its last use, and in all. */
const REMEMBERED = { idleS: 14 * DAY_S, wholeS: 90 * DAY_S };
const UNTIL_CLOSED = { idleS: 12 * HOUR_S, wholeS: DAY_S };
/** Tokens of tabs are deleted so long after they expired: a tab requests a new one before. */
const FORGOTTEN_MS = HOUR_S * 1000;

interface BrowserSessionOptions {
  readonly tabTokenS: number;
  readonly publicUrl: string;
  readonly admins?: AdminPolicy;
  readonly openid: OpenidUserOptions;
  readonly vault: Vault;
}

/**
 * One sign-in per browser: its cookie is a row of kind `browser`, and each tab trades the cookie for a short token, a
 * row of kind `tab` that ends with its browser.
 */
function browserSessions(
  store: Store,
  check: SignInCheck,
  { tabTokenS, publicUrl, admins = ADMINS_AS_THEY_ARE, openid, vault }: BrowserSessionOptions,
): BrowserSessions & { begin: Begin } {
  const begin: Begin = (userId, remember, way, visitor, earlier) =>
    store.transaction(async (tx) => {
      const { now, address } = visitor;
      const agent = agentLabel(visitor.agent);
      // The cookie is replaced, so its session could not be ended any more.
      if (earlier !== undefined) await endSession(tx, earlier, visitor);
      const ttl = lifeOf(remember).idleS;
      const browser = await issueToken(tx, { userId, kind: 'browser', ttl, agent, address }, now);
      await recordAudit(
        tx,
        {
          action: 'session.started',
          actorId: userId,
          userId,
          tokenId: browser.id,
          address,
          detail: { ...(agent !== null && { agent }), how: way },
        },
        now,
      );
      const tab = await tabToken(tx, { id: browser.id, userId, expiresAt: browser.expiresAt, signedInAt: now }, now);
      return { tab, secret: browser.token, ...(remember && { keptFor: ttl }) };
    });

  async function secondStep(
    sealed: string,
    sent: BrowserSignIn,
    visitor: Visitor,
    earlier: string | undefined,
  ): Promise<BrowserSession> {
    const ticket = openTicket(vault, sealed, visitor.now);
    if (ticket === undefined) throw loginFailed();
    const { userId, remember } = ticket;
    const way = await check.secondStep(userId, sent, visitor);
    return begin(userId, remember, `openid and ${way}`, visitor, earlier);
  }

  async function tabToken(
    tx: Tx,
    browser: { id: number; userId: number; expiresAt: number; signedInAt: number | null },
    now: number,
  ): Promise<TabToken> {
    const ttl = Math.max(1, Math.min(tabTokenS, Math.floor((browser.expiresAt - now) / 1000)));
    const { userId, id: parentId } = browser;
    const signedInAt = browser.signedInAt ?? undefined;
    const { token } = await issueToken(tx, { userId, kind: 'tab', ttl, parentId, signedInAt }, now);
    const user = await tx
      .selectFrom('users')
      .select(['admin', 'hasSecondFactor', 'kind as userKind'])
      .where('id', '=', userId)
      .executeTakeFirstOrThrow();
    const { lacksSecondFactor } = adminRights(user, admins);
    return { token, userId, expiresIn: ttl, ...(lacksSecondFactor && { lacksSecondFactor }) };
  }

  return {
    begin,

    async signIn(sent, visitor, earlier, ticket) {
      if (ticket !== undefined) return secondStep(ticket, sent, visitor, earlier);
      const { userId, way } = await check(sent, visitor);
      return begin(userId, sent.remember === true, way, visitor, earlier);
    },

    async openid(claims, remember, visitor, earlier) {
      const found = await userOfClaims(store, claims, openid, visitor);
      if ('problem' in found) return found;
      const { userId } = found;
      const user = await getRow(store.query, 'users', { id: userId }, ['hasSecondFactor']);
      if (user.hasSecondFactor !== 0 && !claims.usedSecondFactor)
        return { ticket: newTicket(vault, userId, remember, visitor.now), ways: await check.waysOf(userId) };
      return begin(userId, remember, 'openid', visitor, earlier);
    },

    trade: (secret, { now }) =>
      store.transaction(async (tx) => {
        const browser = await tx
          .selectFrom('tokens')
          .select(['id', 'userId', 'ttl', 'created', 'expiresAt', 'signedInAt'])
          .where('hash', '=', fingerprint(secret))
          .where('kind', '=', 'browser')
          .where('expiresAt', '>', now)
          .executeTakeFirst();
        if (browser === undefined) return undefined;
        const remember = browser.ttl === REMEMBERED.idleS;
        const ends = browser.created + lifeOf(remember).wholeS * 1000;
        const expiresAt = Math.min(now + browser.ttl * 1000, ends);
        await tx.updateTable('tokens').set({ expiresAt }).where('id', '=', browser.id).execute();
        await tx
          .deleteFrom('tokens')
          .where('parentId', '=', browser.id)
          .where('expiresAt', '<', now - FORGOTTEN_MS)
          .execute();
        const tab = await tabToken(tx, { ...browser, expiresAt }, now);
        return { tab, secret, ...(remember && { keptFor: Math.floor((expiresAt - now) / 1000) }) };
      }),

    end: (secret, visitor) => store.transaction((tx) => endSession(tx, secret, visitor)),

    passkeyOptions: (visitor) => signInOptions(store, publicUrl, visitor),
  };
}

type Begin = (
  userId: number,
  remember: boolean,
  way: string,
  visitor: Visitor,
  earlier: string | undefined,
) => Promise<BrowserSession>;

const lifeOf = (remember: boolean) => (remember ? REMEMBERED : UNTIL_CLOSED);

async function endSession(tx: Tx, secret: string, { address, now }: Visitor): Promise<void> {
  const ended = await tx
    .deleteFrom('tokens')
    .where('hash', '=', fingerprint(secret))
    .where('kind', '=', 'browser')
    .returning(['id', 'userId'])
    .executeTakeFirst();
  if (ended === undefined) return;
  const { id, userId } = ended;
  await recordAudit(tx, { action: 'session.ended', actorId: userId, userId, tokenId: id, address }, now);
}

/** What a user has who signed in at a provider and still owes the second factor. */
interface Ticket {
  readonly userId: number;
  readonly remember: boolean;
  readonly expiresAt: number;
}

const CONTEXT = 'openid ticket';
const LIFE_MS = 10 * 60_000;

const newTicket = (vault: Vault, userId: number, remember: boolean, now: number): string =>
  vault.seal(JSON.stringify({ userId, remember, expiresAt: now + LIFE_MS } satisfies Ticket), CONTEXT);

/** Undefined for one that has expired, or is none. */
function openTicket(vault: Vault, sealed: string, now: number): Ticket | undefined {
  if (!sealed.startsWith('sealed:')) return undefined;
  try {
    const ticket = JSON.parse(vault.open(sealed, CONTEXT)) as Ticket;
    return ticket.expiresAt > now ? ticket : undefined;
  } catch {
    return undefined;
  }
}

/** What all ways to sign in share: one count of failures, one set of second factors. */
export interface Signing {
  readonly vault: Vault;
  readonly factors: SecondFactors;
  readonly prove: Prove;
  readonly check: SignInCheck;
  readonly sessions: BrowserSessions & { begin: Begin };
}

interface SigningOptions {
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

/** What a browser needs to request a passkey. It names none: the passkey identifies its user. */
async function signInOptions(store: Store, publicUrl: string, { origin, now }: Visitor): Promise<object> {
  const { id } = relyingPartyOf(origin, publicUrl);
  const challenge = await newChallenge(store, null, now);
  const { generateAuthenticationOptions } = await webauthn();
  return generateAuthenticationOptions({ rpID: id, challenge, userVerification: 'required' });
}

/** The user who signed a challenge of ours with a passkey of theirs; undefined for anything else. */
async function userOfPasskey(
  store: Store,
  publicUrl: string,
  response: object,
  { origin, now }: Visitor,
): Promise<number | undefined> {
  const party = relyingPartyOf(origin, publicUrl);
  const { id } = response as Partial<AuthenticationResponseJSON>;
  if (typeof id !== 'string') return undefined;
  const passkey = await findRow(store.query, 'passkeys', { credentialId: id }, [
    'id',
    'userId',
    'publicKey',
    'counter',
  ]);
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
    // The library throws for any mismatch, and its message is not for the sender.
    return undefined;
  }
}
