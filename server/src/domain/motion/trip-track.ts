import type { Located } from '../fix.ts';
import { leavesRest } from './motion.ts';
import { joined, resting } from './rest.ts';

/**
 * The way of a trip: its fixes in their order, and whether the vehicle moved from one to the next. Packed, it is a short
 * text that is stored with the trip: reports about a month of a fleet would read millions of positions otherwise. Pure.
 */
export interface TripTrack {
  readonly count: number;
  readonly at: Float64Array;
  readonly lat: Float64Array;
  readonly lng: Float64Array;
  /** 1 where the vehicle moved since the fix before. */
  readonly moved: Uint8Array;
  /** Not packed: only a trip of which a part is asked for needs them, and its positions are read. */
  readonly speedKmh?: Float64Array;
}

/** Packed of a trip whose positions must be read: it is too long, or next to nothing of it is left. */
export const NOT_PACKED = '';

function trackOfSize(count: number): TripTrack {
  const numbers = () => new Float64Array(count);
  return { count, at: numbers(), lat: numbers(), lng: numbers(), moved: new Uint8Array(count) };
}

export function trackOf(fixes: readonly Located[]): TripTrack {
  const track = { ...trackOfSize(fixes.length), speedKmh: new Float64Array(fixes.length) };
  let pause = fixes.length === 0 ? undefined : resting(fixes[0]!);
  for (const [index, fix] of fixes.entries()) {
    track.at[index] = fix.at;
    track.lat[index] = fix.place.lat;
    track.lng[index] = fix.place.lng;
    track.speedKmh[index] = fix.speedKmh ?? 0;
    if (index === 0) continue;
    // The trip began because the vehicle left.
    const isMoving = index === 1 || leavesRest(pause!, fix);
    pause = isMoving ? resting(fix) : joined(pause!, fix);
    track.moved[index] = isMoving ? 1 : 0;
  }
  return track;
}

/** Both forms are exact. Nearly all devices report whole ten-millionths of a degree, which are short as differences. */
const [DIFFERENCES, NUMBERS] = ['d', 'n'];
const UNITS = 1e7;
const unitsOf = (degrees: number) => Math.round(degrees * UNITS);
const areUnits = (degrees: Float64Array) => degrees.every((value) => unitsOf(value) / UNITS === value);

/** @param startAt when the trip began */
export function packTrack({ count, at, lat, lng, moved }: TripTrack, startAt: number): string {
  if (count < 2) return NOT_PACKED;
  if (!areUnits(lat) || !areUnits(lng)) return NUMBERS + JSON.stringify([[...at], [...lat], [...lng], [...moved]]);
  const codes: number[] = [];
  let [time, north, east] = [startAt, 0, 0];
  for (let index = 0; index < count; index++) {
    const [nextNorth, nextEast] = [unitsOf(lat[index]!), unitsOf(lng[index]!)];
    pushNumber(codes, (at[index]! - time) * 2 + moved[index]!);
    pushNumber(codes, unsigned(nextNorth - north));
    pushNumber(codes, unsigned(nextEast - east));
    [time, north, east] = [at[index]!, nextNorth, nextEast];
  }
  let text = DIFFERENCES!;
  for (let start = 0; start < codes.length; start += AT_ONCE)
    text += String.fromCharCode(...codes.slice(start, start + AT_ONCE));
  return text;
}

/** Undefined where the text is none of ours. */
export function unpackTrack(text: string, startAt: number): TripTrack | undefined {
  if (text.startsWith(NUMBERS!)) {
    const [at, lat, lng, moved] = JSON.parse(text.slice(1)) as [number[], number[], number[], number[]];
    const exact = { at: Float64Array.from(at), lat: Float64Array.from(lat), lng: Float64Array.from(lng) };
    return { count: at.length, ...exact, moved: Uint8Array.from(moved) };
  }
  return text.startsWith(DIFFERENCES!) ? unpackDifferences(text, startAt) : undefined;
}

/**
 * A number is written in digits of five bits, the lowest first, each with a bit that says that more follow, as characters
 * that JSON and databases leave alone. Sums instead of shifts, since times and degrees are longer than 32 bits.
 */
const FIRST_CODE = 63;
const DIGIT = 32;
const MORE = 32;
const AT_ONCE = 8192;

const unsigned = (value: number) => (value < 0 ? -2 * value - 1 : 2 * value);

function pushNumber(codes: number[], value: number): void {
  let rest = value;
  for (; rest >= DIGIT; rest = Math.floor(rest / DIGIT)) codes.push(FIRST_CODE + MORE + (rest % DIGIT));
  codes.push(FIRST_CODE + rest);
}

function unpackDifferences(text: string, startAt: number): TripTrack {
  let count = 0;
  for (let index = 1; index < text.length; index++) if (text.charCodeAt(index) < FIRST_CODE + MORE) count++;
  const track = trackOfSize(count / 3);
  let next = 1;
  const number = () => {
    let value = 0;
    for (let factor = 1; ; factor *= DIGIT) {
      const code = text.charCodeAt(next++) - FIRST_CODE;
      if (code < MORE) return value + code * factor;
      value += (code - MORE) * factor;
    }
  };
  const difference = () => {
    const value = number();
    const half = Math.floor(value / 2);
    return half * 2 === value ? half : -half - 1;
  };
  let [time, north, east] = [startAt, 0, 0];
  for (let index = 0; index < track.count; index++) {
    const step = number();
    const ms = Math.floor(step / 2);
    time += ms;
    north += difference();
    east += difference();
    track.at[index] = time;
    track.moved[index] = step - 2 * ms;
    track.lat[index] = north / UNITS;
    track.lng[index] = east / UNITS;
  }
  return track;
}
