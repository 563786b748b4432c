/** Requests and responses of geocoders: one entry for each kind. */

export const GEOCODERS = ['nominatim', 'photon', 'pelias'] as const;
export type GeocoderKind = (typeof GEOCODERS)[number];

interface GeocoderForm {
  /** The path below the address of the server. */
  readonly path: string;
  query(lat: string, lng: string): Readonly<Record<string, string>>;
  /** The address in a response; null if there is none. */
  read(answer: unknown): string | null;
  readonly search: {
    readonly path: string;
    /** @param near places around it come first */
    query(text: string, near: Place | undefined): Readonly<Record<string, string>>;
    read(answer: unknown): readonly FoundPlace[];
  };
}

interface Place {
  readonly lat: number;
  readonly lng: number;
}

export interface FoundPlace extends Place {
  readonly name: string;
}

/** Most places that a search asks for. */
const MOST_FOUND = 6;

type Parts = Readonly<Record<string, unknown>>;

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');
const joined = (...parts: readonly string[]): string | null => parts.filter(Boolean).join(', ') || null;
/** In the order that most countries use. */
const street = (road: unknown, number: unknown) => [textOf(road), textOf(number)].filter(Boolean).join(' ');
const firstOf = (parts: Parts, names: readonly string[]) =>
  names.map((name) => textOf(parts[name])).find(Boolean) ?? '';

const featureOf = (answer: unknown): Parts =>
  ((answer as { features?: { properties?: Parts }[] }).features?.[0]?.properties ?? {}) as Parts;

/** Places of a list with these coordinates; those without a name or with invalid coordinates are left out. */
const placesIn = (found: unknown, placeOf: (one: Parts) => { name: string | null; lat: unknown; lng: unknown }) =>
  (Array.isArray(found) ? found : []).slice(0, MOST_FOUND).flatMap((one: Parts | null) => {
    const { name, lat, lng } = placeOf(one ?? {});
    const place = { lat: Number(lat), lng: Number(lng) };
    return name && Math.abs(place.lat) <= 90 && Math.abs(place.lng) <= 180
      ? [{ name: name.slice(0, 300), ...place }]
      : [];
  });

const featuresIn = (answer: unknown, nameOf: (properties: Parts) => string | null) =>
  placesIn((answer as { features?: unknown } | null)?.features, ({ geometry, properties }) => {
    const [lng, lat] = (geometry as { coordinates?: unknown[] } | undefined)?.coordinates ?? [];
    return { name: nameOf((properties ?? {}) as Parts), lat, lng };
  });

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
    search: {
      path: '/search',
      query: (q, near) => ({
        ...{ q, format: 'jsonv2', limit: String(MOST_FOUND) },
        ...(near && { viewbox: [near.lng - 1, near.lat + 1, near.lng + 1, near.lat - 1].join(',') }),
      }),
      read: (answer) => placesIn(answer, (one) => ({ name: textOf(one.display_name), lat: one.lat, lng: one.lon })),
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
    search: {
      path: '/api',
      query: (q, near) => ({
        ...{ q, limit: String(MOST_FOUND) },
        ...(near && { lat: String(near.lat), lon: String(near.lng) }),
      }),
      read: (answer) =>
        featuresIn(answer, (found) => {
          const road = street(found.street, found.housenumber);
          const parts = [textOf(found.name), road, firstOf(found, ['city', 'county', 'state']), textOf(found.country)];
          return joined(...new Set(parts));
        }),
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
    search: {
      path: '/v1/search',
      query: (text, near) => ({
        ...{ text, size: String(MOST_FOUND) },
        ...(near && { 'focus.point.lat': String(near.lat), 'focus.point.lon': String(near.lng) }),
      }),
      read: (answer) => featuresIn(answer, (found) => textOf(found.label) || textOf(found.name)),
    },
  },
};
