import type { GeoJSONSource, Map as MapLibre } from 'maplibre-gl';
import type { DrawBoard } from './draw-board.ts';
import { polygonOf } from './draw-shape.ts';

const SOURCE = 'corridor-area';
const LAYERS = [`${SOURCE}-line`, `${SOURCE}-fill`] as const;

/** The area of the corridor that is edited, below its path. */
export function corridorArea(map: MapLibre, board: DrawBoard): { remove: () => void } {
  const { color } = board.get();
  map.addSource(SOURCE, { type: 'geojson', data: areaOf(board), tolerance: 0.1 });
  map.addLayer({ id: LAYERS[1], type: 'fill', source: SOURCE, paint: { 'fill-color': color, 'fill-opacity': 0.2 } });
  map.addLayer({ id: LAYERS[0], type: 'line', source: SOURCE, paint: { 'line-color': color, 'line-width': 1.6 } });
  let [shown, shownColor] = [board.get().shape, color];
  const unsubscribe = board.subscribe(() => {
    const now = board.get();
    if (now.shape !== shown) map.getSource<GeoJSONSource>(SOURCE)?.setData(areaOf(board));
    if (now.color !== shownColor) {
      map.setPaintProperty(LAYERS[1], 'fill-color', now.color);
      map.setPaintProperty(LAYERS[0], 'line-color', now.color);
    }
    [shown, shownColor] = [now.shape, now.color];
  });
  return {
    remove() {
      unsubscribe();
      for (const layer of LAYERS) if (map.getLayer(layer)) map.removeLayer(layer);
      if (map.getSource(SOURCE)) map.removeSource(SOURCE);
    },
  };
}

function areaOf(board: DrawBoard): GeoJSON.FeatureCollection {
  const { shape } = board.get();
  const isShown = shape?.kind === 'corridor' && shape.outline.length > 0;
  return {
    type: 'FeatureCollection',
    features: isShown ? [{ type: 'Feature', properties: {}, geometry: polygonOf(shape) }] : [],
  };
}
