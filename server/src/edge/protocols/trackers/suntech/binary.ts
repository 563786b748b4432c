import { Cursor } from '../frame/cursor.ts';
import { fixOf } from '../frame/cut.ts';
import type { TrackerReading, TrackerRecord } from '../tracker.ts';
import { ALERTS, DRIVER_ALERT } from './alerts.ts';
import { inputReadings, outputReadings } from './fields.ts';

export interface BinaryReport {
  readonly id: string;
  readonly record?: TrackerRecord;
}

export const ZIP = { head: 0x02, end: 0x03, location: 0x10 } as const;
const ALERT = 0x82;

/** yy mm dd hh mm ss, each a byte. */
const timeAt = (cursor: Cursor) =>
  Date.UTC(2000 + cursor.u8(), cursor.u8() - 1, cursor.u8(), cursor.u8(), cursor.u8(), cursor.u8());

/** The integer part in binary, then decimal digits of the fraction. */
const fixedAt = (whole: number, cursor: Cursor, digits: number) =>
  whole + Number(cursor.take(digits / 2).toString('hex')) / 10 ** digits;

/** The short form of ST300 and the like. */
export function zipReport(frame: Buffer): BinaryReport | undefined {
  const cursor = new Cursor(frame, 3);
  const type = cursor.u8();
  const id = cursor.take(5).toString('hex').slice(0, 9);
  if (!/^\d{9}$/.test(id)) return undefined;
  if (type !== ZIP.location) return { id };
  cursor.skip(3);
  const timestamp = timeAt(cursor);
  cursor.skip(3);
  const lat = fixedAt(cursor.u8(), cursor, 6);
  const lng = fixedAt(cursor.u8(), cursor, 6);
  const speedKmh = fixedAt(cursor.u16(), cursor, 2);
  const courseDeg = fixedAt(cursor.u16(), cursor, 2);
  const flags = cursor.u8();
  const odometer = cursor.u32();
  const power = fixedAt(cursor.u8(), cursor, 2);
  const ports = cursor.u8();
  const event = cursor.u8();
  const isRead = ![timestamp, lat, lng, speedKmh, courseDeg, power].some(Number.isNaN) && !cursor.isShort;
  if (!isRead) return { id };
  return {
    id,
    record: {
      timestamp,
      ...fixOf(flags & 0x40 ? -lat : lat, flags & 0x20 ? -lng : lng, (flags & 0x80) !== 0),
      speedKmh,
      courseDeg,
      readings: [
        { type: 'odometer_m', value: odometer },
        { type: 'ext_voltage', value: power },
        ...inputReadings(ports),
        ...outputReadings(ports >> 4),
        { type: 'event_code', value: event },
      ],
      recordId: `zip.${event}`,
    },
  };
}

/** A number whose top bit is its sign. */
function signMagnitude(value: number): number {
  return value >= 0x80000000 ? -(value - 0x80000000) : value;
}

/** ST4000 and later: 81 a status, 82 an alert, with the fields of the mask. */
export function universalBinary(frame: Buffer): BinaryReport | undefined {
  const cursor = new Cursor(frame, 3);
  const id = cursor.take(5).toString('hex');
  if (!/^\d{10}$/.test(id)) return undefined;
  const mask = cursor.u24();
  const has = (bit: number) => (mask & (1 << bit)) !== 0;
  const when = (bit: number, read: () => number) => (has(bit) ? read() : undefined);
  when(1, () => cursor.u8());
  const firmware = has(2) ? [cursor.u8(), cursor.u8(), cursor.u8()].join('.') : undefined;
  const live = when(3, () => cursor.u8());
  const timestamp = has(4) && has(5) ? timeAt(cursor) : undefined;
  const cid = when(6, () => cursor.u32());
  const mcc = when(7, () => cursor.u16());
  const mnc = when(8, () => cursor.u16());
  const lac = when(9, () => cursor.u16());
  const rssi = when(10, () => cursor.u8());
  const lat = when(11, () => signMagnitude(cursor.u32()) / 1e6);
  const lng = when(12, () => signMagnitude(cursor.u32()) / 1e6);
  const speed = when(13, () => cursor.u16() / 100);
  const course = when(14, () => cursor.u16() / 100);
  const sats = when(15, () => cursor.u8());
  const fix = when(16, () => cursor.u8());
  const inputs = when(17, () => cursor.u8());
  const outputs = when(18, () => cursor.u8());
  const mode = when(19, () => cursor.u8());
  if (cursor.isShort) return { id };
  when(20, () => cursor.u16());
  const isAlert = frame[0] === ALERT && mode !== undefined;
  const driver = has(21) && isAlert && mode === DRIVER_ALERT ? cursor.take(8).toString('hex').toUpperCase() : undefined;
  const alarm = isAlert ? ALERTS.get(mode) : undefined;
  const readings: TrackerReading[] = [
    ...(firmware ? [{ type: 'firmware', value: firmware }] : []),
    ...(live === undefined ? [] : [{ type: 'buffered', value: live === 0 }]),
    ...(cid && mcc ? [{ type: 'cell', value: { mcc, mnc, lac, cid } }] : []),
    ...inputReadings(inputs),
    ...outputReadings(outputs),
    ...(isAlert ? [{ type: 'event_code', value: mode }] : []),
    ...(driver && !/^0+$/.test(driver) ? [{ type: 'driver_id', value: driver }] : []),
  ];
  return {
    id,
    record: {
      ...(timestamp === undefined ? {} : { timestamp }),
      ...fixOf(lat, lng, fix === undefined || fix > 0),
      ...(speed === undefined ? {} : { speedKmh: speed }),
      ...(course === undefined ? {} : { courseDeg: course }),
      ...(sats === undefined ? {} : { sats }),
      ...(rssi === undefined ? {} : { gsmSignal: rssi }),
      ...(alarm ? { alarms: [alarm] } : {}),
      readings,
      recordId: `${frame[0]}.${mode ?? ''}`,
    },
  };
}
