import { Cursor } from '../frame/cursor.ts';
import type { TrackerReading, TrackerRecord } from '../tracker.ts';
import { statusOf } from './status.ts';

const NUMBER = { odometerKm: 0x8a, fuelTenths: 0x8b } as const;

/** What a vehicle's own network says: a time, then numbers with their values. Four bytes are only a status. */
export function obdRecord(body: Buffer): TrackerRecord | undefined {
  if (body.length < 4) return undefined;
  if (body.length === 4) return statusRecord(body);
  const cursor = new Cursor(body);
  const timestamp = cursor.u32() * 1000;
  const readings: TrackerReading[] = [];
  const unknown: Record<string, string> = {};
  while (cursor.left >= 5) {
    const number = cursor.u8();
    const value = cursor.take(4);
    if (number === NUMBER.odometerKm) readings.push({ type: 'obd_odometer_m', value: value.readUInt32BE(0) * 1000 });
    else if (number === NUMBER.fuelTenths) readings.push({ type: 'fuel_l', value: value.readUInt32BE(0) / 10 });
    else unknown[number.toString(16).padStart(2, '0')] = value.toString('hex');
  }
  if (Object.keys(unknown).length > 0) readings.push({ type: 'io', value: unknown });
  return { timestamp, isValid: false, readings };
}

/** A status without a time. */
export function statusRecord(body: Buffer): TrackerRecord | undefined {
  if (body.length < 2) return undefined;
  const { isFix: _, ...facts } = statusOf(body.readUInt16BE(0));
  return { isValid: false, ...facts };
}
