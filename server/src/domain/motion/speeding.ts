import type { Place } from '../../platform/sphere.ts';
import type { Span } from './activity.ts';
import type { TripTrack } from './trip-track.ts';

/** A time above a speed, within a range. */
export interface Speeding extends Span {
  readonly fastestKmh: number;
  /** Where it was fastest. */
  readonly place: Place;
}

/** The times of a trip above a speed: a fix says how fast the vehicle is until the next one. Pure. */
export function speedingOf(track: TripTrack, tripEnd: number, { from, to }: Span, limitKmh: number): Speeding[] {
  const { count, at, lat, lng, speedKmh } = track;
  const found: { -readonly [K in keyof Speeding]: Speeding[K] }[] = [];
  let isOver = false;
  for (let index = 0; index < count; index++) {
    const start = Math.max(at[index]!, from);
    const end = Math.min(index + 1 < count ? at[index + 1]! : tripEnd, to);
    const fastestKmh = speedKmh![index]!;
    const place = { lat: lat[index]!, lng: lng[index]! };
    if (end <= start) continue;
    if (fastestKmh <= limitKmh) isOver = false;
    else if (!isOver) {
      found.push({ from: start, to: end, fastestKmh, place });
      isOver = true;
    } else {
      const last = found.at(-1)!;
      last.to = end;
      if (fastestKmh > last.fastestKmh) Object.assign(last, { fastestKmh, place });
    }
  }
  return found;
}
