import type { GeoJSONSource, Map as MapLibre } from 'maplibre-gl';
import type { LatLng } from '../geo/place.ts';
import { boundsOf, fitTo, lookAt } from './camera.ts';
import { colorsOf, type Theme } from './colors.ts';
import { DeviceSprites } from './fleet/device-sprites.ts';
import type { MapPart } from './map-part.ts';
import { drawArrow, MARK_STATES, type MarkState, PICTURE_RATIO } from './track/track-pictures.ts';

/** The content of a link: current position, trail and destination. */
export interface LinkPlaces {
  /** If there are several, each has a name. */
  readonly here: readonly (LatLng & { readonly name: string; readonly state: MarkState })[];
  readonly trails: readonly (readonly LatLng[])[];
  readonly destination: LatLng | null;
}

export interface LinkLayer {
  readonly part: MapPart;
  /** Moves the marks. The map follows until the viewer moves it. */
  show(places: LinkPlaces): void;
  /** Fits everything into view again. */
  fit(): void;
  /** Moves there, and stops following. */
  goTo(place: LatLng): void;
}

const NOTHING: GeoJSON.FeatureCollection = { type: 'FeatureCollection', features: [] };
const LAYERS = ['link-name', 'link-here', 'link-destination', 'link-trail', 'link-casing'];

export function createLinkLayer(): LinkLayer {
  let map: MapLibre | undefined;
  let places: LinkPlaces | undefined;
  let sprites: DeviceSprites | undefined;
  let theme: Theme = 'light';
  let isFitted = false;
  let isMovedByHand = false;

  /** Names are images, so the map needs no font. */
  function labelOf(name: string): string {
    const id = `link-name ${theme} ${name}`;
    if (map && sprites && name !== '' && !map.hasImage(id)) {
      const { image } = sprites.label(name);
      const picture = image.getContext('2d')!.getImageData(0, 0, image.width, image.height);
      map.addImage(id, picture, { pixelRatio: PICTURE_RATIO });
    }
    return id;
  }

  function draw(): void {
    map?.getSource<GeoJSONSource>('link')?.setData(places ? featuresOf(places, labelOf) : NOTHING);
    if (!isFitted && map && places && places.here.length > 0) fit(false);
    else if (!isMovedByHand && map && places?.here.length === 1) follow(map, places.here[0]!);
  }

  function fit(animate = true): void {
    isMovedByHand = false;
    if (!map || !places) return;
    isFitted = true;
    const { here, trails, destination } = places;
    fitTo(map, boundsOf([...here, ...trails.flat(), ...(destination ? [destination] : [])]), animate);
  }

  const part: MapPart = (on, inTheme) => {
    map = on;
    theme = inTheme;
    sprites = new DeviceSprites(theme, PICTURE_RATIO);
    const colors = colorsOf(theme);
    const byHand = (event: { originalEvent?: unknown }) => {
      if (event.originalEvent) isMovedByHand = true;
    };
    on.on('movestart', byHand);
    on.addSource('link', { type: 'geojson', data: NOTHING });
    for (const state of MARK_STATES)
      if (!on.hasImage(pictureOf(state)))
        on.addImage(pictureOf(state), drawArrow(false, theme, state), { pixelRatio: PICTURE_RATIO });
    const isLine = ['==', ['geometry-type'], 'LineString'] as never;
    const isOf = (kind: string) => ['==', ['get', 'kind'], kind] as never;
    const layout = { 'line-cap': 'round', 'line-join': 'round' } as const;
    const casing = { 'line-color': colors.surface, 'line-width': 7 };
    const line = { 'line-color': colors.accent, 'line-width': 4, 'line-opacity': 0.85 };
    on.addLayer({ id: 'link-casing', type: 'line', source: 'link', filter: isLine, layout, paint: casing });
    on.addLayer({ id: 'link-trail', type: 'line', source: 'link', filter: isLine, layout, paint: line });
    on.addLayer({
      id: 'link-destination',
      type: 'circle',
      source: 'link',
      filter: isOf('destination'),
      paint: {
        'circle-radius': 8,
        'circle-color': colors.surface,
        'circle-stroke-color': colors.ink,
        'circle-stroke-width': 4,
      },
    });
    on.addLayer({
      id: 'link-here',
      type: 'symbol',
      source: 'link',
      filter: isOf('here'),
      layout: { 'icon-image': ['get', 'picture'] as never, 'icon-allow-overlap': true, 'icon-ignore-placement': true },
    });
    on.addLayer({
      id: 'link-name',
      type: 'symbol',
      source: 'link',
      filter: ['has', 'label'] as never,
      layout: {
        'icon-image': ['get', 'label'] as never,
        'icon-anchor': 'top',
        'icon-offset': [0, 12],
        'icon-padding': 0,
      },
    });
    draw();
    return () => {
      on.off('movestart', byHand);
      for (const layer of LAYERS) if (on.getLayer(layer)) on.removeLayer(layer);
      if (on.getSource('link')) on.removeSource('link');
      map = undefined;
    };
  };

  return {
    part,
    show(next) {
      places = next;
      draw();
    },
    fit,
    goTo(place) {
      isMovedByHand = true;
      if (map) lookAt(map, place, true);
    },
  };
}

/** Keeps it in the central part of the map. */
function follow(map: MapLibre, { lng, lat }: LatLng): void {
  if (map.isMoving()) return;
  const { x, y } = map.project([lng, lat]);
  const { clientWidth: width, clientHeight: height } = map.getContainer();
  if (x < width * 0.2 || x > width * 0.8 || y < height * 0.2 || y > height * 0.8)
    map.easeTo({ center: [lng, lat], duration: 600 });
}

const pictureOf = (state: MarkState) => `link-dot-${state}`;

const point = (kind: string, { lng, lat }: LatLng, more: object = {}): GeoJSON.Feature => ({
  type: 'Feature',
  properties: { kind, ...more },
  geometry: { type: 'Point', coordinates: [lng, lat] },
});

const featuresOf = (
  { here, trails, destination }: LinkPlaces,
  labelOf: (name: string) => string,
): GeoJSON.FeatureCollection => ({
  type: 'FeatureCollection',
  features: [
    ...trails
      .filter((trail) => trail.length > 1)
      .map((trail) => ({
        type: 'Feature' as const,
        properties: {},
        geometry: { type: 'LineString' as const, coordinates: trail.map(({ lng, lat }) => [lng, lat]) },
      })),
    ...(destination ? [point('destination', destination)] : []),
    ...here.map((at) =>
      point('here', at, { picture: pictureOf(at.state), ...(at.name && { label: labelOf(at.name) }) }),
    ),
  ],
});
