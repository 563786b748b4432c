import { bcd } from '../bytes.ts';
import { Cursor } from '../frame/cursor.ts';
import { newDraft, putAt, type RecordDraft, read, readCells } from '../record/networks.ts';
import type { DecodedFrame } from '../tracker.ts';
import { isNewBinary } from './frame.ts';

/**
 * The binary mode of @Track for vehicles: header 4, type 1, mask 4, length 2, model 1, protocol 2, firmware 2, identity
 * 8, battery 1, voltage 2, motion 1, satellites 1, type-specific bytes, then locations.
 */
const LOCATIONS = new Set(['+RSP', '+BSP']);
const EVENTS = new Set(['+EVT', '+BVT']);
const BUFFERED = new Set(['+BSP', '+BVT']);
const RSP = { byPhone: 3, geofence: 8, compressed: 100 } as const;
/** Bytes of events before their location, by type. */
const EVENT_BYTES: Readonly<Record<number, number>> = {
  6: 2,
  15: 3,
  17: 4,
  21: 5,
  23: 1,
  26: 12,
  31: 2,
  33: 1,
  34: 3,
  35: 1,
  45: 7,
  46: 7,
};
const LOCATION_BYTES = 31;

export function decodeBinary(frame: Buffer): DecodedFrame {
  if (isNewBinary(frame)) return decodeNew(frame);
  const head = frame.toString('latin1', 0, 4);
  const isEvent = EVENTS.has(head);
  if (!isEvent && !LOCATIONS.has(head)) return { records: [], problem: `Binary messages ${head} are not supported.` };
  const type = frame[4] ?? 0;
  const cursor = new Cursor(frame, 16);
  const identities = identitiesOf(cursor.take(8));
  if (identities.length === 0) return { records: [], problem: 'The frame has no device id.' };
  const batteryPct = cursor.u8();
  const voltage = cursor.u16() / 1000;
  if (!isEvent && type === RSP.geofence) cursor.skip(2);
  cursor.skip(1);
  const sats = cursor.u8();
  if (isEvent) cursor.skip(EVENT_BYTES[type] ?? 0);
  else if (type !== RSP.compressed) cursor.skip(1);
  if (!isEvent && type === RSP.byPhone) skipNumber(cursor);
  const isCompressed = !isEvent && type === RSP.compressed;
  const { records, isPlausible } = isCompressed ? compressedIn(cursor) : locationsIn(cursor);
  // Types with an unknown layout yield impossible coordinates.
  if (!isPlausible) return { identities, records, problem: `A message of type ${type} is not supported.` };
  const last = records.at(-1);
  if (last === undefined) return { identities, records, problem: `A message of type ${type} has no location.` };
  last.sats = sats;
  if (batteryPct <= 100) last.batteryPct = batteryPct;
  read(last, 'ext_voltage', voltage);
  if (BUFFERED.has(head)) for (const draft of records) read(draft, 'buffered', true);
  return { identities, records };
}

const PLACE = 0x52;
/** A count, a check byte and the mark at the end. */
const TAIL_BYTES = 4;

/**
 * Header 2, length 2, flags 1 (bit 7: two more bytes follow), IMEI 8, model 2, protocol 2, version 1, a reserved field
 * with its length; then records: length, time 4, count 2, type 1, event 1, and values by number and length.
 */
function decodeNew(frame: Buffer): DecodedFrame {
  const cursor = new Cursor(frame, 4, Math.max(4, frame.length - TAIL_BYTES));
  if (cursor.u8() >= 0x80) cursor.skip(2);
  const imei = bcd(cursor.take(8), 0, 8).slice(1);
  if (!/^\d{15}$/.test(imei)) return { records: [], problem: 'The IMEI is not valid.' };
  cursor.skip(5);
  cursor.skip(cursor.u8());
  const records: RecordDraft[] = [];
  while (cursor.left > 0 && !cursor.isShort) {
    const from = cursor.at;
    const length = lengthIn(cursor);
    const record = new Cursor(cursor.take(length - (cursor.at - from)));
    record.skip(8);
    while (record.left > 0 && !record.isShort) {
      const number = lengthIn(record);
      const value = record.take(lengthIn(record));
      if (number === PLACE && value.length >= 21) records.push(placeIn(new Cursor(value)));
    }
  }
  return {
    identities: [imei],
    records,
    ...(cursor.isShort && { problem: 'The lengths of the records are inconsistent.' }),
  };
}

/** One byte, or two if its highest bit is set. */
function lengthIn(cursor: Cursor): number {
  const first = cursor.u8();
  return first < 0x80 ? first : ((first & 0x7f) << 8) | cursor.u8();
}

/** Flags 1, longitude 4, latitude 4, time 4, tenths of km/h 2, tenths of HDOP 1, course 2, tenths of metres 3, satellites 1. */
function placeIn(cursor: Cursor): RecordDraft {
  const draft = newDraft();
  const isFix = ((cursor.u8() >> 2) & 3) === 2;
  const [lng, lat] = [cursor.i32() / 1e6, cursor.i32() / 1e6];
  draft.timestamp = cursor.u32() * 1000;
  putAt(draft, lat, lng, isFix);
  draft.speedKmh = cursor.u16() / 10;
  draft.hdop = cursor.u8() / 10;
  draft.courseDeg = cursor.u16();
  draft.altitudeM = cursor.u24() / 10;
  draft.sats = cursor.u8();
  return draft;
}

