import { type GeoJSONSource, type MapLayerMouseEvent, type Map as MapLibre, Marker } from 'maplibre-gl';
import type { Store } from '../../store.ts';
import { colorsOf, type Theme } from '../colors.ts';
import { boxOf, type FenceShape, polygonOf, topOf } from './draw-shape.ts';

export interface DrawnFence {
  readonly id: number;
  readonly name: string;
  /** If undefined, the default colour of fences is used. */
  readonly color: string | undefined;
  readonly shape: FenceShape;
}

export interface DrawnFences {
  readonly fences: readonly DrawnFence[];
  readonly selected: number | undefined;
}

const SOURCE = 'drawn-fences';
/** A name is shown if its fence is at least this wide, in pixels; then the maximum number of names. */
const LEAST_WIDTH_PX = 56;
const MOST_NAMES = 60;

/** Fences in their colours with their names; `onPick` is called with the pressed one. */
export function drawnFences(
  store: Store<DrawnFences>,
  { onPick, nameClass }: { onPick?: (id: number) => void; nameClass: string },
): (map: MapLibre, theme: Theme) => () => void {
  return (map, theme) => {
    const plain = colorsOf(theme).fence;
    const isSelected = (yes: number, no: number) =>
      ['case', ['boolean', ['feature-state', 'selected'], false], yes, no] as unknown as number;
    map.addSource(SOURCE, { type: 'geojson', data: collection(store.get(), plain), tolerance: 0.1 });
    map.addLayer({
      id: `${SOURCE}-fill`,
      type: 'fill',
      source: SOURCE,
      paint: { 'fill-color': ['get', 'color'], 'fill-opacity': isSelected(0.3, 0.14) },
    });
    map.addLayer({
      id: `${SOURCE}-line`,
      type: 'line',
      source: SOURCE,
      paint: { 'line-color': ['get', 'color'], 'line-width': isSelected(3, 1.6), 'line-opacity': 0.95 },
    });

    let marked: number | undefined;
    const mark = (id: number | undefined) => {
      if (marked !== undefined) map.setFeatureState({ source: SOURCE, id: marked }, { selected: false });
      if (id !== undefined) map.setFeatureState({ source: SOURCE, id }, { selected: true });
      marked = id;
    };
    const names = nameMarkers(map, store, nameClass);
    let last = store.get().fences;
    const follow = () => {
      const now = store.get();
      if (now.fences !== last) map.getSource<GeoJSONSource>(SOURCE)?.setData(collection(now, plain));
      last = now.fences;
      mark(now.selected);
      names.show();
    };
    mark(store.get().selected);
    names.show();
    const unsubscribe = store.subscribe(follow);
    map.on('moveend', names.show);

    const pick = ({ features }: MapLayerMouseEvent) => features?.[0] && onPick?.(features[0].id as number);
    const over = () => {
      map.getCanvas().style.cursor = 'pointer';
    };
    const out = () => {
      map.getCanvas().style.cursor = '';
    };
    if (onPick) {
      map.on('click', `${SOURCE}-fill`, pick);
      map.on('mouseenter', `${SOURCE}-fill`, over);
      map.on('mouseleave', `${SOURCE}-fill`, out);
    }
    return () => {
      unsubscribe();
      map.off('moveend', names.show);
      map.off('click', `${SOURCE}-fill`, pick);
      map.off('mouseenter', `${SOURCE}-fill`, over);
      map.off('mouseleave', `${SOURCE}-fill`, out);
      names.clear();
      for (const layer of [`${SOURCE}-line`, `${SOURCE}-fill`]) if (map.getLayer(layer)) map.removeLayer(layer);
      if (map.getSource(SOURCE)) map.removeSource(SOURCE);
    };
  };
}

const collection = ({ fences }: DrawnFences, plain: string): GeoJSON.FeatureCollection => ({
  type: 'FeatureCollection',
  features: fences.map(({ id, color, shape }) => ({
    type: 'Feature',
    id,
    properties: { color: color ?? plain },
    geometry: polygonOf(shape),
  })),
});

/** Names are DOM elements, so they need no map fonts. */
function nameMarkers(map: MapLibre, store: Store<DrawnFences>, nameClass: string) {
  const shown = new Map<number, { marker: Marker; fence: DrawnFence }>();
  const show = () => {
    const bounds = map.getBounds();
    const wanted = new Map<number, DrawnFence>();
    for (const fence of store.get().fences) {
      if (wanted.size >= MOST_NAMES) break;
      const [[west, south], [east]] = boxOf([fence.shape])!;
      const widthPx = map.project([east, south]).x - map.project([west, south]).x;
      const top = topOf(fence.shape);
      if (widthPx >= LEAST_WIDTH_PX && bounds.contains([top.lng, top.lat])) wanted.set(fence.id, fence);
    }
    for (const [id, { marker, fence }] of shown) {
      if (wanted.get(id) === fence) continue;
      marker.remove();
      shown.delete(id);
    }
    for (const [id, fence] of wanted) {
      if (shown.has(id) || fence.name === '') continue;
      const element = document.createElement('span');
      element.className = nameClass;
      element.textContent = fence.name;
      element.setAttribute('aria-hidden', 'true');
      const marker = new Marker({ element, anchor: 'bottom', offset: [0, -3] })
        .setLngLat(topOf(fence.shape))
        .addTo(map);
      shown.set(id, { marker, fence });
    }
  };
  return {
    show,
    clear() {
      for (const { marker } of shown.values()) marker.remove();
      shown.clear();
    },
  };
}
