import type { Workplace } from '../../platform/storage/work.ts';
import type { Tables } from '../schema/tables.ts';
import { type Area, areaOf, type Shape } from './area.ts';
import { fencesSeenBy } from './list-access.ts';

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
