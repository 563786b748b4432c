import type { GeoJSONSource, Map as MapLibre } from 'maplibre-gl';
import type { LatLng } from '../../geo/place.ts';
import type { Store } from '../../store.ts';
import { colorsOf, type Theme } from '../colors.ts';

export interface Dot {
  readonly place: LatLng;
  readonly color: string | undefined;
}

const SOURCE = 'device-dots';

/** Devices as plain dots, for orientation while drawing. */
export function deviceDots(store: Store<readonly Dot[]>): (map: MapLibre, theme: Theme) => () => void {
  return (map, theme) => {
    const colors = colorsOf(theme);
    const data = () => collection(store.get(), colors.stopped);
    map.addSource(SOURCE, { type: 'geojson', data: data() });
    map.addLayer({
      id: SOURCE,
      type: 'circle',
      source: SOURCE,
      paint: {
        'circle-radius': ['interpolate', ['linear'], ['zoom'], 6, 3, 14, 6],
        'circle-color': ['get', 'color'],
        'circle-stroke-color': colors.surface,
        'circle-stroke-width': 2,
      },
    });
    const unsubscribe = store.subscribe(() => map.getSource<GeoJSONSource>(SOURCE)?.setData(data()));
    return () => {
      unsubscribe();
      if (map.getLayer(SOURCE)) map.removeLayer(SOURCE);
      if (map.getSource(SOURCE)) map.removeSource(SOURCE);
    };
  };
}

const collection = (dots: readonly Dot[], plain: string): GeoJSON.FeatureCollection => ({
  type: 'FeatureCollection',
  features: dots.map(({ place, color }) => ({
    type: 'Feature',
    properties: { color: color ?? plain },
    geometry: { type: 'Point', coordinates: [place.lng, place.lat] },
  })),
});
