import type { ExpressionSpecification, GeoJSONSource, Map as MapLibre, MapMouseEvent } from 'maplibre-gl';
import { LngLatBounds } from 'maplibre-gl';
import { colorsOf, type Theme } from '../colors.ts';
import type { MapPart } from '../map-part.ts';
import { type Fix, GAP_MS, type Span } from './playback.ts';
import { drawArrow, drawStop, PICTURE_RATIO } from './track-pictures.ts';

/**
 * Colours of a track, each for speeds above `fromKmh`. They also differ in lightness, and are visible on both themes.
 */
export const SPEED_COLORS = [
  { fromKmh: 0, color: '#4a86d8' },
  { fromKmh: 15, color: '#2aa198' },
  { fromKmh: 35, color: '#6aa823' },
  { fromKmh: 60, color: '#e0a100' },
  { fromKmh: 90, color: '#e06a1b' },
  { fromKmh: 120, color: '#c7283f' },
] as const;

export interface TrackTrip extends Span {
  readonly id: number;
}
export interface TrackStop {
  readonly id: number;
  readonly lng: number;
  readonly lat: number;
  /** Its position in the list, shown on its mark. */
  readonly number: number;
}
export interface Track {
  readonly fixes: readonly Fix[];
  readonly trips: readonly TrackTrip[];
  readonly stops: readonly TrackStop[];
}
export type TrackChoice = { readonly kind: 'trip' | 'stop'; readonly id: number } | undefined;

/** A track on a map. It is outside React: it changes without rendering. */
export interface TrackLayer {
  readonly part: MapPart;
  show(track: Track): void;
  choose(choice: TrackChoice): void;
  /** Sets the mark of the playback; undefined removes it. */
  moveTo(fix: Fix | undefined, keepsInView?: boolean): void;
  /** Fits the whole track, or one part, into view. */
  fit(span?: Span, isAnimated?: boolean): void;
}

const NOTHING: GeoJSON.FeatureCollection = { type: 'FeatureCollection', features: [] };
const SOURCES = ['track', 'track-stops', 'track-here'] as const;
const LAYERS = ['track-here', 'track-stops', 'track-line', 'track-casing', 'track-gap'] as const;
const PADDING = { top: 56, bottom: 150, left: 56, right: 56 };

