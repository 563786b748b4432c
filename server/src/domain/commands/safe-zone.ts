import { type Kysely, sql } from 'kysely';
import { type EndedRights, holds } from '../rights.ts';
import type { Tables } from '../schema/tables.ts';

/**
 * The configuration of a device refers to its safe zone; a fence that was created for a configuration has its id. A
 * configuration has one safe zone, so both change together, here.
 */

/** Sets or removes the safe zone of a configuration. The device receives it with the response to its next report. */
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

/** Fences that were created for a configuration and are no longer its safe zone. */
export async function releaseZones(tx: Kysely<Tables>, configId: number, exceptId: number | null): Promise<void> {
  let fences = tx.updateTable('geofences').set({ configId: null }).where('configId', '=', configId);
  if (exceptId !== null) fences = fences.where('id', '!=', exceptId);
  await fences.execute();
}

/** Removes these safe zones from their devices. */
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

/**
 * Removes the safe zones of users who may no longer manage the device. The device is notified, since it may have
 * applied the zone.
 */
export async function endUncoveredSafeZones(
  tx: Kysely<Tables>,
  { userId, deviceId, isGivenAway }: EndedRights,
  now: number,
): Promise<number> {
  let zones = tx.selectFrom('deviceConfigs as c').innerJoin('geofences as g', 'g.id', 'c.safeZoneId').select('c.id');
  if (!isGivenAway) zones = zones.where(sql<boolean>`NOT ${holds('manage', 'g.userId', 'c.deviceId')}`);
  if (userId !== undefined) zones = zones.where('g.userId', '=', userId);
  if (deviceId !== undefined) zones = zones.where('c.deviceId', '=', deviceId);
  const uncovered = await zones.execute();
  for (const { id } of uncovered) await setZoneOfConfig(tx, id, null, now);
  return uncovered.length;
}
