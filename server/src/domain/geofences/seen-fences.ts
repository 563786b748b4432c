import type { Workplace } from '../../platform/storage/work.ts';
import type { Tables } from '../schema/tables.ts';
import { type Area, areaOf, type Shape } from './shape/area.ts';

/** A fence that a user may see, as it is now. */
export interface SeenFence {
  readonly id: number;
  readonly name: string | null;
  /** The only device it is for, if it is for one. */
  readonly deviceId: number | null;
  /** Since when the shape is what it is. */
  readonly shapedAt: number;
  /** Undefined while the fence has no shape. */
  readonly area: Area | undefined;
}

/** Which fences are meant: one, or all of a type. */
export type WantedFences = { readonly id: number } | { readonly type: string };

/** The fences of a user that are meant. This is the one place that says which fences a user sees. */
export async function seenFences(
  { query }: Pick<Workplace<Tables>, 'query'>,
  userId: number,
  wanted: WantedFences,
): Promise<SeenFence[]> {
  const rows = await query
    .selectFrom('geofences as g')
    .innerJoin('fenceVersions as v', (on) => on.onRef('v.fenceId', '=', 'g.id').on('v.validTo', 'is', null))
    .select(['g.id', 'g.name', 'g.deviceId', 'g.outline', 'g.centerLat', 'g.centerLng', 'g.radius', 'v.shapedAt'])
    .where('g.userId', '=', userId)
    .where('id' in wanted ? 'g.id' : 'g.type', '=', 'id' in wanted ? wanted.id : wanted.type)
    .orderBy('g.id')
    .execute();
  return rows.map(({ id, name, deviceId, shapedAt, ...shape }) => ({
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
