import { useQuery } from '@tanstack/react-query';
import { call } from '../../../api/calls.ts';
import type { Point, Range } from '../../../api/devices.ts';
import { paced } from '../../../map/track/paced.ts';
import type { Fix } from '../../../map/track/playback.ts';

/** Maximum page size of the API. */
const PAGE = 10_000;
/** At most about one fix per two seconds of a day is drawn. */
export const MOST_FIXES = 40_000;

const FIELDS = ['id', 'timestamp', 'location', 'speed', 'course'];

/** All positions of a range, in order, for the map. */
export function useTrack(deviceId: number, range: Range, refetchInterval: number | false) {
  return useQuery({
    queryKey: ['track', { id: deviceId, ...range }],
    queryFn: ({ signal }) => readTrack(deviceId, range, signal),
    refetchInterval,
  });
}

async function readTrack(deviceId: number, { from, to }: Range, signal: AbortSignal): Promise<Fix[]> {
  const fixes: Fix[] = [];
  let read = 0;
  for (;;) {
    const filter = {
      where: { timestamp: { gte: from, lt: to }, locationType: { neq: 'invalid' } },
      order: ['timestamp ASC', 'id ASC'],
      fields: FIELDS,
      limit: PAGE,
      skip: read,
    };
    const points = await call('listPoints')({ id: deviceId, filter }, { signal });
    for (const point of points) if (point.location) fixes.push(fixOf(point));
    read += points.length;
    if (points.length < PAGE || read >= MOST_FIXES) return paced(fixes);
  }
}

const fixOf = (point: Omit<Point, 'cell'>): Fix => ({
  at: Date.parse(point.timestamp),
  lng: point.location!.lng,
  lat: point.location!.lat,
  speedKmh: point.speed,
  course: point.course,
});