export function createTrackLayer(onChoose: (choice: TrackChoice) => void = () => undefined): TrackLayer {
  let map: MapLibre | undefined;
  let track: Track = { fixes: [], trips: [], stops: [] };
  let choice: TrackChoice;
  let here: Fix | undefined;
  /** The part to fit as soon as there is a map. */
  let toFit: { span: Span | undefined } | undefined;

  const fill = (name: (typeof SOURCES)[number], data: GeoJSON.FeatureCollection) =>
    map?.getSource<GeoJSONSource>(name)?.setData(data);

  function pick(event: MapMouseEvent): void {
    const around: [[number, number], [number, number]] = [
      [event.point.x - 8, event.point.y - 8],
      [event.point.x + 8, event.point.y + 8],
    ];
    const hit = map!.queryRenderedFeatures(around, { layers: ['track-stops', 'track-line'] })[0];
    if (hit === undefined) return;
    const { stop, trip } = hit.properties as { stop?: number; trip?: number };
    if (stop !== undefined) onChoose({ kind: 'stop', id: stop });
    else if (trip !== undefined && trip !== 0) onChoose({ kind: 'trip', id: trip });
  }

  function draw(): void {
    if (!map) return;
    for (const { number } of track.stops) {
      for (const isChosen of [false, true]) {
        const name = stopPicture(number, isChosen);
        if (!map.hasImage(name)) map.addImage(name, drawStop(number, isChosen, theme), { pixelRatio: PICTURE_RATIO });
      }
    }
    fill('track', linesOf(track));
    fill('track-stops', stopsOf(track, choice));
    fill('track-here', hereOf(here));
    emphasize();
  }

  function emphasize(): void {
    if (!map?.getLayer('track-line')) return;
    const opacity: ExpressionSpecification | number =
      choice?.kind === 'trip' ? ['case', ['==', ['get', 'trip'], choice.id], 1, 0.25] : 1;
    map.setPaintProperty('track-line', 'line-opacity', opacity);
    map.setPaintProperty('track-casing', 'line-opacity', opacity);
  }

  function fit(span?: Span, isAnimated = true): void {
    toFit = map ? undefined : { span };
    const within = span ? track.fixes.filter(({ at }) => at >= span.from && at <= span.to) : track.fixes;
    const places = [...within, ...(span ? [] : track.stops)];
    if (!map || places.length === 0) return;
    const bounds = new LngLatBounds();
    for (const { lng, lat } of places) bounds.extend([lng, lat]);
    map.fitBounds(bounds, { padding: roomIn(map), maxZoom: 16, duration: isAnimated ? 500 : 0 });
  }

  let theme: Theme = 'light';
  const part: MapPart = (on, seen) => {
    map = on;
    theme = seen;
    addLayers(on, seen);
    draw();
    if (toFit) fit(toFit.span, false);
    const point = () => {
      on.getCanvas().style.cursor = 'pointer';
    };
    const unpoint = () => {
      on.getCanvas().style.cursor = '';
    };
    on.on('click', pick);
    for (const layer of ['track-stops', 'track-line']) {
      on.on('mouseenter', layer, point);
      on.on('mouseleave', layer, unpoint);
    }
    return () => {
      on.off('click', pick);
      for (const layer of ['track-stops', 'track-line']) {
        on.off('mouseenter', layer, point);
        on.off('mouseleave', layer, unpoint);
      }
      for (const layer of LAYERS) if (on.getLayer(layer)) on.removeLayer(layer);
      for (const source of SOURCES) if (on.getSource(source)) on.removeSource(source);
      map = undefined;
    };
  };

  return {
    part,
    show(next) {
      track = next;
      draw();
    },
    choose(next) {
      choice = next;
      fill('track-stops', stopsOf(track, choice));
      emphasize();
    },
    moveTo(fix, keepsInView = false) {
      here = fix;
      fill('track-here', hereOf(fix));
      if (map && fix && keepsInView && !map.isMoving() && !isWellInView(map, fix))
        map.easeTo({ center: [fix.lng, fix.lat], duration: 500 });
    },
    fit,
  };
}

/** The player covers the bottom of the map; a small map gets less padding. */
function roomIn(map: MapLibre): typeof PADDING {
  const { clientWidth: width, clientHeight: height } = map.getContainer();
  const share = Math.min(1, width / 400, height / 480);
  return {
    top: PADDING.top * share,
    bottom: PADDING.bottom * share,
    left: PADDING.left * share,
    right: PADDING.right * share,
  };
}

function isWellInView(map: MapLibre, fix: Fix): boolean {
  const { x, y } = map.project([fix.lng, fix.lat]);
  const { clientWidth: width, clientHeight: height } = map.getContainer();
  const padding = roomIn(map);
  return x > padding.left && x < width - padding.right && y > padding.top && y < height - padding.bottom;
}

