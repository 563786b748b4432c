import { momentsOf, visitsOf } from '../../motion/visits.ts';
import { readPath } from '../../tracking/api/vehicle-track.ts';
import { emptyRow, type ReportKind } from '../report-row.ts';
import { insideOf, wantedFences } from './wanted-fences.ts';

/** Stays in the current shapes of geofences, regardless of their shape at that time. */
export const visits: ReportKind = async (workplace, { userId, fenceIds, from, to, now }) => {
  const fences = await wantedFences(workplace, userId, fenceIds);
  const names = new Map(fences.map(({ id, name }) => [id, name]));
  const forAll = insideOf(fences.filter(({ deviceId }) => deviceId === null));
  const hasForAll = fences.some(({ deviceId }) => deviceId === null);
  return async (device) => {
    const own = fences.filter(({ deviceId }) => deviceId === device.id);
    if (!hasForAll && own.length === 0) return [];
    const insideAt = own.length === 0 ? forAll : insideOf(fences.filter((fence) => isFor(fence, device)));
    const asked = { deviceId: device.id, from, to, now };
    const moments = momentsOf(await readPath(workplace, asked));
    return visitsOf(moments, { from, to: Math.min(to, now) }, insideAt).map(({ key, start, end, entered, left }) => ({
      ...emptyRow(device),
      start,
      end,
      duration: (end - start) / 1000,
      fenceId: key,
      fence: names.get(key) ?? null,
      entered,
      left,
    }));
  };
};

const isFor = (fence: { readonly deviceId: number | null }, device: { readonly id: number }) =>
  fence.deviceId === null || fence.deviceId === device.id;
