import { cut } from '../text/cut.ts';
import type { Split } from '../tracker.ts';

/** Black boxes and parts of pictures are long. */
export const MAX_FRAME_BYTES = 65_536;

const LF = 0x0a;
const HASH = 0x23;
const isDigit = (byte: number) => byte >= 0x30 && byte <= 0x39;
const PACKED = 0xff;
const PACKED_HEAD_BYTES = 3;

/** `#TYPE#`; in a datagram the optional version and the device id precede it. */
const HEAD = /^(?:\d\.\d;[^#;\s]{1,40}|\d{8,20})?#[A-Z]{1,3}#/;
const BEGINNING = /^(?:\d{1,20}|\d\.(?:\d(?:;[^#;\s]{0,40})?)?|(?:\d\.\d;[^#;\s]{1,40}|\d{8,20})?#[A-Z]{0,3})$/;
const HEAD_BYTES = 60;
const PICTURE = /^(?:\d\.\d;[^#;\s]{1,40}|\d{8,20})?#I#(\d{1,6});/;

export function split(stream: Buffer): Split {
  // The end of a line is searched once for all possible starts before it.
  let end = -1;
  const endAfter = (at: number) => {
    if (end < at) end = stream.indexOf(LF, at);
    if (end < 0) end = Number.MAX_SAFE_INTEGER;
    return end;
  };
  return cut(stream, MAX_FRAME_BYTES, (_, at) => lengthAt(stream, at, endAfter));
}

/** The last line of a datagram may lack its line end. */
export function splitDatagram(datagram: Buffer): Split {
  const { frames, remaining, skipped } = split(datagram);
  return HEAD.test(remaining.toString('latin1', 0, HEAD_BYTES))
    ? { frames: [...frames, remaining], remaining: Buffer.alloc(0), skipped }
    : { frames, remaining, skipped };
}

export function recognise(start: Buffer): 'yes' | 'no' | 'more' {
  const head = start.toString('latin1', 0, HEAD_BYTES);
  if (HEAD.test(head)) return 'yes';
  return BEGINNING.test(head) ? 'more' : 'no';
}

function lengthAt(stream: Buffer, at: number, endAfter: (at: number) => number): number | undefined {
  if (stream[at] === PACKED) return packedLength(stream, at);
  if (stream[at] !== HASH && !isDigit(stream[at]!)) return 0;
  const head = recognise(stream.subarray(at, at + HEAD_BYTES));
  if (head !== 'yes') return head === 'no' ? 0 : undefined;
  const line = endAfter(at) + 1 - at;
  if (line > MAX_FRAME_BYTES) return undefined;
  if (isCutOff(stream.toString('latin1', at, at + line))) return 0;
  const [, bytes] = PICTURE.exec(stream.toString('latin1', at, at + HEAD_BYTES)) ?? [];
  return bytes === undefined ? line : whole(stream, at, line + Number(bytes));
}

/**
 * A position line that contains the start of another line was truncated. Messages to the driver may contain anything.
 */
const isCutOff = (line: string) => /^[^#]*#(?:L|S?D|B)#.*#(?:L|S?D|B|P|M)#/.test(line);

/** `FF`, a length, and zlib data, whose first byte is the compression method. */
function packedLength(stream: Buffer, at: number): number | undefined {
  if (stream.length <= at + PACKED_HEAD_BYTES) return undefined;
  const isDeflated = (stream[at + PACKED_HEAD_BYTES]! & 0x0f) === 8;
  return isDeflated ? whole(stream, at, PACKED_HEAD_BYTES + stream.readUInt16LE(at + 1)) : 0;
}

/** A length over the limit is returned at once, so that the frame is skipped. */
const whole = (stream: Buffer, at: number, length: number) =>
  length > MAX_FRAME_BYTES ? 0 : stream.length < at + length ? undefined : length;

export const isPacked = (frame: Buffer) => frame[0] === PACKED && frame.length > PACKED_HEAD_BYTES;
export const packedBytes = (frame: Buffer) => frame.subarray(PACKED_HEAD_BYTES);
