import type { Place } from '../../../platform/sphere.ts';
import type { Workplace } from '../../../platform/storage/work.ts';
import type { Tables } from '../../schema/tables.ts';
import { type Area, areaOf, signedDistanceM } from '../shape/area.ts';
import { boxOf, isInBox } from '../shape/box.ts';
import { capsOf, FenceIndex } from './fence-index.ts';

/** Which fences of a user: those of a type, or these. */
export type ChosenZones = { readonly type: string } | { readonly ids: readonly number[] };

/** Some fences as they are now: whether a place is in any of them. */
export interface Zones {
  readonly count: number;
  contain(place: Place): boolean;
}

/** The fences of a user that are for all devices or for this one. */
export async function zonesOf(
  { query }: Pick<Workplace<Tables>, 'query'>,
  { userId, deviceId }: { readonly userId: number; readonly deviceId: number },
  chosen: ChosenZones,
): Promise<Zones> {
  const areas: Area[] = [];
  if ('ids' in chosen && chosen.ids.length === 0) return zonesIn(areas);
  let fences = query
    .selectFrom('geofences')
    .select(['outline', 'centerLat', 'centerLng', 'radius'])
    .where('userId', '=', userId)
    .where((when) => when.or([when('deviceId', 'is', null), when('deviceId', '=', deviceId)]));
  fences = 'ids' in chosen ? fences.where('id', 'in', [...chosen.ids]) : fences.where('type', '=', chosen.type);
  for (const { outline, centerLat, centerLng, radius } of await fences.execute()) {
    const area = areaOf({
      outline: outline === null ? null : JSON.parse(outline),
      center: centerLat === null || centerLng === null ? null : { lat: centerLat, lng: centerLng },
      radius,
    });
    if (area !== undefined) areas.push(area);
  }
  return zonesIn(areas);
}

/** Up to so many are looked at one by one. */
const FEW = 32;

function zonesIn(areas: readonly Area[]): Zones {
  if (areas.length > FEW) {
    const index = new FenceIndex(capsOf(areas));
    return { count: areas.length, contain: (place) => isIn(index, areas, place) };
  }
  const boxes = areas.map(boxOf);
  return {
    count: areas.length,
    // Most places are far from all of them.
    contain(place) {
      for (let at = 0; at < boxes.length; at++)
        if (isInBox(boxes[at]!, place) && signedDistanceM(areas[at]!, place, 0) <= 0) return true;
      return false;
    },
  };
}

function isIn(index: FenceIndex, areas: readonly Area[], place: Place): boolean {
  let isInside = false;
  index.near(place, 0, (number) => {
    isInside ||= signedDistanceM(areas[number]!, place, 0) <= 0;
  });
  return isInside;
}
