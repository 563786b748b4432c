import type { GeoJSONSource, Map as MapLibre } from 'maplibre-gl';
import { colorsOf, type Theme } from './colors.ts';

/** Degrees between lines. */
const STEPS = [1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005];
const FROM_ZOOM = 9;
const WANTED_LINES = 9;

/** At high zoom the bundled map is empty, so a subtle grid gives orientation. */
export function groundGrid(theme: Theme): (map: MapLibre) => () => void {
  return (map) => {
    const empty: GeoJSON.FeatureCollection = { type: 'FeatureCollection', features: [] };
    map.addSource('ground-grid', { type: 'geojson', data: empty });
    map.addLayer(
      {
        id: 'ground-grid',
        type: 'line',
        source: 'ground-grid',
        minzoom: FROM_ZOOM,
        paint: {
          'line-color': colorsOf(theme).grid,
          'line-width': 0.7,
          'line-opacity': ['interpolate', ['linear'], ['zoom'], FROM_ZOOM, 0, FROM_ZOOM + 1.5, 0.28],
        },
      },
      'places',
    );
    const draw = () => {
      if (map.getZoom() < FROM_ZOOM) return;
      const bounds = map.getBounds();
      const step = stepFor(bounds.getEast() - bounds.getWest());
      const source = map.getSource<GeoJSONSource>('ground-grid');
      source?.setData({
        type: 'Feature',
        properties: {},
        geometry: { type: 'MultiLineString', coordinates: linesOf(bounds.toArray(), step) },
      });
    };
    draw();
    map.on('moveend', draw);
    return () => {
      map.off('moveend', draw);
      if (map.getLayer('ground-grid')) map.removeLayer('ground-grid');
      if (map.getSource('ground-grid')) map.removeSource('ground-grid');
    };
  };
}

const stepFor = (width: number) => STEPS.find((step) => width / step >= WANTED_LINES) ?? STEPS.at(-1)!;

/** Half a view more on each side, so that dragging shows no edge. */
function linesOf([[west, south], [east, north]]: [[number, number], [number, number]], step: number) {
  const [width, height] = [(east - west) / 2, (north - south) / 2];
  const [left, right, bottom, top] = [west - width, east + width, south - height, north + height];
  const lines: [number, number][][] = [];
  for (let lng = Math.ceil(left / step) * step; lng <= right; lng += step)
    lines.push([
      [lng, bottom],
      [lng, top],
    ]);
  for (let lat = Math.ceil(bottom / step) * step; lat <= top; lat += step)
    lines.push([
      [left, lat],
      [right, lat],
    ]);
  return lines;
}
