import type { TokenAccess, TokenFamily } from '@trackway/contract/families.ts';
import type { TokenScope } from '@trackway/contract/scopes.ts';
import { sql } from 'kysely';
import type { Caller } from '../../calls.ts';
import { whileUnchanged } from '../../platform/caches.ts';
import { fingerprint, randomSecret } from '../../platform/secrets.ts';
import { authorizationRequired, invalidToken } from '../../refusals.ts';
import { ADMINS_AS_THEY_ARE, type AdminPolicy, adminRights } from '../rights.ts';
import { forgetOld } from '../schema/forget-old.ts';
import type { TokenRow } from '../schema/rows/account-rows.ts';
import type { Store, Tx } from '../schema/tables.ts';
import type { LastUses } from './last-uses.ts';

export const SESSION_S = 1_209_600;
/** The `ttl` of a token that does not expire, and when it would: a time that every client can read. */
export const NO_EXPIRY = 0;
const NEVER = Date.parse('9999-12-31T23:59:59Z');
/** How long an expired token is stored, so that its bearer gets "expired" instead of "unknown". */
const REMEMBERED_MS = 30 * 86_400_000;

/** How long sessions and tokens live, in milliseconds. */
export interface SessionLife {
  /** A session that is not used for this long ends. */
  readonly idleMs: number;
  /** No session lives longer, however often it is used and refreshed. */
  readonly mostMs: number;
  /** The same as `idleMs` for personal tokens; 0 means never. */
  readonly tokenIdleMs: number;
}

const DAY_MS = 86_400_000;
export const DEFAULT_LIFE: SessionLife = { idleMs: 30 * DAY_MS, mostMs: 365 * DAY_MS, tokenIdleMs: 0 };

export interface NewToken {
  readonly userId: number;
  readonly kind: TokenRow['kind'];
  readonly parentId?: number;
  /** When the bearer signed in, for a token that is made later. */
  readonly signedInAt?: number;
  readonly ttl: number;
  readonly description?: string | null;
  /** Seconds after the expiry during which the token can be refreshed. */
  readonly refreshable?: number;
  /** The program that signs in, as `agentLabel` names it. */
  readonly agent?: string | null;
  /** From where. */
  readonly address?: string;
  /** Absent for a token without limits. */
  readonly scope?: TokenScope;
}

export interface IssuedToken {
  readonly id: number;
  readonly token: string;
  readonly created: number;
  readonly expiresAt: number;
  readonly refreshToken?: string;
  readonly refreshUntil?: number;
}

