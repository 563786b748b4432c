import { type Kysely, sql } from 'kysely';
import type { Scope } from '../../../platform/collection.ts';
import type { StoreKind } from '../../../platform/storage/store-kind.ts';
import { childNotFound } from '../../../refusals.ts';
import type { Tables } from '../../schema/tables.ts';

/** Who sees a list of geofences: its owner, and those it is shared with. Both are its members. */

export interface SeenList {
  readonly id: number;
  readonly name: string;
  readonly ownerId: number;
}

/** The lists that a user sees. */
export const listsSeenBy = (userId: number): Scope => ({
  sql: '("ownerId" = ? OR "id" IN (SELECT "listId" FROM "geofenceListUsers" WHERE "userId" = ?))',
  cells: [userId, userId],
});

/** The fences that a user sees: their own, and those on the lists they see. */
export const fencesSeenBy = (userId: number): Scope => ({
  sql: `("userId" = ? OR "listId" IN (SELECT "id" FROM "geofenceLists" WHERE "ownerId" = ?
    UNION ALL SELECT "listId" FROM "geofenceListUsers" WHERE "userId" = ?))`,
  cells: [userId, userId, userId],
});

/** A list that a user sees at this moment. */
export async function listSeenBy(
  on: Pick<Kysely<Tables>, 'selectFrom'>,
  userId: number,
  listId: number,
): Promise<SeenList | undefined> {
  return on
    .selectFrom('geofenceLists as l')
    .leftJoin('geofenceListUsers as m', (join) => join.onRef('m.listId', '=', 'l.id').on('m.userId', '=', userId))
    .select(['l.id', 'l.name', 'l.ownerId'])
    .where('l.id', '=', listId)
    .where((when) => when.or([when('l.ownerId', '=', userId), when('m.id', 'is not', null)]))
    .executeTakeFirst();
}

/**
 * For whoever changes what is on a list, or who sees it: nobody else does so until the transaction ends, so that no fence
 * of a former member stays on it. On SQLite a transaction is the only one that writes from its first statement on.
 */
export async function lockList(tx: Kysely<Tables>, storeKind: StoreKind, listId: number): Promise<void> {
  if (storeKind === 'postgres')
    await sql`SELECT "id" FROM "geofenceLists" WHERE "id" = ${listId} FOR UPDATE`.execute(tx);
}

export async function lockedList(
  tx: Kysely<Tables>,
  storeKind: StoreKind,
  userId: number,
  listId: number,
): Promise<SeenList> {
  await lockList(tx, storeKind, listId);
  const list = await listSeenBy(tx, userId, listId);
  if (list === undefined) throw childNotFound('geofenceList', listId);
  return list;
}
