import type { GeoJSONSource, Map as MapLibre } from 'maplibre-gl';
import { circleRing } from '../../geo/place.ts';
import { colorsOf } from '../colors.ts';
import type { MapPart } from '../map-part.ts';
import { drawArrow, MARK_STATES, type MarkState, PICTURE_RATIO } from './track-pictures.ts';

/** A single position with its accuracy circle. */
export interface ShownPlace {
  readonly lng: number;
  readonly lat: number;
  readonly accuracyM: number | null;
  readonly course: number | null;
  readonly state: MarkState;
}

export interface PlaceLayer {
  readonly part: MapPart;
  /** Moves the mark, and the map if the mark would leave its central part. */
  show(place: ShownPlace): void;
}

const NOTHING: GeoJSON.FeatureCollection = { type: 'FeatureCollection', features: [] };
const LAYERS = ['place-mark', 'place-disc', 'place-ring'];

export function createPlaceLayer(): PlaceLayer {
  let map: MapLibre | undefined;
  let place: ShownPlace | undefined;
  const draw = () => {
    map?.getSource<GeoJSONSource>('place')?.setData(place ? featuresOf(place) : NOTHING);
  };
  const part: MapPart = (on, theme) => {
    map = on;
    const colors = colorsOf(theme);
    on.addSource('place', { type: 'geojson', data: NOTHING });
    for (const state of MARK_STATES)
      for (const hasHeading of [true, false]) {
        const name = pictureOf(hasHeading, state);
        if (!on.hasImage(name)) on.addImage(name, drawArrow(hasHeading, theme, state), { pixelRatio: PICTURE_RATIO });
      }
    const color = ['match', ['get', 'state'], ...MARK_STATES.flatMap((state) => [state, colors[state]])] as unknown[];
    const colorOfState = [...color, colors.offline] as never;
    const isDisc = ['==', ['geometry-type'], 'Polygon'] as never;
    on.addLayer({
      id: 'place-disc',
      type: 'fill',
      source: 'place',
      filter: isDisc,
      paint: { 'fill-color': colorOfState, 'fill-opacity': 0.14 },
    });
    on.addLayer({
      id: 'place-ring',
      type: 'line',
      source: 'place',
      filter: isDisc,
      paint: { 'line-color': colorOfState, 'line-opacity': 0.5, 'line-width': 1 },
    });
    on.addLayer({
      id: 'place-mark',
      type: 'symbol',
      source: 'place',
      filter: ['==', ['geometry-type'], 'Point'],
      layout: {
        'icon-image': ['get', 'picture'],
        'icon-rotate': ['get', 'course'],
        'icon-rotation-alignment': 'map',
        'icon-allow-overlap': true,
      },
    });
    draw();
    return () => {
      for (const layer of LAYERS) if (on.getLayer(layer)) on.removeLayer(layer);
      if (on.getSource('place')) on.removeSource('place');
      map = undefined;
    };
  };
  return {
    part,
    show(next) {
      const isFirst = place === undefined;
      place = next;
      draw();
      if (!map || isFirst) return;
      const { x, y } = map.project([next.lng, next.lat]);
      const { clientWidth: width, clientHeight: height } = map.getContainer();
      const isOffMiddle = x < width * 0.2 || x > width * 0.8 || y < height * 0.2 || y > height * 0.8;
      if (isOffMiddle) map.easeTo({ center: [next.lng, next.lat], duration: 600 });
    },
  };
}

const pictureOf = (hasHeading: boolean, state: MarkState) => `place-${hasHeading ? 'arrow' : 'dot'}-${state}`;

const featuresOf = ({ lng, lat, accuracyM, course, state }: ShownPlace): GeoJSON.FeatureCollection => ({
  type: 'FeatureCollection',
  features: [
    ...(accuracyM
      ? [
          {
            type: 'Feature' as const,
            properties: { state },
            geometry: { type: 'Polygon' as const, coordinates: [circleRing({ lat, lng }, accuracyM)] },
          },
        ]
      : []),
    {
      type: 'Feature',
      properties: { course: course ?? 0, picture: pictureOf(course !== null, state) },
      geometry: { type: 'Point', coordinates: [lng, lat] },
    },
  ],
});
