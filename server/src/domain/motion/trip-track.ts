import type { Located } from '../fix.ts';
import { leavesStandstill, movesOn, speedAt } from './motion.ts';
import { joined, resting } from './standstill.ts';

/**
 * The track of a trip: its fixes in order, and whether the vehicle moved between them. Packed, it is a short text that
 * is stored with the trip: otherwise reports about a month of a fleet would read millions of positions. Pure.
 */
export interface TripTrack {
  readonly count: number;
  readonly at: Float64Array;
  readonly lat: Float64Array;
  readonly lng: Float64Array;
  /** 1 if the vehicle moved since the previous fix. */
  readonly moved: Uint8Array;
  /** Not packed: needed only for a part of a trip, whose positions are read then. */
  readonly speedKmh?: Float64Array;
}

/** Marks a trip whose positions must be read: it is too long, or hardly any positions are left. */
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
    const isFar = leavesStandstill(pause!, fix);
    // The trip began because the vehicle left.
    const leaves = index === 1 || isFar;
    const isMoving = movesOn(pause!, fix, leaves);
    // If distance and time give no speed, a moving vehicle keeps the previous one.
    track.speedKmh[index] = speedAt(pause!, fix, isFar) ?? (isMoving ? track.speedKmh[index - 1]! : 0);
    pause = leaves ? resting(fix) : joined(pause!, fix);
    track.moved[index] = isMoving ? 1 : 0;
  }
  return track;
}

/**
 * Both formats are exact. Nearly all devices report whole ten-millionths of a degree, which are short as differences.
 */
const [DIFFERENCES, NUMBERS] = ['d', 'n'];
const UNITS = 1e7;
const unitsOf = (degrees: number) => Math.round(degrees * UNITS);
const areUnits = (degrees: Float64Array) => degrees.every((value) => unitsOf(value) / UNITS === value);

/** @param startAt start of the trip */
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

export const isPacked = (text: string) => text.startsWith(DIFFERENCES!) || text.startsWith(NUMBERS!);

/**
 * The result is valid until the next track is unpacked: a report unpacks hundreds, one after the other.
 * @param text a text where `isPacked` is true
 */
export function unpackTrack(text: string, startAt: number): TripTrack {
  return text.startsWith(NUMBERS!) ? unpackNumbers(text) : unpackDifferences(text, startAt);
}

let space = trackOfSize(1024);

/** A reused buffer for a track. */
function spaceFor(count: number): TripTrack {
  if (count > space.count) space = trackOfSize(count);
  return { ...space, count };
}

function unpackNumbers(text: string): TripTrack {
  const lists = JSON.parse(text.slice(1)) as [number[], number[], number[], number[]];
  const track = spaceFor(lists[0].length);
  for (const [index, list] of [track.at, track.lat, track.lng, track.moved].entries()) list.set(lists[index]!);
  return track;
}

/**
 * A number is written in digits of five bits, lowest first, each with a continuation bit, as characters that databases
 * store unchanged.
 */
const FIRST_CODE = 63;
const DIGIT = 32;
const MORE = 32;
const AT_ONCE = 8192;

const unsigned = (value: number) => (value < 0 ? -2 * value - 1 : 2 * value);

function pushNumber(codes: number[], value: number): void {
  let remaining = value;
  for (; remaining >= DIGIT; remaining = Math.floor(remaining / DIGIT))
    codes.push(FIRST_CODE + MORE + (remaining % DIGIT));
  codes.push(FIRST_CODE + remaining);
}

function unpackDifferences(text: string, startAt: number): TripTrack {
  // A fix has three numbers of at least one character each.
  const track = spaceFor(Math.floor(text.length / 3));
  const { at, lat, lng, moved } = track;
  let time = startAt;
  let north = 0;
  let east = 0;
  let next = 1;
  // The hot loop of fleet sums: it calls no functions, and uses shifts as long as numbers are short.
  let index = 0;
  for (let part = 0; next < text.length; ) {
    let code = text.charCodeAt(next++) - FIRST_CODE;
    let value = code & (DIGIT - 1);
    let shift = 5;
    for (; code >= MORE && shift < 30; shift += 5) {
      code = text.charCodeAt(next++) - FIRST_CODE;
      value |= (code & (DIGIT - 1)) << shift;
    }
    let half = value >> 1;
    const isOdd = (value & 1) === 1;
    for (let factor = 2 ** (shift - 1); code >= MORE; factor *= DIGIT) {
      code = text.charCodeAt(next++) - FIRST_CODE;
      half += (code & (DIGIT - 1)) * factor;
    }
    if (part === 0) {
      time += half;
      at[index] = time;
      moved[index] = isOdd ? 1 : 0;
      part = 1;
    } else if (part === 1) {
      north += isOdd ? -half - 1 : half;
      lat[index] = north / UNITS;
      part = 2;
    } else {
      east += isOdd ? -half - 1 : half;
      lng[index] = east / UNITS;
      part = 0;
      index++;
    }
  }
  return { ...track, count: index };
}
