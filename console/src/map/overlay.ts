import { colorsOf } from './colors.ts';
import type { MapPart } from './map-part.ts';

const LAYERS = ['overlay-area', 'overlay-river', 'overlay-casing', 'overlay-street', 'overlay-name'] as const;

/** The width of a line at a zoom: major roads are twice as wide as minor ones. */
const width = (factor: number) =>
  [
    'interpolate',
    ['exponential', 1.6],
    ['zoom'],
    10,
    ['match', ['get', 'kind'], ['ring', 'avenue', 'motorway', 'primary'], 1.3 * factor, 0.6 * factor],
    14,
    ['match', ['get', 'kind'], ['ring', 'avenue', 'motorway', 'primary'], 5 * factor, 2.8 * factor],
    18,
    ['match', ['get', 'kind'], ['ring', 'avenue', 'motorway', 'primary'], 22 * factor, 13 * factor],
  ] as never;

/**
 * The operator's overlay on every map: GeoJSON from this server, drawn in muted colours below live data. `kind`
 * distinguishes rivers and larger streets; points and areas with a `name` have labels.
 */
export function mapOverlay(url: string): MapPart {
  return (map, theme) => {
    const color = colorsOf(theme);
    const isDark = theme === 'dark';
    const isLine = ['==', ['geometry-type'], 'LineString'];
    const isRiver = ['==', ['get', 'kind'], 'river'];
    map.addSource('overlay', { type: 'geojson', data: new URL(url, location.origin).href, tolerance: 0.2 });
    map.addLayer({
      id: 'overlay-area',
      type: 'fill',
      source: 'overlay',
      filter: ['==', ['geometry-type'], 'Polygon'] as never,
      paint: { 'fill-color': color.border, 'fill-opacity': 0.35 },
    });
    map.addLayer({
      id: 'overlay-river',
      type: 'line',
      source: 'overlay',
      filter: ['all', isLine, isRiver] as never,
      layout: { 'line-cap': 'round', 'line-join': 'round' },
      paint: {
        'line-color': isDark ? '#123043' : color.water,
        'line-width': ['interpolate', ['exponential', 1.7], ['zoom'], 10, 2, 14, 22, 18, 240],
      },
    });
    for (const [id, paint] of [
      ['overlay-casing', { 'line-color': color.coast, 'line-width': width(1.5) }],
      ['overlay-street', { 'line-color': isDark ? '#2b3945' : '#ffffff', 'line-width': width(1) }],
    ] as const) {
      map.addLayer({
        id,
        type: 'line',
        source: 'overlay',
        filter: ['all', isLine, ['!', isRiver]] as never,
        layout: { 'line-cap': 'round', 'line-join': 'round' },
        paint,
      });
    }
    map.addLayer({
      id: 'overlay-name',
      type: 'symbol',
      source: 'overlay',
      minzoom: 13,
      filter: ['all', ['has', 'name'], ['!=', ['get', 'kind'], 'customer'], ['!', isLine]] as never,
      layout: {
        'text-field': ['get', 'name'],
        'text-font': ['system-ui', 'Segoe UI', 'Roboto', 'Noto Sans', 'sans-serif'],
        'text-size': 12,
        'text-padding': 8,
      },
      paint: { 'text-color': color.label, 'text-halo-color': color.land, 'text-halo-width': 1.4 },
    });
    return () => {
      for (const id of LAYERS) if (map.getLayer(id)) map.removeLayer(id);
      if (map.getSource('overlay')) map.removeSource('overlay');
    };
  };
}
