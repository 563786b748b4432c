import { Cursor } from '../frame/cursor.ts';
import { fixOf } from '../frame/cut.ts';
import type { DecodedFrame, TrackerRecord } from '../tracker.ts';
import { factsOf, recordOf } from './record.ts';
import { recordsIn, valueAt } from './tags.ts';

/** Messages by Iridium are wrapped by its operator: elements of a type, a length, a value, big-endian. */
const ELEMENT = { head: 0x01, payload: 0x02, place: 0x03 } as const;
const HEAD_LENGTH = 0x1c;

/**
 * The length of the header distinguishes such a message from tags, because no tag is 1C. Undefined: too few bytes to
 * decide.
 */
export function isSatellite(bytes: Buffer, at: number): boolean | undefined {
  const [kind, high, low] = bytes.subarray(at + 3, at + 6);
  if (bytes[at] !== 0x01 || (kind ?? ELEMENT.head) !== ELEMENT.head || (high ?? 0) !== 0) return false;
  return low === undefined ? undefined : low === HEAD_LENGTH;
}

export function decodeSatellite(frame: Buffer, now: number): DecodedFrame {
  const elements = new Map<number, Buffer>();
  const cursor = new Cursor(frame, 3);
  while (cursor.left > 0) {
    const kind = cursor.u8();
    const value = cursor.take(cursor.u16());
    if (cursor.isShort) break;
    elements.set(kind, value);
  }
  const head = elements.get(ELEMENT.head);
  const imei = head?.toString('latin1', 4, 19) ?? '';
  if (!head || head.length !== HEAD_LENGTH || !/^\d{15}$/.test(imei))
    return { records: [], problem: 'The header of the message is not valid.' };
  const records = recordsOf(elements, head.readUInt32BE(24) * 1000, now);
  return { identities: [imei], records };
}

/** The records of the device. Without a position, the rough position from the satellites is used. */
function recordsOf(elements: ReadonlyMap<number, Buffer>, sentAt: number, now: number): TrackerRecord[] {
  const payload = elements.get(ELEMENT.payload) ?? Buffer.alloc(0);
  const tagged = recordsIn(new Cursor(payload));
  const plain = tagged.isWhole ? tagged.records.map(recordOf).filter((record) => record !== undefined) : [];
  if (plain.length > 0) return plain;
  const compressed = compressedRecords(new Cursor(payload), now);
  if (compressed.isWhole && compressed.records.length > 0) return compressed.records;
  return [{ timestamp: sentAt, ...roughPlace(elements.get(ELEMENT.place)), locationType: 'gsm' }];
}

/** Flags, degrees and thousandths of a minute for each coordinate, and the radius in kilometres. */
function roughPlace(bytes: Buffer | undefined): Pick<TrackerRecord, 'location' | 'isValid' | 'accuracyM'> {
  if (!bytes || bytes.length < 11) return { isValid: false };
  const lat = bytes[1]! + bytes.readUInt16BE(2) / 60_000;
  const lng = bytes[4]! + bytes.readUInt16BE(5) / 60_000;
  return {
    ...fixOf(bytes[0]! & 2 ? -lat : lat, bytes[0]! & 1 ? -lng : lng, true),
    accuracyM: bytes.readUInt32BE(7) * 1000,
  };
}

const DAY_MS = 86_400_000;

/** Reads bits, most significant first. */
function bitsOf(bytes: Buffer): (count: number) => number {
  let left = BigInt(`0x${bytes.toString('hex') || '0'}`);
  let length = BigInt(bytes.length * 8);
  return (count) => {
    length -= BigInt(count);
    const value = left >> length;
    left -= value << length;
    return Number(value);
  };
}

/** Ten bytes of time, place and alarm; the number of tags, their ids, then their values. */
export function compressedRecords(cursor: Cursor, now: number): { records: TrackerRecord[]; isWhole: boolean } {
  const records: TrackerRecord[] = [];
  while (cursor.left > 0) {
    const bits = bitsOf(cursor.take(10));
    if (cursor.isShort) return { records, isWhole: false };
    const record = minimalRecord(bits, now);
    const numbers = [...cursor.take(cursor.u8())];
    const tags = new Map<number, Buffer>();
    for (const tag of numbers) {
      const value = valueAt(cursor, tag);
      if (value === undefined) return { records: [...records, record], isWhole: false };
      tags.set(tag, value);
    }
    if (cursor.isShort) return { records: [...records, record], isWhole: false };
    records.push({ ...record, ...factsOf(tags) });
  }
  return { records, isWhole: true };
}

function minimalRecord(bits: (count: number) => number, now: number): TrackerRecord {
  bits(1);
  const timestamp = timeInYear(bits(25), now);
  const isValid = bits(1) === 0;
  const lng = (360 * bits(22)) / 2 ** 22 - 180;
  const lat = (180 * bits(21)) / 2 ** 21 - 90;
  const isAlarm = bits(1) === 1;
  return { timestamp, ...fixOf(lat, lng, isValid), ...(isAlarm ? { alarms: ['general' as const] } : {}) };
}

/** Devices send only the seconds since the start of the year: a time in the future belongs to last year. */
function timeInYear(seconds: number, now: number): number {
  const year = new Date(now).getUTCFullYear();
  const inThisYear = Date.UTC(year, 0, 1) + seconds * 1000;
  return inThisYear <= now + DAY_MS ? inThisYear : Date.UTC(year - 1, 0, 1) + seconds * 1000;
}
