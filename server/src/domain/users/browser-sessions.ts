import type { BrowserSignIn, TabToken } from '@trackway/contract/resources/accounts/browser-session.ts';
import type { Kysely } from 'kysely';
import { fingerprint } from '../../platform/secrets.ts';
import type { Vault } from '../../platform/vault.ts';
import { loginFailed } from '../../refusals.ts';
import type { BrowserSession, BrowserSessions, Visitor } from '../../sign-in.ts';
import { ADMINS_AS_THEY_ARE, type AdminPolicy, adminRights } from '../admin-rights.ts';
import { recordAudit } from '../audit/record.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { agentLabel } from './agent-label.ts';
import { type OpenidUserOptions, userOfClaims } from './openid/openid-users.ts';
import { newTicket, openTicket } from './openid/ticket.ts';
import { signInOptions } from './passkeys/sign-in-passkey.ts';
import type { SignInCheck } from './sign-in-check.ts';
import { issueToken } from './tokens.ts';

const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;
/** How long the session of a browser lasts after its last use, and in all. */
const REMEMBERED = { idleS: 14 * DAY_S, wholeS: 90 * DAY_S };
const UNTIL_CLOSED = { idleS: 12 * HOUR_S, wholeS: DAY_S };
/** Tokens of tabs are deleted so long after they expired: a tab asks for a new one before. */
const FORGOTTEN_MS = HOUR_S * 1000;

export interface BrowserSessionOptions {
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
export function browserSessions(
  store: Store,
  check: SignInCheck,
  { tabTokenS, publicUrl, admins = ADMINS_AS_THEY_ARE, openid, vault }: BrowserSessionOptions,
): BrowserSessions & { begin: Begin } {
  const begin: Begin = (userId, remember, way, visitor, earlier) =>
    store.transaction(async (tx) => {
      const { now, address } = visitor;
      const agent = agentLabel(visitor.agent);
      // The cookie is replaced, so nobody could end the session it stands for.
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
    tx: Kysely<Tables>,
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
      const user = await store.query
        .selectFrom('users')
        .select('hasSecondFactor')
        .where('id', '=', userId)
        .executeTakeFirstOrThrow();
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

export type Begin = (
  userId: number,
  remember: boolean,
  way: string,
  visitor: Visitor,
  earlier: string | undefined,
) => Promise<BrowserSession>;

const lifeOf = (remember: boolean) => (remember ? REMEMBERED : UNTIL_CLOSED);

async function endSession(tx: Kysely<Tables>, secret: string, { address, now }: Visitor): Promise<void> {
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
