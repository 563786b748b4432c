import type { Place } from '../../../platform/sphere.ts';
import type { Span } from '../../motion/activity.ts';
import type { TripTrack } from '../../motion/trip-track.ts';
import { tripsWithFixes } from '../../tracking/api/vehicle-track.ts';
import { emptyRow, type ReportKind } from '../report-row.ts';
import { type DrawnFence, namedFences, smallestOf, wantedFences } from './wanted-fences.ts';

/** Time ranges above a speed, everywhere or in geofences. Positions are read only for trips that were faster. */
export const speeding: ReportKind = async (workplace, wanted) => {
  const { userId, limitKmh, fenceIds, namesPlaces, from, to, now } = wanted;
  const chosen = fenceIds && smallestOf(await wantedFences(workplace, userId, fenceIds));
  /** If no geofence was selected, those with a name describe the place of the highest speed. */
  const around = chosen ?? (namesPlaces ? smallestOf(await namedFences(workplace, userId)) : undefined);
  const limits = workplace.prepare<{ parameters: string | null }>(
    'fleetReport.limits',
    `SELECT "parameters" FROM "notificationTriggers" WHERE "deviceId" = ? AND "userId" = ? AND "type" = 'speed'`,
  );
  const limitOf = async (deviceId: number): Promise<number | undefined> => {
    if (limitKmh !== undefined) return limitKmh;
    const given = (await limits.all(deviceId, userId)).map(
      ({ parameters }) => (JSON.parse(parameters ?? '{}') as { limit?: unknown }).limit,
    );
    const known = given.map(Number).filter((limit) => limit > 0);
    return known.length === 0 ? undefined : Math.min(...known);
  };
  const fasterTrips = tripsWithFixes(workplace);
  return async (device) => {
    const limit = await limitOf(device.id);
    if (limit === undefined) return [];
    const range = { from, to: Math.min(to, now) };
    const trips = await fasterTrips({ deviceId: device.id, ...range, now }, limit);
    const areaAt =
      chosen &&
      ((place: Place) => {
        const fence = chosen(place, device);
        return fence && { area: fence.id };
      });
    return trips.flatMap(({ track, end }) =>
      speedingOf(track, end, range, limit, areaAt).map((span) => ({
        ...emptyRow(device),
        ...fenceOf(around?.(span.place, device)),
        start: span.from,
        end: span.to,
        duration: (span.to - span.from) / 1000,
        maxSpeed: span.fastestKmh,
        startLocation: span.place,
        limit,
      })),
    );
  };
};

const fenceOf = (fence: DrawnFence | undefined) => fence && { fenceId: fence.id, fence: fence.name };

/** A time range above a speed. */
interface Speeding extends Span {
  readonly fastestKmh: number;
  /** The place of the highest speed. */
  readonly place: Place;
  /** The area of the whole time range, according to `areaAt`. */
  readonly area?: number | undefined;
}

const EVERYWHERE = () => ({});

/** The highest speed of a trip in a range. */
export const fastestKmh = (track: TripTrack, tripEnd: number, range: Span): number =>
  speedingOf(track, tripEnd, range, 0).reduce((most, span) => Math.max(most, span.fastestKmh), 0);

/**
 * The time ranges of a trip above a speed: a fix gives speed and place until the next one, the last one only at its
 * time. Pure.
 * @param areaAt the area of a place, undefined if none: a time in two areas is divided
 */
function speedingOf(
  track: TripTrack,
  tripEnd: number,
  { from, to }: Span,
  limitKmh: number,
  areaAt: (place: Place) => Pick<Speeding, 'area'> | undefined = EVERYWHERE,
): Speeding[] {
  const { count, at, lat, lng, speedKmh } = track;
  const found: { -readonly [K in keyof Speeding]: Speeding[K] }[] = [];
  let isOver = false;
  for (let index = 0; index < count; index++) {
    const start = Math.max(at[index]!, from);
    const end = Math.min(index + 1 < count ? at[index + 1]! : tripEnd, to);
    const fastestKmh = speedKmh![index]!;
    const place = { lat: lat[index]!, lng: lng[index]! };
    const isAtEnd = index + 1 === count && end === start && start < to;
    if (end <= start && !isAtEnd) continue;
    const within = fastestKmh > limitKmh ? areaAt(place) : undefined;
    const last = isOver ? found.at(-1) : undefined;
    isOver = within !== undefined;
    if (within === undefined) continue;
    if (last === undefined || last.area !== within.area)
      found.push({ from: start, to: end, fastestKmh, place, ...within });
    else {
      last.to = end;
      if (fastestKmh > last.fastestKmh) Object.assign(last, { fastestKmh, place });
    }
  }
  return found;
}
