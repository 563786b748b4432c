import type { Cursor } from '../frame/cursor.ts';
import { fixOf } from '../frame/fix.ts';
import type { TrackerRecord } from '../tracker.ts';
import { statusOf } from './io.ts';

const NO_FIX = -0x80000000;

interface Part {
  readonly record: TrackerRecord;
  readonly eventId: number;
  readonly values: Map<number, Buffer>;
  /** Of an extended record: which part of it this is; 0 is the first. */
  readonly number: number;
}

/** The records of a packet; fewer than it announces if they do not fit, then `isWhole` is false. */
export function ruptelaRecords(cursor: Cursor, isExtended: boolean): { records: TrackerRecord[]; isWhole: boolean } {
  cursor.u8();
  const count = cursor.u8();
  const parts: Part[] = [];
  for (let left = count; left > 0; left -= 1) {
    const part = partAt(cursor, isExtended);
    if (cursor.isShort) break;
    const before = parts.at(-1);
    const continues = part.number > 0 && before && before.record.timestamp === part.record.timestamp;
    if (continues) for (const [id, bytes] of part.values) before.values.set(id, bytes);
    else parts.push(part);
  }
  const records = parts.map(({ record, eventId, values }) => ({ ...record, ...statusWith(values, eventId) }));
  return { records, isWhole: !cursor.isShort };
}

function statusWith(values: ReadonlyMap<number, Buffer>, eventId: number): Partial<TrackerRecord> {
  const status = statusOf(values, eventId);
  return { ...status, readings: [...(status.readings ?? []), { type: 'event_code', value: eventId }] };
}

function partAt(cursor: Cursor, isExtended: boolean): Part {
  const id = () => (isExtended ? cursor.u16() : cursor.u8());
  const timestamp = cursor.u32() * 1000;
  const fraction = cursor.u8();
  const extension = isExtended ? cursor.u8() : 0;
  cursor.u8();
  const lng = cursor.i32();
  const lat = cursor.i32();
  const altitude = cursor.i16();
  const course = cursor.u16();
  const sats = cursor.u8();
  const speed = cursor.u16();
  const hdop = cursor.u8();
  const eventId = id();
  const values = new Map<number, Buffer>();
  for (const width of [1, 2, 4, 8])
    for (let left = cursor.u8(); left > 0 && !cursor.isShort; left -= 1) values.set(id(), cursor.take(width));
  const hasFix = lng !== NO_FIX && lat !== NO_FIX;
  return {
    eventId,
    values,
    number: (extension & 0x0f) <= extension >> 4 ? extension & 0x0f : 0,
    record: {
      timestamp,
      ...(hasFix ? fixOf(lat / 1e7, lng / 1e7, true) : { isValid: false }),
      ...(hasFix ? { altitudeM: altitude / 10, courseDeg: course / 100, sats, speedKmh: speed, hdop: hdop / 10 } : {}),
      recordId: `${eventId}.${fraction}`,
    },
  };
}

/** Fault codes: each with the time and place at which it was read. */
export function faultRecords(cursor: Cursor): { records: TrackerRecord[]; isWhole: boolean } {
  const records: TrackerRecord[] = [];
  for (let left = cursor.u8(); left > 0; left -= 1) {
    cursor.u8();
    const timestamp = cursor.u32() * 1000;
    const lng = cursor.i32();
    const lat = cursor.i32();
    cursor.u8();
    const code = cursor.take(5).toString('latin1');
    if (cursor.isShort) break;
    const hasFix = lng !== NO_FIX && lat !== NO_FIX;
    records.push({
      timestamp,
      ...(hasFix ? fixOf(lat / 1e7, lng / 1e7, true) : { isValid: false }),
      readings: [{ type: 'dtc', value: code }],
      recordId: code,
    });
  }
  return { records, isWhole: !cursor.isShort };
}
