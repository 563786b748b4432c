import type { Kysely } from 'kysely';
import type { StoreKind } from '../../platform/storage/store-kind.ts';
import type { Tables } from '../schema/tables.ts';

/**
 * Whether nobody else is an admin. Asked inside the transaction that ends this one's right: admins are locked, so that
 * two who end each other's right at once take turns.
 */
export async function isLastAdmin(tx: Kysely<Tables>, storeKind: StoreKind, userId: number): Promise<boolean> {
  let admins = tx.selectFrom('users').select('id').where('admin', '=', 1).orderBy('id');
  // SQLite has one writer at a time. A row that another transaction demotes meanwhile drops out when the lock is had.
  if (storeKind === 'postgres') admins = admins.forNoKeyUpdate();
  const found = await admins.execute();
  return found.length === 1 && found[0]!.id === userId;
}
