import { stepsM } from '../../platform/sphere.ts';
import { type TripTrack, unpackTrack } from './trip-track.ts';

/** How much of a trip lies before a moment: of its way, and of the time it stood, each from 0 to 1. */
export interface TripShares {
  readonly way: number;
  readonly idle: number;
}
export type SharesBefore = (at: number) => TripShares;

interface TimedTrip {
  readonly start: number;
  readonly end: number;
}

/** As if a trip went on evenly: where its track is not known. */
export function evenShares({ start, end }: TimedTrip): SharesBefore {
  const lengthMs = Math.max(1, end - start);
  return (at) => {
    const share = (at - start) / lengthMs;
    return { way: share, idle: share };
  };
}

/**
 * As the fixes of a trip tell. Between two of them it went on evenly.
 * @param packed for which `isPacked`
 */
export function trackShares(trip: TimedTrip, packed: string): SharesBefore {
  const track = unpackTrack(packed, trip.start);
  if (track.count < 2) return evenShares(trip);
  const metres = stepsM(track.lat, track.lng, track.count);
  const all = sumsBefore(track, metres, trip.end);
  const even = evenShares(trip);
  return (at) => {
    const sums = sumsBefore(track, metres, at);
    return {
      way: all.way > 0 ? sums.way / all.way : even(at).way,
      idle: all.idle > 0 ? sums.idle / all.idle : even(at).idle,
    };
  };
}

function sumsBefore({ count, at, moved }: TripTrack, metres: ArrayLike<number>, moment: number): TripShares {
  let [way, idle] = [0, 0];
  for (let index = 1; index < count && at[index - 1]! < moment; index++) {
    const lengthMs = at[index]! - at[index - 1]!;
    const share = lengthMs > 0 ? Math.min(1, (moment - at[index - 1]!) / lengthMs) : 1;
    way += metres[index]! * share;
    if (moved[index] !== 1) idle += lengthMs * share;
  }
  return { way, idle };
}
