import { bcd } from './bytes.ts';
import { Cursor } from './frame/cursor.ts';
import { type Cut, cutFrames } from './frame/cut.ts';
import {
  type CellReading,
  macAt,
  newDraft,
  putAt,
  type RecordDraft,
  readCells,
  readWifi,
  type WifiReading,
} from './record/networks.ts';
import type { DecodedFrame, TrackerProtocol, TrackerRecord, TrackerSession } from './tracker.ts';

/**
 * The newer protocol of Xexun: `FAAF`, type 2, serial 2, IMEI 8, attributes and length 2, checksum 2, content, `FAAF`.
 * Between the marks, `FAAF` is sent as `FBBF01` and `FBBF` as `FBBF02`. The checksum is the complement of the sum of
 * the content's bytes.
 */
const MARK = 0xfaaf;
const ESCAPE = 0xfbbf;
const MARK_BYTES = Buffer.from('faaf', 'hex');
const HEAD_BYTES = 18;
const MAX_FRAME = 4096;
const TYPE = { command: 0x07, positions: 0x14 } as const;
const LENGTH = 0x03ff;

export const xexun2: TrackerProtocol = {
  name: 'xexun2',
  wellKnownPort: 5233,
  maxFrameBytes: MAX_FRAME,
  recognise(start) {
    if (start[0] !== MARK >> 8 || (start.length > 1 && start[1] !== (MARK & 0xff))) return 'no';
    return start.length < 2 ? 'more' : 'yes';
  },
  split: (stream) => cutFrames(stream, cutAt),
  decode,
  commands: [],
  repliesNameCommand: false,
};

function cutAt(stream: Buffer, at: number): Cut {
  if (stream[at] !== MARK >> 8) return 'skip';
  if (at + 1 === stream.length) return 'more';
  if (stream[at + 1] !== (MARK & 0xff)) return 'skip';
  const end = stream.indexOf(MARK_BYTES, at + 2);
  if (end < 0) return stream.length - at > MAX_FRAME ? 'skip' : 'more';
  const size = end + 2 - at;
  // The end mark of a frame followed by the start mark of the next.
  if (size < HEAD_BYTES + 2 || size > MAX_FRAME) return 'skip';
  // After a truncated frame, the mark at its end starts the next one.
  return isRight(plain(stream.subarray(at, at + size))) ? size : size - 2;
}

/** Removes the escapes of a frame. */
function plain(frame: Buffer): Buffer {
  if (!frame.includes(Buffer.from([ESCAPE >> 8, ESCAPE & 0xff]))) return frame;
  const bytes: number[] = [];
  for (let at = 0; at < frame.length; at++) {
    const isEscape = frame[at] === ESCAPE >> 8 && frame[at + 1] === (ESCAPE & 0xff);
    const value = isEscape ? frame[at + 2] : undefined;
    if (value !== 1 && value !== 2) bytes.push(frame[at]!);
    else {
      const meant = value === 1 ? MARK : ESCAPE;
      bytes.push(meant >> 8, meant & 0xff);
      at += 2;
    }
  }
  return Buffer.from(bytes);
}

function isRight(frame: Buffer): boolean {
  if (frame.length < HEAD_BYTES + 2) return false;
  const content = frame.subarray(HEAD_BYTES, frame.length - 2);
  return (frame.readUInt16BE(14) & LENGTH) === content.length && frame.readUInt16BE(16) === checksumOf(content);
}

function checksumOf(content: Buffer): number {
  let sum = 0;
  for (const byte of content) sum += byte;
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return ~sum & 0xffff;
}

function decode(sent: Buffer, { acceptsWrongChecksum }: TrackerSession): DecodedFrame {
  const frame = plain(sent);
  if (frame.length < HEAD_BYTES + 2) return { records: [], problem: 'The frame is too short.' };
  if (!isRight(frame) && !acceptsWrongChecksum)
    return { records: [], isDamaged: true, problem: 'The checksum is wrong.' };
  const imei = bcd(frame, 6, 14).slice(0, 15);
  if (!/^\d{15}$/.test(imei)) return { records: [], problem: 'The IMEI is not valid.' };
  const type = frame.readUInt16BE(2);
  const head = { identities: [imei] };
  const content = new Cursor(frame, HEAD_BYTES, frame.length - 2);
  if (type === TYPE.command)
    return { ...head, records: [], commandReply: { text: content.take(content.left).toString('latin1') } };
  const reply = { when: 'afterDurable', bytes: answerTo(frame) } as const;
  if (type !== TYPE.positions)
    return { ...head, records: [], reply, problem: `A message of type ${type} is not supported.` };
  return { ...head, ...recordsIn(content), reply };
}

