import type { Kysely } from 'kysely';
import type { StoreKind } from '../../platform/storage/store-kind.ts';
import type { Tables } from '../schema/tables.ts';

/**
 * Reads what several callers may change at once, and keeps others from changing it until the transaction ends. Always in
 * the order of ids, so that transactions cannot wait for each other. On SQLite only one writes at a time.
 */
export function lockDevices(tx: Kysely<Tables>, storeKind: StoreKind, deviceIds: readonly number[]) {
  const rows = tx
    .selectFrom('devices')
    .select(['id', 'tags', 'meta'])
    .where('id', 'in', [...deviceIds])
    .where('deletedAt', 'is', null)
    .orderBy('id');
  return (storeKind === 'postgres' ? rows.forNoKeyUpdate() : rows).execute();
}
