import type { Place } from '../../platform/sphere.ts';
import type { Workplace } from '../../platform/storage/work.ts';
import type { Tables } from '../schema/tables.ts';
import { type Area, areaOf, boxOf, isInBox, signedDistanceM } from './area.ts';
import { capsOf, FenceIndex } from './fence-index.ts';

/** Selects fences of a user: by type, or by id. */
export type ChosenZones = { readonly type: string } | { readonly ids: readonly number[] };

/** The current fences of a selection: whether a place is in any of them. */
export interface Zones {
  readonly count: number;
  contain(place: Place): boolean;
}

/** The fences of a user that apply to all devices or to this one. */
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

/** Up to this many are checked one by one. */
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
