import type { Split, TrackerRecord } from '../tracker.ts';

/**
 * The length of the frame at this offset; `more`: too few bytes to decide or to contain the frame; `skip`: no frame
 * starts here; `between`: the byte is a separator between frames.
 */
export type Cut = number | 'more' | 'skip' | 'between';

type CutAt = (stream: Buffer, at: number) => Cut;

/**
 * Bounds the search for a valid frame inside an invalid one, so that garbage costs little: bytes searched, maximum
 * length of the frame, number of attempts.
 */
const MOST_LOOKED_AT = 4096;
const MOST_WAITED = 1500;
const MOST_TRIED = 50;

/**
 * Splits a stream by the length that its bytes announce.
 *
 * @param isSound whether the checksum of a frame is correct. An invalid frame that contains the start of a valid one
 *   was truncated.
 */
export function cutFrames(stream: Buffer, cutAt: CutAt, isSound?: (frame: Buffer) => boolean): Split {
  const frames: Buffer[] = [];
  let at = 0;
  let skipped = 0;
  while (at < stream.length) {
    const cut = cutAt(stream, at);
    if (cut === 'more') break;
    if (cut === 'skip' || cut === 'between') {
      if (cut === 'skip') skipped += 1;
      at += 1;
      continue;
    }
    const isHere = at + cut <= stream.length;
    const frame = stream.subarray(at, at + cut);
    const next = isSound && !(isHere && isSound(frame)) ? soundWithin(stream, at, cut, cutAt, isSound) : undefined;
    if (next === 'more' || (next === undefined && !isHere)) break;
    if (next === undefined) frames.push(frame);
    else skipped += next;
    at += next ?? cut;
  }
  return { frames, remaining: stream.subarray(at), skipped };
}

/** The distance from the start of a frame to a valid one inside it. */
function soundWithin(
  stream: Buffer,
  at: number,
  size: number,
  cutAt: CutAt,
  isSound: (frame: Buffer) => boolean,
): number | 'more' | undefined {
  const end = Math.min(at + Math.min(size, MOST_LOOKED_AT), stream.length);
  let isMaybe = false;
  for (let from = at + 1, tried = 0; from < end && tried < MOST_TRIED; from += 1) {
    const cut = cutAt(stream, from);
    if (typeof cut !== 'number' || cut > MOST_WAITED) continue;
    tried += 1;
    if (from + cut > stream.length) isMaybe = true;
    else if (isSound(stream.subarray(from, from + cut))) return from - at;
  }
  return isMaybe ? 'more' : undefined;
}

/** A datagram that contains one frame. */
export const wholeDatagram = (datagram: Buffer): Split => ({
  frames: datagram.length > 0 ? [datagram] : [],
  remaining: Buffer.alloc(0),
  skipped: 0,
});

type ByteTest = (byte: number) => boolean;

/** Compares the first bytes one by one, as far as they have arrived. */
export function beginsAs(start: Buffer, tests: readonly ByteTest[]): 'yes' | 'no' | 'more' {
  for (const [index, test] of tests.entries()) {
    const byte = start[index];
    if (byte === undefined) return 'more';
    if (!test(byte)) return 'no';
  }
  return 'yes';
}

export const anyByte: ByteTest = () => true;
export const digitByte: ByteTest = (byte) => byte >= 0x30 && byte <= 0x39;
export const exactly = (text: string): ByteTest[] =>
  [...Buffer.from(text, 'latin1')].map((expected) => (byte: number) => byte === expected);

/** The most definite of several results. */
export function firstSure(answers: readonly ('yes' | 'no' | 'more')[]): 'yes' | 'no' | 'more' {
  return answers.includes('yes') ? 'yes' : answers.includes('more') ? 'more' : 'no';
}

type Place = Pick<TrackerRecord, 'location' | 'isValid'>;

/** A location of 0, 0 is never valid: receivers without a fix report it. Coordinates out of range are no location. */
export function fixOf(lat: number | undefined, lng: number | undefined, isVouchedFor: boolean): Place {
  if (lat === undefined || lng === undefined || !(Math.abs(lat) <= 90) || !(Math.abs(lng) <= 180))
    return { isValid: false };
  return { location: { lat, lng }, isValid: isVouchedFor && (lat !== 0 || lng !== 0) };
}
