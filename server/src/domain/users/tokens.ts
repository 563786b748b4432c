import type { TokenAccess, TokenFamily } from '@trackway/contract/families.ts';
import type { TokenScope } from '@trackway/contract/scopes.ts';
import type { Caller } from '../../calls.ts';
import { fingerprint, randomSecret } from '../../platform/secrets.ts';
import { whileUnchanged } from '../../platform/unchanged-cache.ts';
import { authorizationRequired, invalidToken } from '../../refusals.ts';
import type { Store } from '../schema/tables.ts';
import type { LastUses } from './last-uses.ts';

export const SESSION_S = 1_209_600;
export const MAX_REFRESH_S = 2_678_400;
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
  readonly kind: 'login' | 'personal';
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

/** A login token is issued to somebody who has just proved who they are. */
export async function issueToken(
  on: Pick<Store['query'], 'insertInto'>,
  wanted: NewToken,
  now: number,
): Promise<IssuedToken> {
  const { token, expiresAt, refresh, columns } = newSecrets(wanted, now);
  const { kind, scope, address = null } = wanted;
  const { id } = await on
    .insertInto('tokens')
    .values({
      userId: wanted.userId,
      kind,
      description: wanted.description ?? null,
      ttl: wanted.ttl,
      created: now,
      ...columns,
      signedInAt: kind === 'login' ? now : null,
      lastUsed: kind === 'login' ? now : null,
      lastAddress: kind === 'login' ? address : null,
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
) {
  const token = randomSecret(64);
  const expiresAt = Math.min(now + ttl * 1000, endsAt);
  const refresh = refreshable
    ? { refreshToken: randomSecret(64), refreshUntil: Math.min(expiresAt + refreshable * 1000, endsAt) }
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
  kind: 'login' | 'personal';
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

function callerOf(row: KnownToken): Caller {
  const scope = scopeIn(row);
  return {
    userId: row.userId,
    // An admin's rights are over all devices, and this token is for some.
    admin: row.admin !== 0 && scope?.deviceIds === undefined,
    tokenId: row.id,
    ...(row.signedInAt !== null && { signedInAt: row.signedInAt }),
    ...(scope && { scope }),
  };
}

export interface AuthenticatorOptions {
  readonly life?: SessionLife;
  readonly uses?: LastUses;
}

/** Returns the function that finds the caller of a token. */
export function authenticator(
  store: Store,
  { life = DEFAULT_LIFE, uses }: AuthenticatorOptions = {},
): (token: string, now: number, address?: string) => Promise<Caller> {
  const byHash = store.prepare<KnownToken>(
    'tokens.authenticate',
    `SELECT t."id", t."userId", t."kind", t."created", t."expiresAt", t."signedInAt", t."lastUsed", t."access",
       t."deviceIds", t."families", u."admin"
     FROM "tokens" t JOIN "users" u ON u."id" = t."userId" WHERE t."hash" = ?`,
  );
  const known = whileUnchanged(store.changes, async (token) => {
    const row = await byHash.get(fingerprint(token));
    if (row === undefined) return undefined;
    const idleMs = row.kind === 'login' ? life.idleMs : life.tokenIdleMs || Infinity;
    return {
      caller: callerOf(row),
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
  await on.deleteFrom('tokens').where('userId', '=', userId).where('id', '!=', except).execute();
}

export async function forgetOldTokens(store: Store, now: number): Promise<void> {
  const before = now - REMEMBERED_MS;
  await store.query
    .deleteFrom('tokens')
    .where('expiresAt', '<', before)
    .where((when) => when.or([when('refreshUntil', 'is', null), when('refreshUntil', '<', before)]))
    .execute();
}
