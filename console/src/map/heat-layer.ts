import type { GeoJSONSource } from 'maplibre-gl';
import type { Store } from '../store.ts';
import type { MapLibre, MapPart } from './map-part.ts';

export interface Heat {
  readonly lat: number;
  readonly lng: number;
  readonly count: number;
}

/** The visible part of the world, as in the request for a heat map. */
export interface HeatView {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
  readonly zoom: number;
}

const SOURCE = 'heat';
/** Keeps a single position visible. */
const LEAST = 0.3;
const MOST_ZOOM = 18;

/** Where devices were, below everything that moves. Lightness increases, so that it does not depend on hue alone. */
export function heatLayer(heat: Store<readonly Heat[]>): MapPart {
  return (map) => {
    map.addSource(SOURCE, { type: 'geojson', data: collection(heat.get()) });
    map.addLayer({
      id: SOURCE,
      type: 'heatmap',
      source: SOURCE,
      paint: {
        'heatmap-weight': ['get', 'weight'],
        'heatmap-radius': 18,
        'heatmap-intensity': 2,
        'heatmap-opacity': 0.8,
        'heatmap-color': [
          ...['interpolate', ['linear'], ['heatmap-density']],
          ...[
            0,
            'rgba(72, 110, 190, 0)',
            0.15,
            'rgba(72, 110, 190, 0.8)',
            0.45,
            '#21a585',
            0.75,
            '#8fd744',
            1,
            '#fde725',
          ],
        ] as never,
      },
    });
    const unsubscribe = heat.subscribe(() => map.getSource<GeoJSONSource>(SOURCE)?.setData(collection(heat.get())));
    return () => {
      unsubscribe();
      if (map.getLayer(SOURCE)) map.removeLayer(SOURCE);
      if (map.getSource(SOURCE)) map.removeSource(SOURCE);
    };
  };
}

/** A place where a device was parked for days must not outshine all others. */
function collection(cells: readonly Heat[]): GeoJSON.FeatureCollection {
  const most = Math.log1p(Math.max(1, ...cells.map(({ count }) => count)));
  return {
    type: 'FeatureCollection',
    features: cells.map(({ lat, lng, count }) => ({
      type: 'Feature',
      properties: { weight: LEAST + (1 - LEAST) * (Math.log1p(count) / most) },
      geometry: { type: 'Point', coordinates: [lng, lat] },
    })),
  };
}

/** Reports the visible part, now and after each move. */
export function watchHeatView(map: MapLibre, onView: (view: HeatView) => void): () => void {
  const look = () => onView(heatViewOf(map));
  look();
  map.on('moveend', look);
  return () => {
    map.off('moveend', look);
  };
}

/** Rounded, so that a small move causes no new request. */
function heatViewOf(map: MapLibre): HeatView {
  const bounds = map.getBounds();
  const zoom = Math.min(MOST_ZOOM, Math.max(0, Math.floor(map.getZoom())));
  const step = 360 / 2 ** zoom / 4;
  const within = (degrees: number, most: number) => Math.max(-most, Math.min(most, degrees));
  const down = (degrees: number) => Math.floor(degrees / step) * step;
  const up = (degrees: number) => Math.ceil(degrees / step) * step;
  return {
    west: within(down(bounds.getWest()), 180),
    south: within(down(bounds.getSouth()), 90),
    east: within(up(bounds.getEast()), 180),
    north: within(up(bounds.getNorth()), 90),
    zoom,
  };
}
