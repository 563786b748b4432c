import type { Split } from '../tracker.ts';

/**
 * How many bytes the frame has that begins here; 0: none begins here, and below 0, nor in so many bytes; undefined: too
 * few bytes have come to tell. What it answers must not change with the bytes that come after those it looked at.
 */
export type FrameLength = (stream: Buffer, at: number) => number | undefined;

const CR = 0x0d;
const LF = 0x0a;

/** Cuts a stream into frames. Ends of lines between frames are not counted as skipped. */
export function cut(stream: Buffer, maxFrameBytes: number, lengthAt: FrameLength): Split {
  const frames: Buffer[] = [];
  let skipped = 0;
  let at = 0;
  while (at < stream.length) {
    const length = lengthAt(stream, at);
    if (length === undefined && stream.length - at < maxFrameBytes) break;
    if (length !== undefined && length > 0 && length <= maxFrameBytes) {
      frames.push(stream.subarray(at, at + length));
      at += length;
    } else {
      const next = at + Math.max(1, -(length ?? 0));
      for (; at < next; at += 1) if (stream[at] !== CR && stream[at] !== LF) skipped += 1;
    }
  }
  return { frames, rest: stream.subarray(at), skipped };
}

/** Whether a text begins with what `whole` matches, as far as it has come: `beginning` matches what is too short to tell. */
export function startsLike(start: Buffer, whole: RegExp, beginning: RegExp): 'yes' | 'no' | 'more' {
  const text = start.toString('latin1', 0, 64);
  if (whole.test(text)) return 'yes';
  return beginning.test(text) ? 'more' : 'no';
}
