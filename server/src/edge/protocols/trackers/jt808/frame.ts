import { bcd, xorOf } from '../bytes.ts';
import type { Split } from '../tracker.ts';

/**
 * A mark `7E`, header, body, check (all bytes before it combined by exclusive or), and the mark again. What looks like a
 * mark between the marks is escaped; `split` undoes that. Some makers use `E7` for the mark and other escapes.
 */
const MARK = 0x7e;
const OTHER_MARK = 0xe7;

/** A body has at most 1023 bytes, each of which may be escaped. */
export const MAX_FRAME_BYTES = 4096;

const ESCAPES: ReadonlyMap<number, ReadonlyMap<number, readonly [number, number]>> = new Map([
  [MARK, new Map([[0x7d, [0x7d, 0x7e]]])],
  [
    OTHER_MARK,
    new Map([
      [0xe6, [0xe6, 0xe7]],
      [0x3e, [0x3e, 0x3d]],
    ]),
  ],
]);

export interface Jt808Header {
  readonly type: number;
  /** Absent before the edition of 2019. */
  readonly version?: number;
  /** The identity as it was sent, in hexadecimal digits. */
  readonly id: string;
  readonly serial: number;
  readonly isEncrypted: boolean;
  /** Whether the device wants an answer, where it says so. */
  readonly isAnswerWanted: boolean;
  /** Of a message in parts: which this is, from 1. */
  readonly part?: { readonly number: number; readonly total: number };
  readonly mark: number;
}

export interface Jt808Frame extends Jt808Header {
  readonly body: Buffer;
  readonly isChecksumRight: boolean;
}

/** Types of locks whose serial has one byte, and whose attributes mean something else. */
const LOCK_REPORT = 0x5501;
const LOCK_BLIND_REPORT = 0x5502;
export const isLockReport = (type: number) => type === LOCK_REPORT || type === LOCK_BLIND_REPORT;

/** Reads an unescaped frame, with or without its marks. */
export function frameOf(bytes: Buffer): Jt808Frame | undefined {
  const mark = bytes[0] === OTHER_MARK ? OTHER_MARK : MARK;
  const start = bytes[0] === mark ? 1 : 0;
  const checkAt = bytes.length - (bytes[bytes.length - 1] === mark ? 2 : 1);
  if (checkAt - start < 12) return undefined;
  const type = bytes.readUInt16BE(start);
  const attributes = bytes.readUInt16BE(start + 2);
  const isLock = isLockReport(type);
  const isNew = !isLock && (attributes & 0x4000) !== 0;
  const idAt = start + (isNew ? 5 : 4);
  const idEnd = idAt + (isNew ? 10 : mark === OTHER_MARK ? 7 : 6);
  const isPart = !isLock && (attributes & 0x2000) !== 0;
  const serialBytes = isLock ? 1 : 2;
  const bodyAt = idEnd + serialBytes + (isPart ? 4 : 0);
  if (bodyAt > checkAt) return undefined;
  return {
    type,
    ...(isNew ? { version: bytes[start + 4]! } : {}),
    id: bcd(bytes, idAt, idEnd),
    serial: bytes.readUIntBE(idEnd, serialBytes),
    isEncrypted: !isLock && (attributes & 0x1c00) !== 0,
    isAnswerWanted: !isLock || (attributes & 0x8000) !== 0,
    ...(isPart ? { part: { total: bytes.readUInt16BE(bodyAt - 4), number: bytes.readUInt16BE(bodyAt - 2) } } : {}),
    mark,
    body: bytes.subarray(bodyAt, checkAt),
    isChecksumRight: xorOf(bytes, start, checkAt) === bytes[checkAt],
  };
}

/** How messages to a device are addressed. */
export interface Jt808Address {
  readonly id: string;
  readonly version?: number | undefined;
  readonly mark?: number;
}

/** A message to a device, or of a device, as it is on the wire. */
export function frameWith(type: number, address: Jt808Address, serial: number, body: Uint8Array): Buffer {
  return wireOf(type, address, body, Buffer.from([(serial >> 8) & 0xff, serial & 0xff]), 0);
}

