import type { Geofence } from '../../api/geofences.ts';
import { colorOf } from '../../api/geofences.ts';
import { t } from '../../texts/t.ts';

/** Fences with the same type. */
export interface Group {
  /** Its key in the address; `-` for fences without a group. */
  readonly key: string;
  readonly label: string;
  /** The most frequent colour of its fences. */
  readonly color: string | undefined;
  readonly fences: readonly Geofence[];
}

const NONE = '-';

export const nameOf = ({ name }: Pick<Geofence, 'name'>) => name ?? t.geofences.unnamed;

/** By name, fences without a group last. */
export function groupsOf(fences: readonly Geofence[]): Group[] {
  const members = new Map<string, Geofence[]>();
  for (const fence of fences) {
    const key = fence.type ?? NONE;
    const those = members.get(key);
    if (those) those.push(fence);
    else members.set(key, [fence]);
  }
  return [...members]
    .map(([key, those]) => ({
      key,
      label: key === NONE ? t.geofences.noGroup : key,
      color: commonest(those.map(colorOf)),
      fences: those.toSorted((a, b) => nameOf(a).localeCompare(nameOf(b), undefined, { numeric: true })),
    }))
    .sort((a, b) => Number(a.key === NONE) - Number(b.key === NONE) || a.label.localeCompare(b.label));
}

export function narrowed(fences: readonly Geofence[], query: string | null, group: string | null): Geofence[] {
  const text = query?.trim().toLowerCase() ?? '';
  return fences.filter(
    (fence) =>
      (group === null || (fence.type ?? NONE) === group) &&
      (text === '' || nameOf(fence).toLowerCase().includes(text) || (fence.type ?? '').toLowerCase().includes(text)),
  );
}

function commonest(colors: readonly (string | undefined)[]): string | undefined {
  const counts = new Map<string | undefined, number>();
  for (const color of colors) counts.set(color, (counts.get(color) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
}
