import { Marker } from 'maplibre-gl';
import { useEffect, useRef } from 'react';
import type { LatLng } from '../../geo/place.ts';
import { lookAt } from '../camera.ts';
import type { MapLibre } from '../map-part.ts';

/** Moves the map to a place and marks it, until another one is shown. */
export function usePlaceOnMap(map: MapLibre | undefined): (place: LatLng | undefined) => void {
  const marker = useRef<Marker>(undefined);
  const remove = () => {
    marker.current?.remove();
    marker.current = undefined;
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: A marker belongs to its map.
  useEffect(() => remove, [map]);
  return (place) => {
    remove();
    if (!map || !place) return;
    marker.current = new Marker({ scale: 0.8 }).setLngLat([place.lng, place.lat]).addTo(map);
    lookAt(map, place, true);
  };
}
