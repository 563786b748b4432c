import { bcd, xorOf } from '../bytes.ts';
import type { Split } from '../tracker.ts';

/**
 * A mark `7E`, header, body, check (XOR of all preceding bytes), and the mark again. Mark bytes between the marks are
 * escaped; `split` removes the escapes. Some manufacturers use `E7` for the mark and other escapes.
 */
const MARK = 0x7e;
const OTHER_MARK = 0xe7;

/** A body has at most 1023 bytes, and each may be escaped. */
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

interface Jt808Header {
  readonly type: number;
  /** Absent before the edition of 2019. */
  readonly version?: number;
  /** The identity as sent, in hexadecimal digits. */
  readonly id: string;
  readonly serial: number;
  readonly isEncrypted: boolean;
  /** Whether the device requests a response. */
  readonly isAnswerWanted: boolean;
  /** For a message in parts: the number of this part, from 1. */
  readonly part?: { readonly number: number; readonly total: number };
  readonly mark: number;
}

export interface Jt808Frame extends Jt808Header {
  readonly body: Buffer;
  readonly isChecksumRight: boolean;
}

/** Lock messages have a one-byte serial, and attributes with other meanings. */
const LOCK_REPORT = 0x5501;
const LOCK_BLIND_REPORT = 0x5502;
export const isLockReport = (type: number) => type === LOCK_REPORT || type === LOCK_BLIND_REPORT;

/** Parses an unescaped frame, with or without its marks. */
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

/** An encoded message to or from a device. */
export function frameWith(type: number, address: Jt808Address, serial: number, body: Uint8Array): Buffer {
  return wireOf(type, address, body, Buffer.from([(serial >> 8) & 0xff, serial & 0xff]), 0);
}

/** The same with a one-byte serial, for locks. */
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

/** Escape sequences by byte. */
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

/** The end mark of a frame may also be the start mark of the next, so it is kept. */
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
  return { frames, remaining: stream.subarray(at), skipped };
}

/** A datagram contains whole frames: the last mark starts none. */
export function splitDatagram(datagram: Buffer): Split {
  const { frames, remaining, skipped } = split(datagram);
  return remaining.length === 1 && frames.length > 0
    ? { frames, remaining: Buffer.alloc(0), skipped }
    : { frames, remaining, skipped };
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

/**
 * Possible identifiers of a device, best first: without and with leading zeros; letters mean that an IMEI was packed
 * into six bytes.
 */
export function identitiesOf(id: string): readonly string[] {
  if (!/^\d+$/.test(id)) {
    const packed = Number.parseInt(id, 16);
    return Number.isSafeInteger(packed) ? [`${packed}${luhnDigit(String(packed))}`, id] : [id];
  }
  const short = id.replace(/^0+/, '');
  if (short === '') return [id];
  return [...new Set([short, id, short.padStart(12, '0')])];
}

/** The check digit of an IMEI, computed from the other digits. */
function luhnDigit(digits: string): number {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits[digits.length - 1 - index]);
    const doubled = index % 2 === 0 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return (10 - (sum % 10)) % 10;
}

/** The address of a device that is known only by its identifier. */
export function idOf(identity: string): string | undefined {
  if (!/^\d{1,20}$/.test(identity)) return undefined;
  if (identity.length <= 12) return identity.padStart(12, '0');
  const isPacked = identity.length === 15 && luhnDigit(identity.slice(0, 14)) === Number(identity[14]);
  return isPacked ? Number(identity.slice(0, 14)).toString(16).padStart(12, '0') : identity.slice(-12);
}

/** Chinese text in the encoding of the standard: GBK. */

const decoder = new TextDecoder('gbk');

export const textOf = (bytes: Buffer): string => decoder.decode(bytes).replace(/\0+$/, '');

let codes: ReadonlyMap<string, number> | undefined;

/** The bytes of a text, or undefined if it has a character that is not in GBK. */
export function bytesOf(text: string): Buffer | undefined {
  const bytes: number[] = [];
  for (const letter of text) {
    const code = letter.codePointAt(0)!;
    if (code < 0x80) bytes.push(code);
    else {
      codes ??= codesOfLetters();
      const known = codes.get(letter);
      if (known === undefined) return undefined;
      bytes.push(known >> 8, known & 0xff);
    }
  }
  return Buffer.from(bytes);
}

/** The runtime can only decode GBK, so the table is built by decoding each pair of bytes once. */
function codesOfLetters(): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const strict = new TextDecoder('gbk', { fatal: true });
  for (let first = 0x81; first <= 0xfe; first += 1)
    for (let second = 0x40; second <= 0xfe; second += 1) {
      if (second === 0x7f) continue;
      try {
        const letter = strict.decode(Buffer.from([first, second]));
        if ([...letter].length === 1 && !found.has(letter)) found.set(letter, (first << 8) | second);
      } catch {}
    }
  return found;
}
