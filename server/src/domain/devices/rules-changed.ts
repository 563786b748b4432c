import type { Kysely } from 'kysely';
import type { Tables } from '../schema/tables.ts';

/** Makes every cache of the rules of this device read its triggers, its shares and whether it is active again. */
export async function rulesChanged(tx: Kysely<Tables>, deviceId: number): Promise<void> {
  await tx
    .updateTable('deviceStates')
    .set((of) => ({ rulesVersion: of('rulesVersion', '+', 1) }))
    .where('deviceId', '=', deviceId)
    .execute();
}
