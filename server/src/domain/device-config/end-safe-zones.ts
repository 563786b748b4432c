import { type Kysely, sql } from 'kysely';
import { type EndedRights, holds } from '../rights.ts';
import type { Tables } from '../schema/tables.ts';
import { setZoneOfConfig } from './safe-zone.ts';

/** A device has no safe zone of a user who may no longer manage it. It is told so, since it may have applied the zone. */
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
