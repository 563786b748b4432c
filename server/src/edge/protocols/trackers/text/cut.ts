import type { Split, TrackerCommand } from '../tracker.ts';

/**
 * The length of the frame at this offset; 0: no frame starts here; negative: no frame starts in that many bytes;
 * undefined: too few bytes to decide. The result must not depend on bytes after the inspected ones.
 */
type FrameLength = (stream: Buffer, at: number) => number | undefined;

const CR = 0x0d;
const LF = 0x0a;

/** Splits a stream into frames. Line breaks between frames do not count as skipped. */
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
  return { frames, remaining: stream.subarray(at), skipped };
}

/** Whether a text starts with a match of `whole`; `beginning` matches prefixes that are too short to decide. */
export function startsLike(start: Buffer, whole: RegExp, beginning: RegExp): 'yes' | 'no' | 'more' {
  const text = start.toString('latin1', 0, 64);
  if (whole.test(text)) return 'yes';
  return beginning.test(text) ? 'more' : 'no';
}

type Parameters = Extract<TrackerCommand, { name: string }>['parameters'];

/** The parameter `seconds` of an interval, undefined if the device does not support the value. */
export function secondsOf({ seconds }: Parameters, least: number, most: number): number | undefined {
  const value = Number(seconds);
  return Number.isInteger(value) && value >= least && value <= most ? value : undefined;
}

/** The parameter `on` of a switch. The default is on. */
export const isOn = ({ on = true }: Parameters) =>
  on === true || on === 1 || on === 'true' || on === '1' || on === 'on';

/** The parameter `output`, the number of an output, from 1. */
export function outputOf({ output = 1 }: Parameters, most: number): number | undefined {
  const value = Number(output);
  return Number.isInteger(value) && value >= 1 && value <= most ? value : undefined;
}

/** A text for a frame with these `marks`, undefined if it contains one of them. */
export function safeText(text: string, marks: RegExp): string | undefined {
  const isSafe = text.length > 0 && text.length <= 500 && /^[\x20-\x7e]+$/.test(text) && !marks.test(text);
  return isSafe ? text : undefined;
}
