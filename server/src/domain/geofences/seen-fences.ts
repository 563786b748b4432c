import type { Place } from '../../platform/sphere.ts';
import type { Workplace } from '../../platform/storage/work.ts';
import type { Tables } from '../schema/tables.ts';
import { type Area, areaOf, boxOf, isInBox, type Shape, signedDistanceM } from './area.ts';
import { capsOf, FenceIndex } from './fence-index.ts';
import { fencesSeenBy } from './list-access.ts';

/** Current fences that a query selects. */

/** A visible fence in its current version. */
export interface SeenFence {
  readonly id: number;
  readonly name: string | null;
  /** The device, if the fence is for a single one. */
  readonly deviceId: number | null;
  /** Time of the last change of the shape. */
  readonly shapedAt: number;
  /** Undefined if the fence has no shape. */
  readonly area: Area | undefined;
}

/** Selects fences: one, or all of a type. */
export type WantedFences = { readonly id: number } | { readonly type: string };

interface FenceCells extends ShapeCells {
  readonly id: number;
  readonly name: string | null;
  readonly deviceId: number | null;
  readonly shapedAt: number;
}

/** The selected fences that a user sees: their own, and those on lists shared with them. */
export async function seenFences(
  workplace: Pick<Workplace<Tables>, 'prepare'>,
  userId: number,
  wanted: WantedFences | 'all',
): Promise<SeenFence[]> {
  const seen = fencesSeenBy(userId);
  const [column, ...values] =
    wanted === 'all'
      ? (['all'] as const)
      : 'id' in wanted
        ? (['id', wanted.id] as const)
        : (['type', wanted.type] as const);
  const among = wanted === 'all' ? '' : ` AND "${column}" = ?`;
  const statement = workplace.prepare<FenceCells>(
    `geofences.seen.${column}`,
    `SELECT g."id", g."name", g."deviceId", g."outline", g."centerLat", g."centerLng", g."radius", v."shapedAt"
     FROM (SELECT * FROM "geofences" WHERE ${seen.sql}${among}) g
     JOIN "geofenceVersions" v ON v."fenceId" = g."id" AND v."validTo" IS NULL ORDER BY g."id"`,
  );
  return (await statement.all(...seen.cells, ...values)).map(({ id, name, deviceId, shapedAt, ...shape }) => ({
    id,
    name,
    deviceId,
    shapedAt,
    area: areaOf(shapeIn(shape)),
  }));
}

interface ShapeCells {
  readonly outline: string | null;
  readonly centerLat: number | null;
  readonly centerLng: number | null;
  readonly radius: number | null;
}

const shapeIn = ({ outline, centerLat, centerLng, radius }: ShapeCells): Shape => ({
  outline: outline === null ? null : JSON.parse(outline),
  center: centerLat === null || centerLng === null ? null : { lat: centerLat, lng: centerLng },
  radius,
});

/** Selects fences of a user: by type, or by id. */
export type ChosenZones = { readonly type: string } | { readonly ids: readonly number[] };

/** The current fences of a selection: whether a place is in any of them. */
interface Zones {
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
  for (const cells of await fences.execute()) {
    const area = areaOf(shapeIn(cells));
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
