import type { Selectable } from 'kysely';
import { lockableTogether } from '../../platform/storage/bulk.ts';
import type { Tables, Tx } from './tables.ts';

/** Locks a device until the transaction ends. */
export async function lockDevice(tx: Tx, deviceId: number): Promise<void> {
  await tx.selectFrom('deviceStates').select('deviceId').where('deviceId', '=', deviceId).forUpdate().execute();
}

/**
 * Reads what several callers may change at once, and keeps others from changing it until the transaction ends. Always in
 * one order, so that transactions cannot wait for each other.
 */
export async function lockDevices(tx: Tx, deviceIds: readonly number[]) {
  const locked: Pick<Selectable<Tables['devices']>, 'id' | 'tags' | 'meta'>[] = [];
  for (const ids of lockableTogether(tx, deviceIds))
    locked.push(
      ...(await tx
        .selectFrom('devices')
        .select(['id', 'tags', 'meta'])
        .where('id', 'in', ids)
        .where('deletedAt', 'is', null)
        .orderBy('id')
        .forNoKeyUpdate()
        .execute()),
    );
  return locked;
}
