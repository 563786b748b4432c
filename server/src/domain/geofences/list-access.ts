import type { Scope } from '../../platform/collection.ts';
import { childNotFound } from '../../refusals.ts';
import type { Tx } from '../schema/tables.ts';

/** Access to a list of geofences: its owner, and the users it is shared with. Both are its members. */

export interface SeenList {
  readonly id: number;
  readonly name: string;
  readonly ownerId: number;
}

/** The lists that a user sees. */
export const listsSeenBy = (userId: number): Scope => ({
  sql: '("ownerId" = ? OR "id" IN (SELECT "listId" FROM "grants" WHERE "holderId" = ?))',
  cells: [userId, userId],
});

/** The fences that a user sees: their own, and those on the lists they see. */
export const fencesSeenBy = (userId: number): Scope => ({
  sql: `("userId" = ? OR "listId" IN (SELECT "id" FROM "geofenceLists" WHERE "ownerId" = ?
    UNION ALL SELECT "listId" FROM "grants" WHERE "holderId" = ?))`,
  cells: [userId, userId, userId],
});

/** A list that a user sees at this moment. */
export async function listSeenBy(
  on: Pick<Tx, 'selectFrom'>,
  userId: number,
  listId: number,
): Promise<SeenList | undefined> {
  return on
    .selectFrom('geofenceLists as l')
    .select(['l.id', 'l.name', 'l.ownerId'])
    .where('l.id', '=', listId)
    .where((when) =>
      when.or([
        when('l.ownerId', '=', userId),
        when.exists(
          when
            .selectFrom('grants as x')
            .select('x.id')
            .whereRef('x.listId', '=', 'l.id')
            .where('x.holderId', '=', userId),
        ),
      ]),
    )
    .executeTakeFirst();
}

/**
 * Before a change of the fences or members of a list: locks the list until the transaction ends, so that no fence of a
 * former member stays on it.
 */
export async function lockList(tx: Tx, listId: number): Promise<void> {
  await tx.selectFrom('geofenceLists').select('id').where('id', '=', listId).forUpdate().execute();
}

export async function lockedList(tx: Tx, userId: number, listId: number): Promise<SeenList> {
  await lockList(tx, listId);
  const list = await listSeenBy(tx, userId, listId);
  if (list === undefined) throw childNotFound('geofenceList', listId);
  return list;
}
