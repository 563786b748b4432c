import type { StyleSpecification } from 'maplibre-gl';
import { feature } from 'topojson-client';
import type { GeometryCollection, MultiLineString, Topology } from 'topojson-specification';
import landUrl from '../../generated/land.json?url';
import placesUrl from '../../generated/places.json?url';
import { colorsOf, type Theme } from './colors.ts';

/** The bundled map: land, borders and places of the whole world, without external resources. */

interface Places {
  readonly names: string;
  readonly lng: readonly number[];
  readonly lat: readonly number[];
  readonly capitals: readonly number[];
  readonly countries: readonly (readonly [string, number, number, number])[];
}

/** Loaded once for all themes. After a failure, the next caller tries again. */
function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => {
    loaded ??= load().catch((error) => {
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
}

const landOfWorld = once(async () => {
  type Land = Topology<{ countries: GeometryCollection; coast: MultiLineString; borders: MultiLineString }>;
  const topology = await read<Land>(landUrl);
  const { countries, coast, borders } = topology.objects;
  return {
    land: feature(topology, countries),
    coast: feature(topology, coast),
    borders: feature(topology, borders),
  };
});

const namesOfWorld = once(async () => {
  const places = await read<Places>(placesUrl);
  const capitals = new Set(places.capitals);
  return {
    places: collection(
      places.names.split('\n').map((name, rank) => ({
        name,
        rank,
        isCapital: capitals.has(rank),
        at: [places.lng[rank]! / 100, places.lat[rank]! / 100] as [number, number],
      })),
    ),
    countries: collection(
      places.countries.map(([name, lng, lat, size]) => ({ name, size, at: [lng, lat] as [number, number] })),
    ),
  };
});

/** The places of the bundled map, largest first. */
export const placesOfWorld = async () => (await namesOfWorld()).places.features;

async function read<T>(url: string): Promise<T> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`The bundled map answered ${answer.status}`);
  return (await answer.json()) as T;
}

const collection = (
  items: readonly { readonly at: [number, number]; readonly [property: string]: unknown }[],
): GeoJSON.FeatureCollection<GeoJSON.Point> => ({
  type: 'FeatureCollection',
  features: items.map(({ at, ...properties }) => ({
    type: 'Feature',
    properties,
    geometry: { type: 'Point', coordinates: at },
  })),
});

const FONT = ['system-ui', 'Segoe UI', 'Roboto', 'Noto Sans', 'sans-serif'];
/** Number of largest places with a label at each zoom. */
const SHOWN_AT: readonly [zoom: number, places: number][] = [
  [2, 40],
  [3, 140],
  [4, 500],
  [5, 1400],
  [6, 3200],
  [7, 6000],
  [8, 20_000],
];

/** The color of land alone. */
export const landStyle = (theme: Theme): StyleSpecification => ({
  version: 8,
  sources: {},
  layers: [{ id: 'land', type: 'background', paint: { 'background-color': colorsOf(theme).land } }],
});

export async function offlineStyle(theme: Theme): Promise<StyleSpecification> {
  const [{ land, coast, borders }, { places, countries }] = await Promise.all([landOfWorld(), namesOfWorld()]);
  const color = colorsOf(theme);
  const source = (data: GeoJSON.GeoJSON, maxzoom: number, tolerance = 0.375) => ({
    type: 'geojson' as const,
    data,
    maxzoom,
    tolerance,
  });
  const halo = { 'text-halo-color': color.land, 'text-halo-width': 1.4 };
  return {
    version: 8,
    name: `Trackway ${theme}`,
    sources: {
      land: { ...source(land, 7), attribution: 'Natural Earth' },
      coast: source(coast, 7),
      borders: source(borders, 7),
      countries: source(countries, 4),
      places: {
        ...source(places, 8),
        attribution: '<a href="https://www.geonames.org/" target="_blank" rel="noreferrer">GeoNames</a> (CC BY 4.0)',
      },
    },
    // No `glyphs`: labels use the fonts of the viewer's system.
    layers: [
      {
        id: 'water',
        type: 'background',
        metadata: { water: color.water },
        paint: { 'background-color': color.land, 'background-color-transition': { duration: 0 } },
      } as const,
      { id: 'land', type: 'fill', source: 'land', paint: { 'fill-color': color.land, 'fill-antialias': true } },
      { id: 'coast', type: 'line', source: 'coast', paint: { 'line-color': color.coast, 'line-width': 0.7 } },
      {
        id: 'borders',
        type: 'line',
        source: 'borders',
        paint: { 'line-color': color.border, 'line-width': ['interpolate', ['linear'], ['zoom'], 2, 0.6, 8, 1.4] },
      },
      {
        id: 'places',
        type: 'symbol',
        source: 'places',
        minzoom: 2,
        filter: ['<', ['get', 'rank'], ['step', ['zoom'], 40, ...SHOWN_AT.slice(1).flat()]] as never,
        layout: {
          'text-field': ['get', 'name'],
          'text-font': FONT,
          'text-size': [
            'interpolate',
            ['linear'],
            ['zoom'],
            3,
            ['step', ['get', 'rank'], 12, 150, 10.5],
            8,
            ['step', ['get', 'rank'], 16, 400, 13.5, 3000, 12],
            14,
            15,
          ],
          'text-padding': 6,
          'text-max-width': 9,
          'symbol-sort-key': ['get', 'rank'],
        },
        paint: { 'text-color': color.label, ...halo },
      },
      {
        id: 'countries',
        type: 'symbol',
        source: 'countries',
        maxzoom: 6.5,
        filter: ['>', ['get', 'size'], ['step', ['zoom'], 14, 2, 8, 3, 4, 4, 1.8, 5, 0]] as never,
        layout: {
          'text-field': ['upcase', ['get', 'name']],
          'text-font': FONT,
          'text-size': ['interpolate', ['linear'], ['zoom'], 1, 9.5, 5, 13],
          'text-letter-spacing': 0.12,
          'text-max-width': 7,
          'text-padding': 8,
        },
        paint: { 'text-color': color.country, ...halo },
      },
    ],
  };
}
