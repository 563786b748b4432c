import type { Kysely } from 'kysely';
import type { Tables } from '../schema/tables.ts';

/**
 * Which fence is the safe zone of a device stands in its configuration; the fence bears the id of the configuration, if
 * it was made for it. One configuration has one safe zone, so both change together, here.
 */

/** Makes a fence the safe zone of a configuration, or takes the zone away. The device is told with its next report. */
export async function setZoneOfConfig(
  tx: Kysely<Tables>,
  configId: number,
  fenceId: number | null,
  now: number,
): Promise<void> {
  await tx
    .updateTable('deviceConfigs')
    .set({ safeZoneId: fenceId, modified: now })
    .where('id', '=', configId)
    .execute();
  await releaseZones(tx, configId, fenceId);
}

/** Fences that were made for a configuration and are not its safe zone any more. */
export async function releaseZones(tx: Kysely<Tables>, configId: number, exceptId: number | null): Promise<void> {
  let fences = tx.updateTable('geofences').set({ configId: null }).where('configId', '=', configId);
  if (exceptId !== null) fences = fences.where('id', '!=', exceptId);
  await fences.execute();
}

/** Devices whose safe zone goes away have none. */
export async function endZones(
  tx: Kysely<Tables>,
  fenceIds: readonly number[],
  now: number,
  configId?: number,
): Promise<void> {
  let configs = tx
    .updateTable('deviceConfigs')
    .set({ safeZoneId: null, modified: now })
    .where('safeZoneId', 'in', fenceIds);
  if (configId !== undefined) configs = configs.where('id', '=', configId);
  await configs.execute();
}