function addLayers(map: MapLibre, theme: Theme): void {
  const colors = colorsOf(theme);
  for (const name of SOURCES) map.addSource(name, { type: 'geojson', data: NOTHING });
  if (!map.hasImage('track-arrow')) map.addImage('track-arrow', drawArrow(true, theme), { pixelRatio: PICTURE_RATIO });
  if (!map.hasImage('track-dot')) map.addImage('track-dot', drawArrow(false, theme), { pixelRatio: PICTURE_RATIO });
  const round = { 'line-cap': 'round', 'line-join': 'round' } as const;
  map.addLayer({
    id: 'track-gap',
    type: 'line',
    source: 'track',
    filter: ['==', ['get', 'isGap'], true],
    layout: round,
    paint: { 'line-color': colors.offline, 'line-width': 2, 'line-dasharray': [0.5, 2.5], 'line-opacity': 0.8 },
  });
  const isDriven: ExpressionSpecification = ['!=', ['get', 'isGap'], true];
  map.addLayer({
    id: 'track-casing',
    type: 'line',
    source: 'track',
    filter: isDriven,
    layout: round,
    paint: { 'line-color': colors.surface, 'line-width': 8 },
  });
  map.addLayer({
    id: 'track-line',
    type: 'line',
    source: 'track',
    filter: isDriven,
    layout: round,
    paint: { 'line-color': ['get', 'color'], 'line-width': 4.5 },
  });
  map.addLayer({
    id: 'track-stops',
    type: 'symbol',
    source: 'track-stops',
    layout: {
      'icon-image': ['get', 'picture'],
      'icon-allow-overlap': true,
      'icon-ignore-placement': true,
      'symbol-sort-key': ['get', 'order'],
    },
  });
  map.addLayer({
    id: 'track-here',
    type: 'symbol',
    source: 'track-here',
    layout: {
      'icon-image': ['get', 'picture'],
      'icon-rotate': ['get', 'course'],
      'icon-rotation-alignment': 'map',
      'icon-allow-overlap': true,
      'icon-ignore-placement': true,
    },
  });
}

const stopPicture = (number: number, isChosen: boolean) => `track-stop-${number}${isChosen ? '-chosen' : ''}`;

/**
 * Lines of one colour each, as few as possible: a new one starts where the colour, the trip or the connection changes.
 */
function linesOf({ fixes, trips }: Track): GeoJSON.FeatureCollection {
  const features: GeoJSON.Feature[] = [];
  let line: { key: string; coordinates: [number, number][]; properties: object } | undefined;
  const end = () => {
    if (line)
      features.push({
        type: 'Feature',
        properties: line.properties,
        geometry: { type: 'LineString', coordinates: line.coordinates },
      });
    line = undefined;
  };
  let tripIndex = 0;
  for (let index = 1; index < fixes.length; index++) {
    const [from, to] = [fixes[index - 1]!, fixes[index]!];
    while (tripIndex < trips.length && trips[tripIndex]!.to < to.at) tripIndex++;
    const trip = trips[tripIndex];
    const isUnderWay = trip !== undefined && from.at >= trip.from && to.at <= trip.to;
    const isGap = to.at - from.at > GAP_MS;
    // Drift of a stationary device is not part of the track.
    if (!isUnderWay && !isGap) {
      end();
      continue;
    }
    const color = colorOf(to.speedKmh ?? from.speedKmh ?? 0);
    const key = isGap ? `gap ${index}` : `${trip?.id} ${color}`;
    if (line?.key !== key) {
      end();
      line = {
        key,
        coordinates: [[from.lng, from.lat]],
        properties: { isGap, color, trip: trip?.id ?? 0 },
      };
    }
    line.coordinates.push([to.lng, to.lat]);
  }
  end();
  return { type: 'FeatureCollection', features };
}

export const colorOf = (speedKmh: number) =>
  SPEED_COLORS.findLast(({ fromKmh }) => speedKmh >= fromKmh)?.color ?? SPEED_COLORS[0].color;

const stopsOf = ({ stops }: Track, choice: TrackChoice): GeoJSON.FeatureCollection => ({
  type: 'FeatureCollection',
  features: stops.map(({ id, lng, lat, number }) => {
    const isChosen = choice?.kind === 'stop' && choice.id === id;
    return {
      type: 'Feature',
      properties: { stop: id, picture: stopPicture(number, isChosen), order: isChosen ? 1000 : number },
      geometry: { type: 'Point', coordinates: [lng, lat] },
    };
  }),
});

const hereOf = (fix: Fix | undefined): GeoJSON.FeatureCollection =>
  fix === undefined
    ? NOTHING
    : {
        type: 'FeatureCollection',
        features: [
          {
            type: 'Feature',
            properties: { course: fix.course ?? 0, picture: fix.course === null ? 'track-dot' : 'track-arrow' },
            geometry: { type: 'Point', coordinates: [fix.lng, fix.lat] },
          },
        ],
      };
