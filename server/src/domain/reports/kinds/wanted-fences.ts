import type { Place } from '../../../platform/sphere.ts';
import type { Workplace } from '../../../platform/storage/work.ts';
import { type Area, boxOf, isInBox, signedDistanceM } from '../../geofences/area.ts';
import { capsOf, FenceIndex } from '../../geofences/fence-index.ts';
import { type SeenFence, seenFences } from '../../geofences/seen-fences.ts';
import type { Tables } from '../../schema/tables.ts';
import type { ReportKind } from '../report-row.ts';

/** Thrown if the caller does not see a requested fence. */
export class UnknownFence extends Error {
  readonly id: number;
  constructor(id: number) {
    super('unknown fence');
    this.id = id;
  }
}

export type DrawnFence = SeenFence & { readonly area: Area };

/** The selected fences in their current version; those without a shape contain no place. */
export async function wantedFences(
  workplace: Pick<Workplace<Tables>, 'prepare'>,
  userId: number,
  ids: readonly number[] | undefined,
): Promise<DrawnFence[]> {
  const seen = await seenFences(workplace, userId, 'all');
  const unknown = ids?.find((id) => !seen.some((fence) => fence.id === id));
  if (unknown !== undefined) throw new UnknownFence(unknown);
  const wanted = ids === undefined ? seen : seen.filter(({ id }) => ids.includes(id));
  return wanted.filter((fence): fence is DrawnFence => fence.area !== undefined);
}

/** Up to this many are checked one by one. */
const FEW = 32;
const NOWHERE: readonly number[] = [];

/** The ids of the fences that contain a place. */
export function insideOf(fences: readonly DrawnFence[]): (place: Place) => readonly number[] {
  if (fences.length <= FEW) {
    const boxes = fences.map(({ area }) => boxOf(area));
    return (place) => {
      let inside: number[] | undefined;
      // Most places are far from all of them.
      for (let at = 0; at < boxes.length; at++)
        if (isInBox(boxes[at]!, place) && signedDistanceM(fences[at]!.area, place, 0) <= 0) {
          inside ??= [];
          inside.push(fences[at]!.id);
        }
      return inside ?? NOWHERE;
    };
  }
  const index = new FenceIndex(capsOf(fences.map(({ area }) => area)));
  return (place) => {
    let inside: number[] | undefined;
    index.near(place, 0, (number) => {
      const { id, area } = fences[number]!;
      if (signedDistanceM(area, place, 0) > 0) return;
      inside ??= [];
      inside.push(id);
    });
    return inside ?? NOWHERE;
  };
}

/** The smallest of the device's fences around a place. */
type SmallestAround = (place: Place, device: { readonly id: number }) => DrawnFence | undefined;

export function smallestOf(fences: readonly DrawnFence[]): SmallestAround {
  const byId = new Map(fences.map((fence) => [fence.id, fence]));
  const insideAt = insideOf(fences);
  return (place, device) => {
    let found: DrawnFence | undefined;
    for (const id of insideAt(place)) {
      const fence = byId.get(id)!;
      const counts = fence.deviceId === null || fence.deviceId === device.id;
      if (counts && (found === undefined || fence.area.chord < found.area.chord)) found = fence;
    }
    return found;
  };
}

/** Adds the name of the smallest geofence around each place to the rows of a kind. */
export const namingPlaces =
  (kind: ReportKind): ReportKind =>
  async (workplace, wanted) => {
    const rowsOf = await kind(workplace, wanted);
    if (!wanted.namesPlaces) return rowsOf;
    let around: SmallestAround | undefined;
    return async (device) => {
      const rows = await rowsOf(device);
      if (rows.length === 0) return rows;
      around ??= smallestOf(await namedFences(workplace, wanted.userId));
      for (const row of rows) {
        row.startPlace = row.startLocation && nameOf(around(row.startLocation, device));
        row.endPlace = row.endLocation && nameOf(around(row.endLocation, device));
      }
      return rows;
    };
  };

const nameOf = (fence: { readonly name: string | null } | undefined) => fence?.name ?? null;

/** The fences that can name a place. */
export const namedFences = async (workplace: Pick<Workplace<Tables>, 'prepare'>, userId: number) =>
  (await wantedFences(workplace, userId, undefined)).filter(({ name }) => name);
