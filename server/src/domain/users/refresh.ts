import type { Kysely } from 'kysely';
import type { Call } from '../../calls.ts';
import { derivedSecret, fingerprint, randomSecret } from '../../platform/secrets.ts';
import { recordAudit } from '../audit/record.ts';
import type { Tables } from '../schema/tables.ts';
import { type IssuedToken, newSecrets, type SessionLife } from './tokens.ts';

/** What whoever wants new tokens has: both are valid only together. */
export interface PresentedPair {
  readonly accessToken: string;
  readonly refreshToken: string;
}

/**
 * Whoever sends a refresh twice at once, or again since the answer was lost, gets the same tokens for this long. A thief
 * who is as fast has them too, and is found out by the next refresh of either.
 */
const GRACE_MS = 30_000;

/** The new tokens follow from the old refresh token and a salt, so they can be told once more without being stored. */
const secretsOf = (refreshToken: string, salt: string) => (use: string) => derivedSecret(refreshToken, salt, use);

interface Refreshing {
  readonly refreshable: number | undefined;
  readonly life: SessionLife;
  readonly address: string;
}

/**
 * Gives a session new tokens; undefined where the pair is not valid. The session stays the same row, so that everything
 * that ends it ends all tokens it ever had.
 */
export async function refreshSession(
  tx: Kysely<Tables>,
  { accessToken, refreshToken }: PresentedPair,
  { refreshable, life, address }: Refreshing,
  now: number,
): Promise<(IssuedToken & { readonly userId: number }) | undefined> {
  const [hash, refreshHash] = [fingerprint(accessToken), fingerprint(refreshToken)];
  // Changing the row locks it: a second request with the same pair waits, and then finds another hash.
  const session = await tx
    .updateTable('tokens')
    .set({ lastUsed: now, lastAddress: address })
    .where('hash', '=', hash)
    .where('refreshHash', '=', refreshHash)
    .where('refreshUntil', '>', now)
    .where('created', '>', now - life.mostMs)
    .where((when) => when.or([when('created', '>', now - life.idleMs), when('lastUsed', '>', now - life.idleMs)]))
    .returning(['id', 'userId', 'ttl', 'created'])
    .executeTakeFirst();
  if (session === undefined) return undefined;
  const { id, userId, ttl, created } = session;
  const salt = randomSecret(32);
  const endsAt = created + life.mostMs;
  const secrets = newSecrets({ ttl, refreshable }, now, endsAt, secretsOf(refreshToken, salt));
  const { token, expiresAt, refresh, columns } = secrets;
  await tx.updateTable('tokens').set(columns).where('id', '=', id).execute();
  await tx
    .insertInto('spentRefreshTokens')
    .values({ hash: refreshHash, tokenId: id, accessHash: hash, salt, spentAt: now })
    .onConflict((on) => on.column('hash').doNothing())
    .execute();
  return { id, userId, token, created: now, expiresAt, ...refresh };
}

/** The tokens that a pair was just answered with; undefined where that was long ago, or they were refreshed since. */
export async function refreshedJustNow(
  tx: Kysely<Tables>,
  { accessToken, refreshToken }: PresentedPair,
  now: number,
): Promise<(IssuedToken & { readonly userId: number }) | undefined> {
  const spent = await tx
    .selectFrom('spentRefreshTokens')
    .select(['tokenId', 'salt', 'spentAt'])
    .where('hash', '=', fingerprint(refreshToken))
    .where('accessHash', '=', fingerprint(accessToken))
    .where('spentAt', '>', now - GRACE_MS)
    .executeTakeFirst();
  if (spent === undefined || spent.salt === null) return undefined;
  const secretFor = secretsOf(refreshToken, spent.salt);
  const token = secretFor('token');
  const session = await tx
    .selectFrom('tokens')
    .select(['id', 'userId', 'expiresAt', 'refreshUntil'])
    .where('id', '=', spent.tokenId)
    .where('hash', '=', fingerprint(token))
    .where('expiresAt', '>', now)
    .executeTakeFirst();
  if (session === undefined) return undefined;
  const { id, userId, expiresAt, refreshUntil } = session;
  const refresh = refreshUntil === null ? {} : { refreshToken: secretFor('refresh'), refreshUntil };
  return { id, userId, token, created: spent.spentAt!, expiresAt, ...refresh };
}

/** A refresh token that comes again later was stolen: nobody can tell by whom of the two, so the session ends. */
export async function endReused(
  tx: Kysely<Tables>,
  { refreshToken }: PresentedPair,
  { address, now }: Pick<Call, 'address' | 'now'>,
): Promise<void> {
  const spent = await tx
    .selectFrom('spentRefreshTokens')
    .select('tokenId')
    .where('hash', '=', fingerprint(refreshToken))
    .executeTakeFirst();
  if (spent === undefined) return;
  const ended = await tx
    .deleteFrom('tokens')
    .where('id', '=', spent.tokenId)
    .returning(['userId', 'agent'])
    .executeTakeFirst();
  if (ended === undefined) return;
  const { userId, agent } = ended;
  const detail = { id: spent.tokenId, agent };
  await recordAudit(tx, { action: 'session.reused', address, userId, detail }, now);
}