function recordsIn(content: Cursor): Pick<DecodedFrame, 'records' | 'problem'> {
  const records: TrackerRecord[] = [];
  const lengths = Array.from({ length: content.u8() }, () => content.u16());
  for (const length of lengths) {
    if (length > content.left) return { records, problem: 'The lengths of the records are inconsistent.' };
    const bytes = content.take(length);
    records.push(recordOf(new Cursor(bytes)));
  }
  return { records };
}

const bit = (word: number, number: number) => ((word >>> number) & 1) === 1;

/** Serial 1, time 4, signal 1, battery 2, mask of the following parts 1. */
function recordOf(cursor: Cursor): RecordDraft {
  const draft = newDraft();
  draft.recordId = String(cursor.u8());
  draft.timestamp = cursor.u32() * 1000;
  draft.gsmSignal = cursor.u8();
  const battery = cursor.u16();
  draft.isCharging = bit(battery, 15);
  draft.batteryPct = Math.min(100, battery & 0x7fff);
  const parts = cursor.u8();
  if (bit(parts, 0)) {
    const alarms = cursor.u32();
    if (bit(alarms, 0)) draft.alarms = ['sos'];
    else if (bit(alarms, 1)) draft.alarms = ['tamper'];
    else if (bit(alarms, 15)) draft.alarms = ['fall'];
  }
  if (bit(parts, 1)) readPlace(draft, cursor);
  return draft;
}

function readPlace(draft: RecordDraft, cursor: Cursor): void {
  const parts = cursor.u8();
  if (bit(parts, 0)) {
    draft.sats = cursor.u8();
    put(draft, cursor.f32(), cursor.f32(), true);
  }
  if (bit(parts, 1)) {
    const wifi: WifiReading[] = [];
    for (let count = cursor.u8(); count > 0 && cursor.left >= 7; count--)
      wifi.push({ mac: macAt(cursor.take(6), 0), rssi: cursor.i8() });
    readWifi(draft, wifi);
  }
  if (bit(parts, 2)) {
    const cells: CellReading[] = [];
    for (let count = cursor.u8(); count > 0 && cursor.left >= 13; count--)
      cells.push({ mcc: cursor.u16(), mnc: cursor.u16(), lac: cursor.u32(), cid: cursor.u32(), rssi: cursor.i8() });
    readCells(draft, cells);
  }
  if (bit(parts, 3)) cursor.skip(12 * cursor.u8());
  if (bit(parts, 5)) readMotion(draft, cursor);
  if (bit(parts, 6)) {
    draft.sats = cursor.u8();
    put(draft, doubleOf(cursor), doubleOf(cursor), true);
  }
  if (bit(parts, 7) && cursor.u16() > 0) {
    const isGps = cursor.u8() === 'G'.charCodeAt(0);
    const part = new Cursor(cursor.take(Math.min(cursor.u16(), cursor.left)));
    if (!isGps) return;
    const [lng, lat] = [doubleOf(part), doubleOf(part)];
    put(draft, lng, lat, part.u8() > 0);
    draft.sats = part.u8();
    part.skip(1);
    readMotion(draft, part);
    draft.altitudeM = Math.round(part.f32() * 10) / 10;
  }
}

/** In tenths. */
function readMotion(draft: RecordDraft, cursor: Cursor): void {
  draft.speedKmh = cursor.u16() / 10;
  draft.courseDeg = cursor.u16() / 10;
}

const doubleOf = (cursor: Cursor) => (cursor.left >= 8 ? cursor.take(8).readDoubleBE(0) : Number.NaN);

/** Degrees and minutes, `dddmm.mmmm`. */
function put(draft: RecordDraft, lng: number, lat: number, isVouchedFor: boolean): void {
  if (!Number.isFinite(lat) || !Number.isFinite(lng)) return;
  const degrees = (value: number) => Math.trunc(value / 100) + (value % 100) / 60;
  putAt(draft, degrees(lat), degrees(lng), isVouchedFor);
}

/** The header of the answered message, with one byte that confirms the reception. */
function answerTo(frame: Buffer): Buffer {
  const content = Buffer.from([1]);
  const answer = Buffer.alloc(HEAD_BYTES + 3);
  frame.copy(answer, 0, 0, 14);
  answer.writeUInt16BE(content.length, 14);
  answer.writeUInt16BE(checksumOf(content), 16);
  content.copy(answer, HEAD_BYTES);
  answer.writeUInt16BE(MARK, HEAD_BYTES + 1);
  return answer;
}
