import type { Caller } from '../../calls.ts';
import { fingerprint, randomSecret } from '../../platform/secrets.ts';
import { whileUnchanged } from '../../platform/unchanged-cache.ts';
import { authorizationRequired, invalidToken } from '../../refusals.ts';
import { ADMINS_AS_THEY_ARE, type AdminPolicy, adminRights } from '../admin-rights.ts';
import type { TokenRow } from '../schema/rows/account-rows.ts';
import type { Store } from '../schema/tables.ts';

export const SESSION_S = 1_209_600;
export const MAX_REFRESH_S = 2_678_400;
/** How long an expired token is stored, so that its bearer gets "expired" instead of "unknown". */
const REMEMBERED_MS = 30 * 86_400_000;

export interface NewToken {
  readonly userId: number;
  readonly kind: TokenRow['kind'];
  readonly parentId?: number;
  readonly ttl: number;
  readonly description?: string | null;
  /** Seconds after the expiry during which the token can be refreshed. */
  readonly refreshable?: number;
}

export interface IssuedToken {
  readonly id: number;
  readonly token: string;
  readonly created: number;
  readonly expiresAt: number;
  readonly refreshToken?: string;
  readonly refreshUntil?: number;
}

export async function issueToken(
  on: Pick<Store['query'], 'insertInto'>,
  wanted: NewToken,
  now: number,
): Promise<IssuedToken> {
  const token = randomSecret(64);
  const expiresAt = now + wanted.ttl * 1000;
  const refresh = wanted.refreshable
    ? { refreshToken: randomSecret(64), refreshUntil: expiresAt + wanted.refreshable * 1000 }
    : undefined;
  const { id } = await on
    .insertInto('tokens')
    .values({
      userId: wanted.userId,
      hash: fingerprint(token),
      kind: wanted.kind,
      description: wanted.description ?? null,
      ttl: wanted.ttl,
      created: now,
      expiresAt,
      refreshHash: refresh ? fingerprint(refresh.refreshToken) : null,
      refreshUntil: refresh?.refreshUntil ?? null,
      parentId: wanted.parentId ?? null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { id, token, created: now, expiresAt, ...refresh };
}

interface KnownToken {
  id: number;
  userId: number;
  admin: number;
  hasSecondFactor: number;
  userKind: 'person' | 'service';
  expiresAt: number;
}

/** Returns the function that finds the caller of a token. */
export function authenticator(
  store: Store,
  policy: AdminPolicy = ADMINS_AS_THEY_ARE,
): (token: string, now: number) => Promise<Caller> {
  const byHash = store.prepare<KnownToken>(
    'tokens.authenticate',
    // A tab acts as its browser: signing out, and all that lasts longer than the short token, concerns the browser.
    `SELECT coalesce(t."parentId", t."id") AS "id", t."userId", t."expiresAt", u."admin", u."hasSecondFactor", u."kind" AS "userKind"
      FROM "tokens" t JOIN "users" u ON u."id" = t."userId" WHERE t."hash" = ? AND t."kind" != 'browser'`,
  );
  const known = whileUnchanged(store.changes, async (token) => {
    const row = await byHash.get(fingerprint(token));
    if (row === undefined) return undefined;
    return { caller: { userId: row.userId, tokenId: row.id, ...adminRights(row, policy) }, expiresAt: row.expiresAt };
  });
  return async (token, now) => {
    const found = await known(token);
    if (found === undefined) throw authorizationRequired();
    if (found.expiresAt <= now) throw invalidToken();
    return found.caller;
  };
}

export async function endTokensOf(on: Pick<Store['query'], 'deleteFrom'>, userId: number, except = 0): Promise<void> {
  // Tabs whose browser is kept are kept with it.
  await on
    .deleteFrom('tokens')
    .where('userId', '=', userId)
    .where('id', '!=', except)
    .where((when) => when.or([when('parentId', 'is', null), when('parentId', '!=', except)]))
    .execute();
}

export async function forgetOldTokens(store: Store, now: number): Promise<void> {
  const before = now - REMEMBERED_MS;
  await store.query
    .deleteFrom('tokens')
    .where('expiresAt', '<', before)
    .where((when) => when.or([when('refreshUntil', 'is', null), when('refreshUntil', '<', before)]))
    .execute();
}
