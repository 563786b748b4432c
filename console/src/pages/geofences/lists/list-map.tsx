import { useEffect, useMemo, useState } from 'react';
import type { GeofenceList, SeenFence } from '../../../api/geofence-lists.ts';
import { colorOf } from '../../../api/geofences.ts';
import { type MapHandle, showBox } from '../../../map/draw/draw-camera.ts';
import { type DrawnFences, drawnFences } from '../../../map/draw/draw-fences.ts';
import { boxOf, shapeOf } from '../../../map/draw/draw-shape.ts';
import { MapView } from '../../../map/map-view.tsx';
import { createStore } from '../../../store.ts';
import { t } from '../../../texts/t.ts';
import css from '../geofences.module.css';
import { nameOf } from '../groups.ts';
import own from './lists.module.css';

/** A map of all fences of a list, regardless of their owner. */
export function ListMap({ list, fences }: { list: GeofenceList; fences: readonly SeenFence[] }) {
  const [map, setMap] = useState<MapHandle>();
  const drawn = useMemo(() => createStore<DrawnFences>({ fences: [], selected: undefined }), []);
  const parts = useMemo(() => [drawnFences(drawn, { nameClass: css.mapName! })], [drawn]);
  useEffect(() => {
    const shaped = fences.flatMap((fence) => {
      const shape = shapeOf(fence);
      return shape ? [{ id: fence.id, name: nameOf(fence), color: colorOf(fence) ?? list.color, shape }] : [];
    });
    drawn.set({ fences: shaped, selected: undefined });
    const box = boxOf(shaped.map(({ shape }) => shape));
    if (map && box) showBox(map, box, { glides: false });
  }, [drawn, map, fences, list.color]);
  return (
    <div className={own.map}>
      <MapView label={t.geofenceLists.map({ name: list.name })} parts={parts} onMap={setMap} />
    </div>
  );
}
