import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useRead } from '../api/calls.ts';
import type { Geofence } from '../api/geofences.ts';
import { latLng } from '../format/quantities.ts';
import { useFormat } from '../format/use-format.ts';
import type { LatLng } from '../geo/place.ts';
import { t } from '../texts/t.ts';
import { fencesAt } from './fence-at.ts';
import { type NearPlace, nearestPlace } from './nearest-place.ts';

const HOUR_MS = 3_600_000;
/** While the geocoder is busy, the request is repeated after this time. */
const AGAIN_MS = 4000;

/** An object with a place that can be named. */
interface Placed {
  readonly at: LatLng;
  /** The device of the place, so that its own geofences are considered too. */
  readonly deviceId?: number | undefined;
}

/**
 * A place in words: a geofence first, then an address, then the nearest place of the bundled map. Requested once it is
 * visible.
 */
export function PlaceName({
  at,
  deviceId,
  className,
  otherwise = null,
}: Placed & { className?: string | undefined /** Shown until a name is known. */; otherwise?: ReactNode }) {
  const [place, isSeen] = useSeen();
  const name = usePlaceName({ at, deviceId }, isSeen);
  return (
    <span ref={place} className={className}>
      {name ?? otherwise}
    </span>
  );
}

/** Start and end of a trip: "Yard → Quay". */
export function WayName({
  from,
  to,
  deviceId,
  className,
}: {
  from: LatLng;
  to: LatLng;
  deviceId: number;
  className?: string | undefined;
}) {
  const [place, isSeen] = useSeen();
  const start = usePlaceName({ at: from, deviceId }, isSeen);
  const end = usePlaceName({ at: to, deviceId }, isSeen);
  const isKnown = start !== undefined && end !== undefined;
  return (
    <span ref={place} className={className}>
      {isKnown && (start === end ? start : `${start} → ${end}`)}
    </span>
  );
}

/** Whether an element has been visible: names of invisible ones are not requested. */
function useSeen() {
  const place = useRef<HTMLSpanElement>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    const watch = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      setSeen(true);
      watch.disconnect();
    });
    watch.observe(place.current!);
    return () => watch.disconnect();
  }, []);
  return [place, isSeen] as const;
}

/** The same without the geocoder, for thousands of places. */
export function KnownPlace({ at, fences }: { at: LatLng; fences: readonly Geofence[] }) {
  const format = useFormat();
  const near = useNearPlace(at);
  const [fence] = fencesAt(at, fences);
  return <span title={latLng(at)}>{fence ?? (near === undefined ? latLng(at) : saidNear(near, format))}</span>;
}

function usePlaceName({ at: { lat, lng }, deviceId }: Placed, isSeen: boolean): string | undefined {
  const format = useFormat();
  // About 11 m: movements within this distance do not change the place.
  const place = {
    ...{ lat: Math.round(lat * 1e4) / 1e4, lng: Math.round(lng * 1e4) / 1e4 },
    ...(deviceId !== undefined && { deviceId }),
  };
  const [isWaiting, setWaiting] = useState(false);
  const { data } = useRead('namePlace', place, {
    staleTime: HOUR_MS,
    keepsPrevious: true,
    enabled: isSeen,
    ...(isWaiting && { refetchInterval: AGAIN_MS }),
  });
  useEffect(() => setWaiting(data?.isWaiting === true), [data]);
  const near = useNearPlace({ lat, lng });
  const own = [data?.geofence?.name, data?.address].filter(Boolean).join(' · ');
  if (own !== '') return own;
  if (near === undefined) return undefined;
  return saidNear(near, format);
}

const saidNear = ({ name, distanceM }: NearPlace, format: ReturnType<typeof useFormat>) =>
  distanceM < 2000 ? t.map.near({ place: name }) : t.map.from({ distance: format.distance(distanceM), place: name });

/** Updated after some hundred metres, not at each position. */
function useNearPlace({ lat, lng }: LatLng): NearPlace | undefined {
  const [near, setNear] = useState<NearPlace>();
  const [coarseLat, coarseLng] = [Math.round(lat * 200) / 200, Math.round(lng * 200) / 200];
  useEffect(() => {
    let isStale = false;
    void nearestPlace({ lat: coarseLat, lng: coarseLng })
      .then((found) => !isStale && setNear(found))
      .catch(() => undefined);
    return () => {
      isStale = true;
    };
  }, [coarseLat, coarseLng]);
  return near;
}
