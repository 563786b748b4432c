import { cut } from '../text/cut.ts';
import type { Split } from '../tracker.ts';

export const MAX_FRAME_BYTES = 4096;

const ASTERISK = 0x2a;
const HASH = 0x23;
const DOLLAR = 0x24;

/** A binary frame does not contain its length: these lengths are in use. */
const BINARY_LENGTHS = [32, 42, 45, 46, 47, 48];
const SHORTEST = 32;

type Answer = 'yes' | 'no' | 'more';

/**
 * Splits text at its marks. A binary frame ends where the next frame starts; until then it is unknown whether it is
 * complete, so it stays in `rest`.
 */
export const split = (stream: Buffer): Split => cut(stream, MAX_FRAME_BYTES, lengthAt);

/** Once a device is silent, a waiting binary frame is complete if it has one of the lengths in use. */
export function splitRemaining(remaining: Buffer): Split {
  const { frames, remaining: waiting, skipped } = split(remaining);
  const isWhole = isBinaryHead(waiting, 0) === 'yes' && BINARY_LENGTHS.includes(waiting.length);
  return isWhole
    ? { frames: [...frames, waiting], remaining: Buffer.alloc(0), skipped }
    : { frames, remaining: waiting, skipped };
}

/** A datagram ends with its last frame. */
export const splitDatagram = splitRemaining;

export function recognise(start: Buffer): Answer {
  return headAt(start, 0);
}

function lengthAt(stream: Buffer, at: number): number | undefined {
  if (stream[at] === ASTERISK) return textLength(stream, at);
  if (stream[at] === DOLLAR) return binaryLength(stream, at);
  return 0;
}

function textLength(stream: Buffer, at: number): number | undefined {
  const head = isTextHead(stream, at);
  if (head !== 'yes') return head === 'no' ? 0 : undefined;
  const text = stream.subarray(at, at + MAX_FRAME_BYTES);
  const end = text.indexOf(HASH);
  if (end < 0) return undefined;
  // A sentence that contains the start of another was truncated.
  for (let next = text.indexOf(ASTERISK, 1); next > 0 && next < end; next = text.indexOf(ASTERISK, next + 1))
    if (isTextHead(text, next) === 'yes') return -next;
  return end + 1;
}

function binaryLength(stream: Buffer, at: number): number | undefined {
  const head = isBinaryHead(stream, at);
  if (head !== 'yes') return head === 'no' ? 0 : undefined;
  const again = sameDeviceFrom(stream, at);
  if (again !== 0) return again === undefined ? undefined : -again;
  // If garbage follows, the shortest length is used: it contains all fields that are read.
  const length = followedLength(stream, at);
  return length === 0 ? SHORTEST : length;
}

/**
 * The distance to another frame of the same device that starts before this one can have ended, which means that this
 * one was truncated. 0: there is none.
 */
function sameDeviceFrom(stream: Buffer, at: number): number | undefined {
  const head = stream.subarray(at, at + 1 + SHORT_ID_BYTES);
  for (let next = 1; next < SHORTEST; next += 1) {
    const here = stream.subarray(at + next, at + next + head.length);
    if (!here.equals(head.subarray(0, here.length))) continue;
    return here.length < head.length ? undefined : next;
  }
  return 0;
}

/** The length after which another frame starts; 0 if none does, undefined if too few bytes have arrived. */
function followedLength(stream: Buffer, at: number): number | undefined {
  for (const length of BINARY_LENGTHS) {
    const next = headAt(stream, at + length);
    if (next === 'more') return undefined;
    if (next === 'yes') return length;
  }
  return 0;
}

function headAt(stream: Buffer, at: number): Answer {
  if (at >= stream.length) return 'more';
  if (stream[at] === ASTERISK) return isTextHead(stream, at);
  return stream[at] === DOLLAR ? isBinaryHead(stream, at) : 'no';
}

/** `*HQ,`: two letters or digits for the manufacturer. */
function isTextHead(stream: Buffer, at: number): Answer {
  const head = stream.toString('latin1', at, at + 4);
  if (/^\*[A-Za-z0-9]{2},$/.test(head)) return 'yes';
  return head.length < 4 && /^\*[A-Za-z0-9]{0,2}$/.test(head) ? 'more' : 'no';
}

/** An id of 10 or 15 digits, then a time, a date and a latitude with all parts in range. */
function isBinaryHead(stream: Buffer, at: number): Answer {
  const short = isHead(stream, at, SHORT_ID_BYTES);
  if (short === 'yes') return short;
  const long = isHead(stream, at, LONG_ID_BYTES);
  return long === 'no' ? short : long;
}

const SHORT_ID_BYTES = 5;
const LONG_ID_BYTES = 8;

/** Hour, minute, second, day, month, year; degrees, minutes and their decimals. */
const LEAST = [0, 0, 0, 1, 1, 0, 0, 0, 0, 0];
const MOST = [23, 59, 59, 31, 12, 99, 90, 59, 99, 99];

function isHead(stream: Buffer, at: number, idBytes: number): Answer {
  const from = at + 1 + idBytes;
  for (let index = at + 1; index < from + MOST.length; index += 1) {
    const byte = stream[index];
    if (byte === undefined) return 'more';
    const value = (byte >> 4) * 10 + (byte & 0xf);
    if ((byte & 0xf) > 9 || value > 99) return 'no';
    if (index >= from && (value < LEAST[index - from]! || value > MOST[index - from]!)) return 'no';
  }
  return 'yes';
}

/** The number of digits of the id in a binary frame: 15 are followed by a padding digit. */
export function idDigitsOf(frame: Buffer): 10 | 16 {
  const isLong =
    isHead(frame, 0, LONG_ID_BYTES) === 'yes' && (frame.length === 42 || isHead(frame, 0, SHORT_ID_BYTES) !== 'yes');
  return isLong ? 16 : 10;
}
