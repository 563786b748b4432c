import type { Tx } from '../schema/tables.ts';

/** Makes every cache of the rules of this device read its triggers, its shares and whether it is active again. */
export async function rulesChanged(tx: Tx, deviceId: number): Promise<void> {
  await tx
    .updateTable('deviceStates')
    .set((of) => ({ rulesVersion: of('rulesVersion', '+', 1) }))
    .where('deviceId', '=', deviceId)
    .execute();
}

/** At most this many ids in one statement. */
export const IDS_AT_ONCE = 500;

/**
 * Says that rules may apply to other devices than before: the devices are compared with all rules soon. Called in the
 * transaction that creates a device, or changes its owner, tags, groups or shares.
 */
export async function rulesDue(tx: Tx, deviceIds: readonly number[], now: number): Promise<void> {
  for (let start = 0; start < deviceIds.length; start += IDS_AT_ONCE)
    await tx
      .insertInto('ruleQueue')
      .values(deviceIds.slice(start, start + IDS_AT_ONCE).map((deviceId) => ({ deviceId, queuedAt: now })))
      .onConflict((on) => on.doNothing())
      .execute();
}
