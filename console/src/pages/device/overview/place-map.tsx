import { useEffect, useMemo, useRef } from 'react';
import type { Device, Point } from '../../../api/devices.ts';
import { MapView } from '../../../map/map-view.tsx';
import { createPlaceLayer } from '../../../map/track/track-place.ts';
import { t } from '../../../texts/t.ts';
import { useDeviceNow } from '../device-now.ts';
import { nameOf } from '../name-of.ts';

const ZOOM = 14.5;

/** A small map with the last position; it follows the device. */
export function PlaceMap({ device, point }: { device: Device; point: Point }) {
  const layer = useMemo(() => createPlaceLayer(), []);
  const parts = useMemo(() => [layer.part], [layer]);
  const { lat, lng } = point.location!;
  const start = useRef({ center: [lng, lat] as [number, number], zoom: ZOOM });
  const state = useDeviceNow(device)?.state ?? 'offline';
  const course = state === 'moving' && (point.speed ?? 0) > 0 ? point.course : null;
  useEffect(() => {
    layer.show({ lng, lat, accuracyM: point.accuracy, course, state });
  }, [layer, lng, lat, point.accuracy, course, state]);
  return <MapView label={t.device.mapLabel({ name: nameOf(device) })} parts={parts} start={start.current} />;
}
