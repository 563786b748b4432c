import type { Cursor } from '../frame/cursor.ts';
import { fixOf } from '../frame/cut.ts';
import type { TrackerReading, TrackerRecord } from '../tracker.ts';

/** 2007-01-01, the epoch of these devices, in seconds. */
const EPOCH_S = 1_167_609_600;
const BUTTON_HELD = 222;

/** The records of codec 7 (GH3000, FM1000), whose content is defined by masks. Undefined if their end is invalid. */
export function gh3000Records(cursor: Cursor, isEndTrusted: boolean): TrackerRecord[] | undefined {
  const count = cursor.u8();
  const records: TrackerRecord[] = [];
  while (records.length < count && !cursor.isShort) records.push(recordAt(cursor));
  if (cursor.isShort) return undefined;
  return !isEndTrusted || (cursor.u8() === count && cursor.left === 0 && !cursor.isShort) ? records : undefined;
}

function recordAt(cursor: Cursor): TrackerRecord {
  const timestamp = ((cursor.u32() & 0x3fffffff) + EPOCH_S) * 1000;
  const mask = cursor.u8();
  const readings: TrackerReading[] = [];
  let record: TrackerRecord = { timestamp, isValid: false, ...(mask & 1 ? placeAt(cursor, readings) : {}) };
  for (const [bit, width] of [
    [2, 1],
    [4, 2],
    [8, 4],
  ] as const) {
    if (!(mask & bit)) continue;
    for (let left = cursor.u8(); left > 0 && !cursor.isShort; left -= 1) {
      const id = cursor.u8();
      const value = width === 1 ? cursor.u8() : width === 2 ? cursor.u16() : cursor.u32();
      record = { ...record, ...factOf(id, value, readings) };
    }
  }
  return { ...record, readings };
}

function placeAt(cursor: Cursor, readings: TrackerReading[]): Partial<TrackerRecord> {
  const mask = cursor.u8();
  const lat = mask & 1 ? cursor.f32() : undefined;
  const lng = mask & 1 ? cursor.f32() : undefined;
  const altitude = mask & 2 ? { altitudeM: cursor.u16() } : {};
  const course = mask & 4 ? { courseDeg: (cursor.u8() * 360) / 256 } : {};
  const speed = mask & 8 ? { speedKmh: cursor.u8() } : {};
  const sats = mask & 16 ? cursor.u8() : undefined;
  const cell = mask & 32 ? { lac: cursor.u16(), cid: cursor.u16() } : undefined;
  const signal = mask & 64 ? { gsmSignal: cursor.u8() } : {};
  const operator = mask & 128 ? String(cursor.u32()) : '';
  if (cell && operator.length >= 5)
    readings.push({
      type: 'cell',
      value: { mcc: Number(operator.slice(0, 3)), mnc: Number(operator.slice(3)), ...cell },
    });
  return {
    ...fixOf(lat, lng, sats !== 0),
    ...altitude,
    ...course,
    ...speed,
    ...(sats === undefined ? {} : { sats }),
    ...signal,
  };
}

function factOf(id: number, value: number, readings: TrackerReading[]): Partial<TrackerRecord> {
  if (id === 1) return value <= 100 ? { batteryPct: value } : {};
  if (id === 20) return { hdop: value / 10 };
  if (id === 67) return { batteryVoltage: value / 1000 };
  if (id === BUTTON_HELD) return value === 1 ? { alarms: ['sos'] } : {};
  if (id === 22) readings.push({ type: 'pdop', value: value / 10 });
  else if (id === 240) readings.push({ type: 'moving', value: value === 1 });
  else if (id === 221) readings.push({ type: 'button', value });
  return {};
}
