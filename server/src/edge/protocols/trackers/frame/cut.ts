import type { Split } from '../tracker.ts';

/**
 * The length of the frame that begins here; `more`: too few bytes to tell, or to hold it; `skip`: none begins here;
 * `between`: none does, and none has to, since the byte only parts frames.
 */
export type Cut = number | 'more' | 'skip' | 'between';

type CutAt = (stream: Buffer, at: number) => Cut;

/** A frame is looked for within one that is not sound only so far, if it is no longer, and so often: garbage costs little. */
const MOST_LOOKED_AT = 4096;
const MOST_WAITED = 1500;
const MOST_TRIED = 50;

/**
 * Cuts a stream by what its bytes say of the length of the next frame.
 *
 * @param isSound whether the checksum of a frame is right. A frame without a sound one, in which a sound one begins, was
 *   cut off.
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
  return { frames, rest: stream.subarray(at), skipped };
}

/** How far behind the beginning of a frame a sound one begins. */
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

/** A datagram that is one frame. */
export const wholeDatagram = (datagram: Buffer): Split => ({
  frames: datagram.length > 0 ? [datagram] : [],
  rest: Buffer.alloc(0),
  skipped: 0,
});

type ByteTest = (byte: number) => boolean;

/** Compares the first bytes one by one, as far as they have come. */
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

/** The surest of several answers. */
export function firstSure(answers: readonly ('yes' | 'no' | 'more')[]): 'yes' | 'no' | 'more' {
  return answers.includes('yes') ? 'yes' : answers.includes('more') ? 'more' : 'no';
}
