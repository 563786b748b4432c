import { useEffect, useState } from 'react';
import { useRead } from '../../api/calls.ts';
import { useServerInfo } from '../../api/server-info.ts';
import type { LatLng } from '../../geo/place.ts';
import { t } from '../../texts/t.ts';
import { placesOfWorld } from '../basemap.ts';
import type { MapLibre } from '../map-part.ts';

export interface NamedPlace extends LatLng {
  readonly name: string;
}

const MOST = 6;
const FEWEST_LETTERS = 2;
const MOST_LETTERS = 200;
const HOUR_MS = 3_600_000;
/** While the geocoder is busy, the request is repeated after this time. */
const AGAIN_MS = 2000;

/**
 * Places that fit a text: towns of the bundled map while the viewer types, and addresses of the operator's geocoder when
 * asked for by `more`. Public geocoders do not allow requests at each letter.
 * @param map places around its centre come first
 */
export function usePlaceSearch(text: string, map?: MapLibre) {
  const wanted = text.trim().slice(0, MOST_LETTERS);
  const isLong = wanted.length >= FEWEST_LETTERS;
  const towns = useTowns(isLong ? wanted : '');
  const findsAddresses = useServerInfo().data?.findsAddresses === true;
  const [asked, setAsked] = useState<{ text: string; lat?: number; lng?: number }>({ text: '' });
  const isAsked = isLong && asked.text === wanted;
  const [isWaiting, setWaiting] = useState(false);
  const { data, isPending } = useRead('searchPlaces', asked, {
    ...{ enabled: isAsked, staleTime: HOUR_MS },
    ...(isWaiting && { refetchInterval: AGAIN_MS }),
  });
  useEffect(() => setWaiting(data?.isWaiting === true), [data]);
  const addresses: readonly NamedPlace[] = (isAsked && data?.places) || [];
  const ask = () => {
    const center = map?.getCenter().wrap();
    setAsked({ text: wanted, ...(center && { lat: Math.round(center.lat), lng: Math.round(center.lng) }) });
  };
  return {
    found: addresses.length > 0 ? addresses : towns,
    isSearching: isAsked && (isPending || isWaiting),
    more:
      findsAddresses && isLong && !isAsked ? { label: t.map.findAddress({ text: wanted }), onPress: ask } : undefined,
    credit: addresses.length > 0 ? (data?.attribution ?? '') : '',
  };
}

/** Towns of the bundled map whose names begin with a text, from the largest down. */
function useTowns(wanted: string): readonly NamedPlace[] {
  const [towns, setTowns] = useState<readonly NamedPlace[]>([]);
  useEffect(() => {
    let isStale = false;
    const begins = wanted.toLowerCase();
    const find = async () => {
      if (begins === '') return [];
      const found = (await placesOfWorld()).filter(({ properties }) =>
        properties?.name.toLowerCase().startsWith(begins),
      );
      return found.slice(0, MOST).map(({ properties, geometry }) => {
        const [lng, lat] = geometry.coordinates as [number, number];
        return { name: String(properties?.name), lat, lng };
      });
    };
    void find()
      .catch(() => [])
      .then((found) => !isStale && setTowns(found));
    return () => {
      isStale = true;
    };
  }, [wanted]);
  return towns;
}