/** A login token is issued to a user who has just been authenticated. */
export async function issueToken(
  on: Pick<Store['query'], 'insertInto'>,
  wanted: NewToken,
  now: number,
): Promise<IssuedToken> {
  const { token, expiresAt, refresh, columns } = newSecrets(wanted, now);
  const { kind, scope, address = null } = wanted;
  const isSession = kind === 'login' || kind === 'browser';
  const { id } = await on
    .insertInto('tokens')
    .values({
      userId: wanted.userId,
      kind,
      description: wanted.description ?? null,
      ttl: wanted.ttl,
      created: now,
      ...columns,
      signedInAt: isSession ? now : (wanted.signedInAt ?? null),
      lastUsed: isSession ? now : null,
      lastAddress: isSession ? address : null,
      parentId: wanted.parentId ?? null,
      agent: wanted.agent ?? null,
      access: scope?.access ?? 'full',
      deviceIds: scope?.deviceIds === undefined ? null : JSON.stringify(scope.deviceIds),
      families: scope?.families === undefined ? null : JSON.stringify(scope.families),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { id, token, created: now, expiresAt, ...refresh };
}

/** The secrets of a new or refreshed token, and their columns. */
export function newSecrets(
  { ttl, refreshable }: Pick<NewToken, 'ttl' | 'refreshable'>,
  now: number,
  endsAt = Infinity,
  secretFor: (use: 'token' | 'refresh') => string = () => randomSecret(64),
) {
  const token = secretFor('token');
  const expiresAt = Math.min(ttl === NO_EXPIRY ? NEVER : now + ttl * 1000, endsAt);
  const refresh = refreshable
    ? { refreshToken: secretFor('refresh'), refreshUntil: Math.min(expiresAt + refreshable * 1000, endsAt) }
    : undefined;
  const columns = {
    hash: fingerprint(token),
    expiresAt,
    refreshHash: refresh ? fingerprint(refresh.refreshToken) : null,
    refreshUntil: refresh?.refreshUntil ?? null,
  };
  return { token, expiresAt, refresh, columns };
}

interface KnownToken {
  id: number;
  userId: number;
  admin: number;
  hasSecondFactor: number;
  userKind: 'person' | 'service';
  kind: TokenRow['kind'];
  created: number;
  expiresAt: number;
  signedInAt: number | null;
  lastUsed: number | null;
  access: TokenAccess;
  deviceIds: string | null;
  families: string | null;
}

/** The limits of a token; undefined where it has none. */
export function scopeIn({
  access,
  deviceIds,
  families,
}: Pick<KnownToken, 'access' | 'deviceIds' | 'families'>): TokenScope | undefined {
  if (access === 'full' && deviceIds === null && families === null) return undefined;
  return {
    access,
    ...(deviceIds !== null && { deviceIds: JSON.parse(deviceIds) as number[] }),
    ...(families !== null && { families: JSON.parse(families) as TokenFamily[] }),
  };
}

function callerOf(row: KnownToken, policy: AdminPolicy): Caller {
  const scope = scopeIn(row);
  const { admin, lacksSecondFactor } = adminRights(row, policy);
  return {
    userId: row.userId,
    // An admin's rights are over all devices, and this token is for some.
    admin: admin && scope?.deviceIds === undefined,
    ...(lacksSecondFactor && { lacksSecondFactor }),
    tokenId: row.id,
    ...(row.signedInAt !== null && { signedInAt: row.signedInAt }),
    ...(scope && { scope }),
  };
}

/** How long a token may be unused. That of a tab is short anyway. */
export function idleLife(kind: TokenRow['kind'], life: SessionLife): number {
  if (kind === 'login') return life.idleMs;
  return (kind === 'personal' && life.tokenIdleMs) || Infinity;
}

interface AuthenticatorOptions {
  readonly admins?: AdminPolicy;
  readonly life?: SessionLife;
  readonly uses?: LastUses;
}

/** Returns the function that finds the caller of a token. */
export function authenticator(
  store: Store,
  { life = DEFAULT_LIFE, uses, admins = ADMINS_AS_THEY_ARE }: AuthenticatorOptions = {},
): (token: string, now: number, address?: string) => Promise<Caller> {
  const byHash = store.prepare<KnownToken>(
    'tokens.authenticate',
    // A tab acts as its browser: signing out, and all that lasts longer than the short token, concerns the browser.
    `SELECT coalesce(t."parentId", t."id") AS "id", t."userId", t."kind", t."created", t."expiresAt", t."signedInAt",
       t."lastUsed", t."access", t."deviceIds", t."families", u."admin", u."hasSecondFactor", u."kind" AS "userKind"
     FROM "tokens" t JOIN "users" u ON u."id" = t."userId" WHERE t."hash" = ? AND t."kind" NOT IN ('browser', 'mqtt')`,
  );
  const known = whileUnchanged(store.changes, async (token) => {
    const row = await byHash.get(fingerprint(token));
    if (row === undefined) return undefined;
    const idleMs = idleLife(row.kind, life);
    return {
      caller: callerOf(row, admins),
      endsAt: row.kind === 'login' ? Math.min(row.expiresAt, row.created + life.mostMs) : row.expiresAt,
      idleMs,
      idleAt: Math.max(row.lastUsed ?? 0, row.created) + idleMs,
    };
  });
  return async (token, now, address) => {
    const found = await known(token);
    if (found === undefined) throw authorizationRequired();
    const { caller, endsAt, idleAt, idleMs } = found;
    if (endsAt <= now) throw invalidToken();
    if (idleAt <= now && (uses?.of(caller.tokenId)?.at ?? 0) + idleMs <= now) throw invalidToken();
    if (address !== undefined) uses?.note(caller.tokenId, now, address);
    return caller;
  };
}

export async function endTokensOf(on: Pick<Store['query'], 'deleteFrom'>, userId: number, except = 0): Promise<void> {
  // Tabs whose browser is kept are kept with it; credentials for the broker are not.
  await on
    .deleteFrom('tokens')
    .where('userId', '=', userId)
    .where('id', '!=', except)
    .where((when) => when.or([when('parentId', 'is', null), when('parentId', '!=', except), when('kind', '=', 'mqtt')]))
    .execute();
}

/**
 * Credentials for the broker (`t`) that have not ended, each with the token (`p`) it was made with. They end with that
 * token; those made for another user also when its bearer is no admin any more.
 */
export const livingCredentials = (on: Pick<Tx, 'selectFrom'>, now: number) =>
  on
    .selectFrom('tokens as t')
    .innerJoin('tokens as p', 'p.id', 't.parentId')
    .innerJoin('users as u', 'u.id', 'p.userId')
    .where('t.kind', '=', 'mqtt')
    .where('t.expiresAt', '>', now)
    .where((when) => when.or([when('p.expiresAt', '>', now), when('p.refreshUntil', '>', now)]))
    .where((when) => when.or([when('p.userId', '=', when.ref('t.userId')), when('u.admin', '=', 1)]));

/** A token that can be refreshed ends with that, which is later. Spelled as the index on it is. */
const LAST_USE = sql<number>`COALESCE("refreshUntil", "expiresAt")`;

export const forgetOldTokens = (store: Store, now: number) => forgetOld(store, 'tokens', LAST_USE, now - REMEMBERED_MS);
