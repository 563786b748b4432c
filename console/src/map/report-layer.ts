import type { LatLng } from '../geo/place.ts';
import { colorsOf } from './colors.ts';
import type { MapPart } from './map-part.ts';

/** A row of a report on the map: its place, or its start and end. */
export interface ReportPlace {
  readonly from: LatLng;
  readonly to?: LatLng;
}

const SOURCE = 'report';
const LINES = 'report-lines';
const DOTS = 'report-dots';

/** Places as dots. The line between start and end is dashed and straight: it connects the two, and is not the route. */
export function reportLayer(places: readonly ReportPlace[]): MapPart {
  return (map, theme) => {
    const colors = colorsOf(theme);
    map.addSource(SOURCE, { type: 'geojson', data: collection(places) });
    map.addLayer({
      id: LINES,
      type: 'line',
      source: SOURCE,
      filter: ['==', ['geometry-type'], 'LineString'],
      paint: { 'line-color': colors.accent, 'line-width': 1.6, 'line-opacity': 0.7, 'line-dasharray': [2, 2] },
    });
    map.addLayer({
      id: DOTS,
      type: 'circle',
      source: SOURCE,
      filter: ['==', ['geometry-type'], 'Point'],
      paint: {
        'circle-radius': ['interpolate', ['linear'], ['zoom'], 6, 3, 14, 6],
        'circle-color': ['case', ['get', 'isEnd'], colors.stopped, colors.accent],
        'circle-stroke-color': colors.surface,
        'circle-stroke-width': 1.5,
      },
    });
    return () => {
      for (const id of [DOTS, LINES]) if (map.getLayer(id)) map.removeLayer(id);
      if (map.getSource(SOURCE)) map.removeSource(SOURCE);
    };
  };
}

const collection = (places: readonly ReportPlace[]): GeoJSON.FeatureCollection => ({
  type: 'FeatureCollection',
  features: places.flatMap(({ from, to }) => [
    ...(to
      ? [
          feature({ type: 'LineString', coordinates: [at(from), at(to)] }),
          feature({ type: 'Point', coordinates: at(to) }, true),
        ]
      : []),
    feature({ type: 'Point', coordinates: at(from) }),
  ]),
});

const at = ({ lat, lng }: LatLng) => [lng, lat];
const feature = (geometry: GeoJSON.Geometry, isEnd = false): GeoJSON.Feature => ({
  type: 'Feature',
  properties: { isEnd },
  geometry,
});
