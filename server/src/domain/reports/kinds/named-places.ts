import type { Place } from '../../../platform/sphere.ts';
import type { ReportedDevice, ReportKind } from '../report-row.ts';
import { type DrawnFence, insideOf, wantedFences } from './wanted-fences.ts';

/** The rows of a kind, with the name of the smallest geofence around each place. */
export const namingPlaces =
  (kind: ReportKind): ReportKind =>
  async (workplace, wanted) => {
    const rowsOf = await kind(workplace, wanted);
    if (!wanted.namesPlaces) return rowsOf;
    let nameAt: NameAt | undefined;
    return async (device) => {
      const rows = await rowsOf(device);
      if (rows.length === 0) return rows;
      nameAt ??= namesOf(await wantedFences(workplace, wanted.userId, undefined));
      for (const row of rows) {
        row.startPlace = row.startLocation && nameAt(row.startLocation, device);
        row.endPlace = row.endLocation && nameAt(row.endLocation, device);
      }
      return rows;
    };
  };

type NameAt = (place: Place, device: ReportedDevice) => string | null;

function namesOf(fences: readonly DrawnFence[]): NameAt {
  const named = fences.filter(({ name }) => name);
  const byId = new Map(named.map((fence) => [fence.id, fence]));
  const insideAt = insideOf(named);
  return (place, device) => {
    let found: DrawnFence | undefined;
    for (const id of insideAt(place)) {
      const fence = byId.get(id)!;
      const counts = fence.deviceId === null || fence.deviceId === device.id;
      if (counts && (found === undefined || fence.area.chord < found.area.chord)) found = fence;
    }
    return found?.name ?? null;
  };
}
