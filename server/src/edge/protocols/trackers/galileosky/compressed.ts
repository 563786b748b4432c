import type { Cursor } from '../frame/cursor.ts';
import { fixOf } from '../frame/fix.ts';
import type { TrackerRecord } from '../tracker.ts';
import { factsOf } from './record.ts';
import { valueAt } from './tags.ts';

const DAY_MS = 86_400_000;

/** Reads bits, the highest first. */
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

/** Ten bytes of time, place and alarm; how many tags follow, their numbers, then their values. */
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

/** Only the seconds since the year began are sent: what would be in the future was sent last year. */
function timeInYear(seconds: number, now: number): number {
  const year = new Date(now).getUTCFullYear();
  const inThisYear = Date.UTC(year, 0, 1) + seconds * 1000;
  return inThisYear <= now + DAY_MS ? inThisYear : Date.UTC(year - 1, 0, 1) + seconds * 1000;
}
