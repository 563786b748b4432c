/** How the geocoders ask and answer: one entry for each kind. */

export const GEOCODERS = ['nominatim', 'photon', 'pelias'] as const;
export type GeocoderKind = (typeof GEOCODERS)[number];

export interface GeocoderForm {
  /** The path below the address of the server. */
  readonly path: string;
  query(lat: string, lng: string): Readonly<Record<string, string>>;
  /** The address in an answer; null if it knows none. */
  read(answer: unknown): string | null;
}

type Parts = Readonly<Record<string, unknown>>;

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');
const joined = (...parts: readonly string[]): string | null => parts.filter(Boolean).join(', ') || null;
/** In the order of most countries. */
const street = (road: unknown, number: unknown) => [textOf(road), textOf(number)].filter(Boolean).join(' ');
const firstOf = (parts: Parts, names: readonly string[]) =>
  names.map((name) => textOf(parts[name])).find(Boolean) ?? '';

const featureOf = (answer: unknown): Parts =>
  ((answer as { features?: { properties?: Parts }[] }).features?.[0]?.properties ?? {}) as Parts;

const TOWNS = ['city', 'town', 'village', 'municipality', 'hamlet', 'county'];
const ROADS = ['road', 'pedestrian', 'footway', 'cycleway', 'path', 'square', 'neighbourhood', 'suburb'];

export const GEOCODER_FORMS: Readonly<Record<GeocoderKind, GeocoderForm>> = {
  nominatim: {
    path: '/reverse',
    query: (lat, lon) => ({ lat, lon, format: 'jsonv2', zoom: '18', addressdetails: '1' }),
    read(answer) {
      const { address = {}, display_name } = answer as { address?: Parts; display_name?: unknown };
      const road = street(firstOf(address, ROADS), address.house_number);
      return joined(road, firstOf(address, TOWNS)) ?? (textOf(display_name) || null);
    },
  },
  photon: {
    path: '/reverse',
    query: (lat, lon) => ({ lat, lon, limit: '1' }),
    read(answer) {
      const found = featureOf(answer);
      const road = street(found.street, found.housenumber) || textOf(found.name);
      return joined(road, firstOf(found, ['city', 'town', 'village', 'district', 'county']));
    },
  },
  pelias: {
    path: '/v1/reverse',
    query: (lat, lng) => ({ 'point.lat': lat, 'point.lon': lng, size: '1' }),
    read(answer) {
      const found = featureOf(answer);
      const road = street(found.street, found.housenumber) || textOf(found.name);
      const town = firstOf(found, ['locality', 'localadmin', 'county']);
      return joined(road, town) ?? (textOf(found.label) || null);
    },
  },
};