/** Seven bytes of two digits and one of one digit; or a name. */
function identitiesOf(bytes: Buffer): string[] {
  const name = /^[\x20-\x7e]{2,}(?=\0*$)/.exec(bytes.toString('latin1'))?.[0];
  const digits = [...bytes].map((byte, index) => String(byte).padStart(index === 7 ? 1 : 2, '0')).join('');
  const imei = bytes.length === 8 && digits.length === 15 ? [digits] : [];
  return name === undefined ? imei : [...imei, name];
}

/** A phone number ends with a half byte of F. */
function skipNumber(cursor: Cursor): void {
  cursor.skip(1);
  while (cursor.left > 0) {
    const byte = cursor.u8();
    if ((byte & 0x0f) === 0x0f || (byte & 0xf0) === 0xf0) return;
  }
}

interface Locations {
  readonly records: RecordDraft[];
  readonly isPlausible: boolean;
}

function locationsIn(cursor: Cursor): Locations {
  const count = cursor.u8();
  const records: RecordDraft[] = [];
  for (let n = 0; n < count && cursor.left >= LOCATION_BYTES; n++) {
    const draft = locationIn(cursor);
    if (draft === undefined) return { records, isPlausible: false };
    records.push(draft);
  }
  return { records, isPlausible: true };
}

const ABSOLUTE_BYTES = 11;
const RELATIVE_BYTES = 5;

/**
 * A count 2, and for each second an absolute place, a change of the last one, or a byte that says nothing. The first two
 * bits state which, and a bit about the fix follows. Absolute: tenths of km/h in 12 bits, course in 9, longitude 4,
 * latitude 4, and the time 4 at the first one. Change: speed in 7 bits, course in 7, longitude in 12, latitude in 11.
 */
function compressedIn(cursor: Cursor): Locations {
  const count = cursor.u16();
  const records: RecordDraft[] = [];
  let [speed, course, lng, lat] = [0, 0, 0, 0];
  let seconds: number | undefined;
  for (let n = 0; n < count && cursor.left > 0; n++) {
    if (seconds !== undefined) seconds += 1;
    const kind = cursor.bytes[cursor.at]! >> 6;
    if (kind === 1 && cursor.left >= ABSOLUTE_BYTES) {
      const bits = cursor.u24();
      [speed, course] = [(bits >> 9) & 0xfff, bits & 0x1ff];
      [lng, lat] = [cursor.i32(), cursor.i32()];
      seconds ??= cursor.u32();
    } else if (kind === 2 && cursor.left >= RELATIVE_BYTES && seconds !== undefined) {
      const bits = cursor.take(RELATIVE_BYTES).readUIntBE(0, RELATIVE_BYTES);
      [speed, course] = [speed + signedBits(bits, 30, 7), course + signedBits(bits, 23, 7)];
      [lng, lat] = [lng + signedBits(bits, 11, 12), lat + signedBits(bits, 0, 11)];
    } else if (kind === 0 || kind === 3) {
      cursor.skip(1);
      continue;
    } else break;
    if (cursor.isShort) break;
    if (Math.abs(lat) > 90e6 || Math.abs(lng) > 180e6) return { records, isPlausible: false };
    const draft = newDraft();
    draft.timestamp = seconds * 1000;
    draft.speedKmh = speed / 10;
    draft.courseDeg = ((course % 360) + 360) % 360;
    putAt(draft, lat / 1e6, lng / 1e6, true);
    records.push(draft);
  }
  return { records, isPlausible: true };
}

/** @param from counted from the last bit */
function signedBits(value: number, from: number, count: number): number {
  const bits = Math.floor(value / 2 ** from) % 2 ** count;
  return bits < 2 ** (count - 1) ? bits : bits - 2 ** count;
}

/** HDOP 1, tenths of km/h 3, course 2, altitude 2, longitude 4, latitude 4, time 7, cell 8, reserved 1. */
function locationIn(cursor: Cursor): RecordDraft | undefined {
  const draft = newDraft();
  const hdop = cursor.u8();
  draft.hdop = hdop;
  draft.speedKmh = cursor.u24() / 10;
  draft.courseDeg = cursor.u16();
  draft.altitudeM = cursor.i16();
  const [lng, lat] = [cursor.i32() / 1e6, cursor.i32() / 1e6];
  const [year, month, day] = [cursor.u16(), cursor.u8(), cursor.u8()];
  const [hour, minute, second] = [cursor.u8(), cursor.u8(), cursor.u8()];
  const isTime = year >= 2000 && year < 2100 && month >= 1 && month <= 12 && day >= 1 && day <= 31 && hour < 24;
  if (!isTime || draft.courseDeg > 360 || Math.abs(lat) > 90 || Math.abs(lng) > 180) return undefined;
  draft.timestamp = Date.UTC(year, month - 1, day, hour, minute, second);
  putAt(draft, lat, lng, hdop > 0);
  readCells(draft, [{ mcc: cursor.u16(), mnc: cursor.u16(), lac: cursor.u16(), cid: cursor.u16() }]);
  cursor.skip(1);
  return draft;
}