/** The same with a serial of one byte, for locks. */
export const shortFrameWith = (type: number, address: Jt808Address, serial: number, body: Uint8Array, flags = 0) =>
  wireOf(type, address, body, Buffer.from([serial & 0xff]), flags);

function wireOf(
  type: number,
  { id, version, mark = MARK }: Jt808Address,
  body: Uint8Array,
  serial: Buffer,
  flags: number,
): Buffer {
  const idAt = version === undefined ? 4 : 5;
  const serialAt = idAt + id.length / 2;
  const bodyAt = serialAt + serial.length;
  const plain = Buffer.alloc(bodyAt + body.length + 1);
  plain.writeUInt16BE(type, 0);
  plain.writeUInt16BE(body.length | flags | (version === undefined ? 0 : 0x4000), 2);
  if (version !== undefined) plain[4] = version;
  plain.write(id, idAt, 'hex');
  plain.set(serial, serialAt);
  plain.set(body, bodyAt);
  plain[plain.length - 1] = xorOf(plain, 0, plain.length - 1);
  return escaped(plain, mark);
}

function escaped(plain: Buffer, mark: number): Buffer {
  const bytes = Buffer.alloc(plain.length * 2 + 2);
  const leads = LEADS.get(mark)!;
  bytes[0] = mark;
  let length = 1;
  for (const byte of plain) {
    const lead = leads.get(byte);
    if (lead === undefined) bytes[length++] = byte;
    else {
      bytes[length++] = lead[0];
      bytes[length++] = lead[1];
    }
  }
  bytes[length++] = mark;
  return bytes.subarray(0, length);
}

/** What each byte that must be escaped becomes. */
const LEADS: ReadonlyMap<number, ReadonlyMap<number, readonly [number, number]>> = new Map(
  [...ESCAPES].map(([mark, escapes]) => [
    mark,
    new Map(
      [...escapes].flatMap(([lead, pair]) => pair.map((byte, index) => [byte, [lead, index + 1] as const] as const)),
    ),
  ]),
);

export function recognise(start: Buffer): 'yes' | 'no' | 'more' {
  if (start.length === 0) return 'more';
  return start[0] === MARK || start[0] === OTHER_MARK ? 'yes' : 'no';
}

/** The mark at the end of a frame may also be that of the next, so it is kept as the beginning of it. */
export function split(stream: Buffer): Split {
  const frames: Buffer[] = [];
  let skipped = 0;
  let at = 0;
  while (at < stream.length) {
    const mark = stream[at]!;
    if (mark !== MARK && mark !== OTHER_MARK) {
      at += 1;
      skipped += 1;
      continue;
    }
    const end = stream.indexOf(mark, at + 1);
    const isTooLong = (end < 0 ? stream.length : end + 1) - at > MAX_FRAME_BYTES;
    if (isTooLong) {
      at += 1;
      skipped += 1;
    } else if (end < 0) break;
    else {
      if (end > at + 1) frames.push(unescaped(stream.subarray(at, end + 1), mark));
      at = end;
    }
  }
  return { frames, rest: stream.subarray(at), skipped };
}

/** A datagram holds whole frames: the last mark begins none. */
export function splitDatagram(datagram: Buffer): Split {
  const { frames, rest, skipped } = split(datagram);
  return rest.length === 1 && frames.length > 0
    ? { frames, rest: Buffer.alloc(0), skipped }
    : { frames, rest, skipped };
}

function unescaped(frame: Buffer, mark: number): Buffer {
  const escapes = ESCAPES.get(mark)!;
  let isPlain = true;
  for (const lead of escapes.keys()) isPlain &&= !frame.includes(lead);
  if (isPlain) return frame;
  const bytes = Buffer.alloc(frame.length);
  let length = 0;
  for (let at = 0; at < frame.length; at += 1) {
    const pair = escapes.get(frame[at]!);
    const byte = pair?.[frame[at + 1]! - 1];
    bytes[length] = byte ?? frame[at]!;
    length += 1;
    if (byte !== undefined) at += 1;
  }
  return bytes.subarray(0, length);
}
