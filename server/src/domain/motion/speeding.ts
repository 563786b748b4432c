import type { Place } from '../../platform/sphere.ts';
import type { Span } from './activity.ts';
import type { TripTrack } from './trip-track.ts';

/** A time range above a speed. */
export interface Speeding extends Span {
  readonly fastestKmh: number;
  /** The place of the highest speed. */
  readonly place: Place;
  /** The area of the whole time range, according to `areaAt`. */
  readonly area?: number | undefined;
}

const EVERYWHERE = () => ({});

/**
 * The time ranges of a trip above a speed: a fix gives speed and place until the next one. Pure.
 * @param areaAt the area of a place, undefined if none: a time in two areas is divided
 */
export function speedingOf(
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
    if (end <= start) continue;
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
