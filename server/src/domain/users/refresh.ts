import type { Kysely } from 'kysely';
import type { Call } from '../../calls.ts';
import { recordAudit } from '../audit/record.ts';
import type { Tables } from '../schema/tables.ts';
import { type IssuedToken, newSecrets, type SessionLife } from './tokens.ts';

interface Presented {
  readonly hash: string;
  readonly refreshHash: string;
}

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
  { hash, refreshHash }: Presented,
  { refreshable, life, address }: Refreshing,
  now: number,
): Promise<(IssuedToken & { readonly userId: number }) | undefined> {
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
  const { token, expiresAt, refresh, columns } = newSecrets({ ttl, refreshable }, now, created + life.mostMs);
  await tx.updateTable('tokens').set(columns).where('id', '=', id).execute();
  await tx
    .insertInto('spentRefreshTokens')
    .values({ hash: refreshHash, tokenId: id })
    .onConflict((on) => on.column('hash').doNothing())
    .execute();
  return { id, userId, token, created: now, expiresAt, ...refresh };
}

/** A refresh token that comes twice was stolen: nobody can tell by whom of the two, so the session ends. */
export async function endReused(
  tx: Kysely<Tables>,
  refreshHash: string,
  { address, now }: Pick<Call, 'address' | 'now'>,
): Promise<void> {
  const spent = await tx
    .selectFrom('spentRefreshTokens')
    .select('tokenId')
    .where('hash', '=', refreshHash)
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
