import { crcX25, u16 } from '../bytes.ts';
import type { RecordDraft } from '../record/networks.ts';
import type { Split, TrackerSession } from '../tracker.ts';

/**
 * `7878`, length 1 (or `7979`, length 2), type 1, content, serial 2, CRC-16/X-25 2, `0D0A`. The length is that from the
 * type to the CRC; the CRC covers length to serial.
 */
export interface Gt06Frame {
  readonly bytes: Buffer;
  readonly isLong: boolean;
  readonly type: number;
  /** The declared length. */
  readonly length: number;
  /** Offset of the content. */
  readonly at: number;
  /** Offset of the end of the content, before the serial. */
  readonly end: number;
  /** Offset of the end mark. Some clones omit serial and CRC, so their content extends to here. */
  readonly limit: number;
  readonly serial: number;
  readonly isChecksumRight: boolean;
}

export const MAX_FRAME_BYTES = 4096;
const SHORT = 0x7878;
const LONG = 0x7979;
const END = 0x0d0a;
export const LOGIN = 0x01;
/** Types that have the number of networks in place of the length, and neither serial nor CRC. */
const COUNTED = new Set([0x17, 0x69, 0xf3]);

export const isCounted = ({ type, length, bytes, isLong }: Gt06Frame) =>
  COUNTED.has(type) && !isLong && length + 5 !== bytes.length;

export function frameOf(bytes: Buffer): Gt06Frame | undefined {
  const start = u16(bytes, 0);
  if ((start !== SHORT && start !== LONG) || bytes.length < 8) return undefined;
  const isLong = start === LONG;
  const at = isLong ? 5 : 4;
  const hasEnd = bytes.readUInt16BE(bytes.length - 2) === END;
  const limit = hasEnd ? bytes.length - 2 : bytes.length;
  const serialAt = Math.max(limit - 4, at - 1);
  return {
    bytes,
    isLong,
    type: bytes[at - 1]!,
    length: isLong ? bytes.readUInt16BE(2) : bytes[2]!,
    at,
    end: Math.max(serialAt, at),
    limit,
    serial: u16(bytes, serialAt) ?? 0,
    isChecksumRight: limit - 2 > at && crcX25(bytes, 2, limit - 2) === bytes.readUInt16BE(limit - 2),
  };
}

export function frameWith(type: number, serial: number, content: Uint8Array = Buffer.alloc(0), isLong = false): Buffer {
  const at = isLong ? 5 : 4;
  const bytes = Buffer.alloc(at + content.length + 6);
  bytes.writeUInt16BE(isLong ? LONG : SHORT, 0);
  if (isLong) bytes.writeUInt16BE(content.length + 5, 2);
  else bytes[2] = content.length + 5;
  bytes[at - 1] = type;
  bytes.set(content, at);
  const serialAt = at + content.length;
  bytes.writeUInt16BE(serial & 0xffff, serialAt);
  bytes.writeUInt16BE(crcX25(bytes, 2, serialAt + 2), serialAt + 2);
  bytes.writeUInt16BE(END, serialAt + 4);
  return bytes;
}

export function recognise(start: Buffer): 'yes' | 'no' | 'more' {
  const first = start[0];
  if (start.length === 0) return 'more';
  if (first !== 0x78 && first !== 0x79) return 'no';
  if (start.length === 1) return 'more';
  return start[1] === first ? 'yes' : 'no';
}

export function split(stream: Buffer): Split {
  const frames: Buffer[] = [];
  let skipped = 0;
  let at = 0;
  while (at < stream.length) {
    const start = startFrom(stream, at);
    skipped += start - at;
    at = start;
    const size = sizeAt(stream, at);
    if (size === 'more') break;
    if (size === 'none') {
      skipped += 1;
      at += 1;
    } else {
      frames.push(stream.subarray(at, at + size));
      at += size;
    }
  }
  return { frames, remaining: stream.subarray(at), skipped };
}

/** The offset where the next start mark is, or could be after more bytes. */
function startFrom(stream: Buffer, from: number): number {
  for (let at = from; at < stream.length; at += 1) {
    const byte = stream[at];
    if ((byte === 0x78 || byte === 0x79) && (at + 1 === stream.length || stream[at + 1] === byte)) return at;
  }
  return stream.length;
}

/** The size of the frame at this offset. The content may contain an end mark, so the length is tried first. */
function sizeAt(stream: Buffer, at: number): number | 'more' | 'none' {
  if (stream.length < at + 4) return 'more';
  const isLong = stream[at] === 0x79;
  const size = isLong ? stream.readUInt16BE(at + 2) + 6 : stream[at + 2]! + 5;
  const known = stream.length - at;
  if (size > MAX_FRAME_BYTES) return 'none';
  const cut = !isLong && stream[at + 3] === LOGIN && size === 18 ? sizeOfCutLogin(stream, at) : undefined;
  if (cut !== undefined) return cut;
  const next = soundFrom(stream, at, at + size);
  if (next === undefined && known < size) return 'more';
  if (next === undefined && size >= 8 && stream.readUInt16BE(at + size - 2) === END) return size;
  const end = endFrom(stream, at + 4, next ?? at + MAX_FRAME_BYTES);
  if (end !== undefined) return end - at;
  return next === undefined && known < MAX_FRAME_BYTES ? 'more' : 'none';
}

/** The offset of a complete, valid frame inside this one, which means that this one was truncated. */
function soundFrom(stream: Buffer, at: number, to: number): number | undefined {
  for (
    let from = startFrom(stream, at + 1);
    from < to && from + 4 <= stream.length;
    from = startFrom(stream, from + 1)
  ) {
    const end = from + (stream[from] === 0x79 ? stream.readUInt16BE(from + 2) + 6 : stream[from + 2]! + 5);
    if (end > stream.length || end < from + 8 || stream.readUInt16BE(end - 2) !== END) continue;
    if (crcX25(stream, from + 2, end - 4) === stream.readUInt16BE(end - 4)) return from;
  }
  return undefined;
}

/** The offset after the next end mark. */
function endFrom(stream: Buffer, from: number, to: number): number | undefined {
  const last = Math.min(stream.length, to);
  for (let at = from; at + 1 < last; at += 1) if (stream[at] === 0x0d && stream[at + 1] === 0x0a) return at + 2;
  return undefined;
}

/**
 * Some clones omit the end of a login and send nothing more until it is answered: the end mark after the IMEI ends it,
 * unless those bytes are the checksum of a complete login.
 */
function sizeOfCutLogin(stream: Buffer, at: number): number | undefined {
  const end = endFrom(stream, at + 12, at + 16);
  if (end === undefined || (end === at + 16 && crcX25(stream, at + 2, at + 14) === END)) return undefined;
  return end - at;
}

/** A message in a valid frame. */
export interface Gt06Message {
  readonly type: number;
  readonly isLong: boolean;
  /** The declared length of the frame: clones use one type for several contents, which differ in length. */
  readonly length: number;
  readonly content: Buffer;
  /** The content including the bytes of serial and CRC: clones without those have content there. */
  readonly all: Buffer;
  readonly session: TrackerSession;
}

/** Decodes a message into a draft; false if the content does not match its type. */
export type Gt06Reader = (draft: RecordDraft, message: Gt06Message) => boolean;
