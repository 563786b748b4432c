import { useEffect, useMemo, useState } from 'react';
import { useRead } from '../../api/calls.ts';
import { startOfDay } from '../../format/times.ts';
import { type Heat, type HeatView, heatLayer, watchHeatView } from '../../map/heat-layer.ts';
import type { MapLibre, MapPart } from '../../map/map-part.ts';
import { createStore } from '../../store.ts';

export const HEAT_DAYS = [1, 7, 30] as const;
export type HeatDays = (typeof HEAT_DAYS)[number];

const DAY_MS = 86_400_000;
const NOTHING = { west: 0, south: 0, east: 0, north: 0, zoom: 0 };

/** A heat map of the last days for the visible part; of one device if one is selected. */
export function useHeat(map: MapLibre | undefined, days: HeatDays | undefined, deviceId: number | undefined) {
  const [view, setView] = useState<HeatView>();
  const isOn = days !== undefined;
  useEffect(() => {
    if (!map || !isOn) return;
    return watchHeatView(map, (now) => setView((before) => sameOr(before, now)));
  }, [map, isOn]);
  const range = useMemo(() => {
    const to = startOfDay(Date.now()).getTime() + DAY_MS - 1;
    return { from: new Date(to - (days ?? 1) * DAY_MS + 1).toISOString(), to: new Date(to).toISOString() };
  }, [days]);
  const query = useRead(
    'heatMap',
    { id: 'me', ...range, ...(view ?? NOTHING), ...(deviceId !== undefined && { deviceId }) },
    { enabled: isOn && view !== undefined, keepsPrevious: true, staleTime: 60_000 },
  );
  const cells = useMemo(() => createStore<readonly Heat[]>([]), []);
  useEffect(() => cells.set(isOn ? (query.data?.cells ?? []) : []), [cells, isOn, query.data]);
  const part = useMemo<MapPart>(() => heatLayer(cells), [cells]);
  return isOn ? part : undefined;
}

const sameOr = (before: HeatView | undefined, now: HeatView) =>
  before && JSON.stringify(before) === JSON.stringify(now) ? before : now;
