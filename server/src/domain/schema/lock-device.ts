import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';

/** Locks a device until the transaction ends. */
export async function lockDevice(tx: Kysely<Tables>, deviceId: number): Promise<void> {
  await tx.selectFrom('deviceStates').select('deviceId').where('deviceId', '=', deviceId).forUpdate().execute();
}
