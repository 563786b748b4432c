import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';

/** Locks a device until the transaction ends. */
export async function lockDevice(tx: Kysely<Tables>, deviceId: number): Promise<void> {
  await tx.selectFrom('deviceStates').select('deviceId').where('deviceId', '=', deviceId).forUpdate().execute();
}

/**
 * Reads what several callers may change at once, and keeps others from changing it until the transaction ends. Always in
 * the order of ids, so that transactions cannot wait for each other.
 */
export function lockDevices(tx: Kysely<Tables>, deviceIds: readonly number[]) {
  return tx
    .selectFrom('devices')
    .select(['id', 'tags', 'meta'])
    .where('id', 'in', [...deviceIds])
    .where('deletedAt', 'is', null)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
}
