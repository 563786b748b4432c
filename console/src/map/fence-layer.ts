import type { Geofence } from '../api/geofences.ts';
import { circleRing } from '../geo/place.ts';
import { colorsOf } from './colors.ts';
import type { MapPart } from './map-part.ts';

/** The outline of a geofence as a closed ring of [lng, lat], or undefined if it has none. */
export function ringOf({ outline, center, radius }: Pick<Geofence, 'outline' | 'center' | 'radius'>) {
  if (outline && outline.length >= 3) {
    const ring = outline.map(({ lat, lng }): [number, number] => [lng, lat]);
    return [...ring, ring[0]!];
  }
  return center && radius ? circleRing(center, radius) : undefined;
}

/** The colour of a geofence, if set: `meta.color`. */
export const colorOfFence = ({ meta }: Pick<Geofence, 'meta'>): string | undefined => {
  const color = (meta as { color?: unknown } | null)?.color;
  return typeof color === 'string' && /^#[0-9a-f]{6}$/i.test(color) ? color : undefined;
};

/** Geofences in muted colours below everything that moves. */
export function fenceLayer(fences: readonly Geofence[]): MapPart {
  return (map, theme) => {
    const colors = colorsOf(theme);
    map.addSource('fences', {
      type: 'geojson',
      data: {
        type: 'FeatureCollection',
        features: fences.flatMap((fence) => {
          const ring = ringOf(fence);
          if (!ring) return [];
          return {
            type: 'Feature' as const,
            id: fence.id,
            properties: { name: fence.name ?? '', color: colorOfFence(fence) ?? colors.fence },
            geometry: { type: 'Polygon' as const, coordinates: [ring] },
          };
        }),
      },
    });
    map.addLayer({
      id: 'fences-fill',
      type: 'fill',
      source: 'fences',
      paint: { 'fill-color': ['get', 'color'], 'fill-opacity': 0.09 },
    });
    map.addLayer({
      id: 'fences-line',
      type: 'line',
      source: 'fences',
      paint: { 'line-color': ['get', 'color'], 'line-width': 1.4, 'line-opacity': 0.75 },
    });
    return () => {
      for (const id of ['fences-line', 'fences-fill']) if (map.getLayer(id)) map.removeLayer(id);
      if (map.getSource('fences')) map.removeSource('fences');
    };
  };
}
