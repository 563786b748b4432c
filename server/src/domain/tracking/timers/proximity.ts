import { MOST_PROXIMITY_M } from '@trackway/contract/triggers.ts';
import { distanceM } from '../../../platform/sphere.ts';
import type { SendingPolicy } from '../../delivery/sending-policy.ts';
import { hasRights } from '../../rights.ts';
import type { Store } from '../../schema/tables.ts';
import { type Firing, ruleNumber } from '../../triggers/evaluator.ts';
import type { ProximityInput } from '../evaluate/inputs.ts';
import { type Claim, type FiredOnce, fireOnce, ruleOf, watchedTriggers } from './fire-once.ts';

/** How much older than this device's the other device's newest fix may be. */
const MAX_AGE_MS = 600_000;
/** The distance to a device of another user is rounded to this. */
const FOREIGN_STEP_M = 100;
/** A proximity ends beyond this multiple of the distance, so that one at the limit fires once. */
const END_FACTOR = 1.2;

/**
 * Another device is near: it was just received by radio, or its newest fix is near and not much older. The beginning
 * and the end of a proximity are stored, so that it fires once, even with several servers and restarts.
 */
export async function evaluateProximity(
  store: Store,
  policy: SendingPolicy,
  { deviceId, points, readings }: ProximityInput,
  now: number,
): Promise<FiredOnce[]> {
  if (points.length === 0 && readings.length === 0) return [];
  const fired: FiredOnce[] = [];
  const triggers = watchedTriggers(store.query, 'proximity', now)
    .leftJoin('proximities as n', 'n.triggerId', 't.id')
    .select('n.otherDeviceId as nearDeviceId')
    .where('t.deviceId', '=', deviceId);
  for (const trigger of await triggers.execute()) {
    const rule = ruleOf(trigger, 'proximity');
    const otherDeviceId = rule.parameters.deviceId as number;
    // Triggers made before there was a most have it too.
    const meters = Math.min(ruleNumber(rule, 'meters')!, MOST_PROXIMITY_M);
    const isSeen = await hasRights(store.query, rule.userId, [{ deviceId: otherDeviceId, right: 'view' }]);
    const found = isSeen ? await distanceTo(store, otherDeviceId, { points, readings }) : undefined;
    if (found === undefined) continue;
    // The trigger may have been about another device.
    const wasNear = trigger.nearDeviceId === otherDeviceId;
    if (wasNear && found.meters > meters * END_FACTOR) await endProximity(store, trigger.id, found.at);
    if (wasNear || found.meters > meters) continue;
    const facts = { otherDeviceId, otherName: found.name, by: found.by, ...reportedDistance(found, rule.userId) };
    const firing: Firing = { rule, kind: 'near', at: found.at, decidedAt: found.at, pointId: found.pointId, facts };
    const claim = claimProximity({ triggerId: trigger.id, otherDeviceId, startedAt: found.at });
    const once = await fireOnce(store, policy, trigger, firing, { now, claim, about: [otherDeviceId] });
    if (once) fired.push(once);
  }
  return fired;
}

/** For a device of another user only a rounded distance, so that several triggers cannot determine its place. */
function reportedDistance({ meters, ownerId }: { meters: number; ownerId: number }, userId: number) {
  if (ownerId === userId) return { meters };
  return { meters: Math.max(1, Math.ceil(meters / FOREIGN_STEP_M)) * FOREIGN_STEP_M, isRounded: true };
}

interface ProximityRow {
  readonly triggerId: number;
  readonly otherDeviceId: number;
  readonly startedAt: number;
}

/** Of several servers that see a proximity begin, the one whose row is written claims it. */
function claimProximity(row: ProximityRow): Claim {
  return async (tx) => {
    const written = await tx
      .insertInto('proximities')
      .values(row)
      .onConflict((on) =>
        on.column('triggerId').doUpdateSet(row).where('proximities.otherDeviceId', '<>', row.otherDeviceId),
      )
      .returning('triggerId')
      .executeTakeFirst();
    return written !== undefined;
  };
}

/** A report that is evaluated late, of a time before the devices met, does not part them. */
const endProximity = (store: Store, triggerId: number, at: number) =>
  store.query.deleteFrom('proximities').where('triggerId', '=', triggerId).where('startedAt', '<=', at).execute();

async function distanceTo(
  store: Store,
  otherId: number,
  { points, readings }: Pick<ProximityInput, 'points' | 'readings'>,
) {
  const other = await store.query
    .selectFrom('devices')
    .select(['id', 'name', 'ownerId'])
    .where('id', '=', otherId)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
  if (other === undefined) return undefined;
  const { ownerId } = other;
  const name = other.name ?? `Device ${otherId}`;
  const sighting = readings.find(
    (reading) => reading.deviceId === otherId && (reading.type === 'ble_seen' || reading.type === 'uwb_seen'),
  );
  // A radio that receives it does not measure the distance, but it is near; ultra wide band measures centimetres.
  if (sighting) {
    const centimetres = sighting.type === 'uwb_seen' ? Number(JSON.parse(sighting.value)) : 0;
    return {
      name,
      ownerId,
      by: sighting.type,
      meters: Number.isFinite(centimetres) ? centimetres / 100 : 0,
      at: sighting.timestamp,
      pointId: undefined,
    };
  }
  const here = points
    .filter(({ locationLat }) => locationLat !== null)
    .toSorted((a, b) => a.timestamp - b.timestamp)
    .at(-1);
  if (here === undefined) return undefined;
  const there = await store.query
    .selectFrom('points')
    .select(['timestamp', 'locationLat', 'locationLng'])
    .where('deviceId', '=', otherId)
    .where('timestamp', '>=', here.timestamp - MAX_AGE_MS)
    .where('locationLat', 'is not', null)
    .orderBy('timestamp', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (there === undefined) return undefined;
  const place = ({ locationLat, locationLng }: { locationLat: number | null; locationLng: number | null }) => ({
    lat: locationLat!,
    lng: locationLng!,
  });
  const meters = distanceM(place(here), place(there));
  return { name, ownerId, by: 'position', meters, at: here.timestamp, pointId: here.id };
}
