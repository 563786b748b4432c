import type { Map as MapLibre } from 'maplibre-gl';
import { circleRing, type LatLng } from '../../geo/place.ts';
import { colorsOf, type Theme } from '../colors.ts';
import { type FenceShape, polygonOf } from './draw-shape.ts';

/** A fix as it was evaluated: a disc that contains the device with 68 % probability. */
export interface Disc {
  readonly place: LatLng;
  readonly accuracyM: number;
  /** Distance from the edge of the fence, if there is one. */
  readonly distanceM?: number;
}

const SOURCE = 'evidence';

/** The evidence of a decision: the fence, the fixes as discs, and the path between them. */
export function evidenceDrawing(
  discs: readonly Disc[],
  fence: { shape: FenceShape; color: string | undefined } | undefined,
): (map: MapLibre, theme: Theme) => () => void {
  return (map, theme) => {
    const colors = colorsOf(theme);
    const features: GeoJSON.Feature[] = [
      ...(fence ? [feature('fence', polygonOf(fence.shape))] : []),
      ...discs.map(({ place, accuracyM }) =>
        feature('disc', { type: 'Polygon', coordinates: [circleRing(place, Math.max(1, accuracyM))] }),
      ),
      ...discs.map(({ place }) => feature('fix', { type: 'Point', coordinates: [place.lng, place.lat] })),
      ...(discs.length > 1
        ? [feature('way', { type: 'LineString', coordinates: discs.map(({ place }) => [place.lng, place.lat]) })]
        : []),
    ];
    map.addSource(SOURCE, { type: 'geojson', data: { type: 'FeatureCollection', features } });
    const only = (what: string) => ['==', ['get', 'what'], what] as never;
    const fenceColor = fence?.color ?? colors.fence;
    const layers = [
      { id: 'fence', type: 'fill', paint: { 'fill-color': fenceColor, 'fill-opacity': 0.16 } },
      { id: 'fence', type: 'line', paint: { 'line-color': fenceColor, 'line-width': 2 } },
      { id: 'disc', type: 'fill', paint: { 'fill-color': colors.stopped, 'fill-opacity': 0.22 } },
      { id: 'disc', type: 'line', paint: { 'line-color': colors.stopped, 'line-width': 1.5 } },
      { id: 'way', type: 'line', paint: { 'line-color': colors.ink, 'line-width': 1.5, 'line-dasharray': [2, 2] } },
      {
        id: 'fix',
        type: 'circle',
        paint: {
          'circle-radius': 5,
          'circle-color': colors.stopped,
          'circle-stroke-color': colors.surface,
          'circle-stroke-width': 2,
        },
      },
    ] as const;
    const ids = layers.map(({ id, type, paint }) => {
      const name = `${SOURCE}-${id}-${type}`;
      map.addLayer({ id: name, type, source: SOURCE, paint, filter: only(id) } as never);
      return name;
    });
    return () => {
      for (const id of ids.reverse()) if (map.getLayer(id)) map.removeLayer(id);
      if (map.getSource(SOURCE)) map.removeSource(SOURCE);
    };
  };
}

const feature = (what: string, geometry: GeoJSON.Geometry): GeoJSON.Feature => ({
  type: 'Feature',
  properties: { what },
  geometry,
});
