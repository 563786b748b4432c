import type { AlarmWord } from '../alarm-words.ts';
import { type Cursor, isPrintable } from '../frame/cursor.ts';
import { fixOf } from '../frame/cut.ts';
import type { TrackerReading, TrackerRecord } from '../tracker.ts';

const NO_FIX = -0x80000000;

interface Part {
  readonly record: TrackerRecord;
  readonly eventId: number;
  readonly values: Map<number, Buffer>;
  /** Part number of an extended record; 0 is the first. */
  readonly number: number;
}

/** The records of a packet. If they do not fit, there are fewer than announced, and `isWhole` is false. */
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

/** Fault codes, each with the time and place of its reading. */
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

/** The values of a record by their ids, as raw bytes. */
type RuptelaValues = ReadonlyMap<number, Buffer>;

const unsignedOf = (bytes: Buffer) =>
  bytes.length <= 4 ? bytes.readUIntBE(0, bytes.length) : Number(bytes.readBigUInt64BE(0));
const signedOf = (bytes: Buffer) =>
  bytes.length <= 4 ? bytes.readIntBE(0, bytes.length) : Number(bytes.readBigInt64BE(0));

type Read = (bytes: Buffer) => unknown;
const flag: Read = (bytes) => unsignedOf(bytes) > 0;
const times =
  (factor: number): Read =>
  (bytes) =>
    Math.round(unsignedOf(bytes) * factor * 1000) / 1000;
const over =
  (divisor: number): Read =>
  (bytes) =>
    unsignedOf(bytes) / divisor;
const tenths: Read = (bytes) => signedOf(bytes) / 10;
const identifier: Read = (bytes) =>
  bytes.every((byte) => byte === 0) ? undefined : bytes.toString('hex').toUpperCase();

const READINGS: ReadonlyMap<number, readonly [type: string, read: Read]> = new Map<number, readonly [string, Read]>([
  [2, ['din1', flag]],
  [3, ['din2', flag]],
  [4, ['din3', flag]],
  [5, ['din4', flag]],
  [13, ['moving', flag]],
  [173, ['moving', flag]],
  [251, ['ignition', flag]],
  [409, ['ignition', flag]],
  [20, ['ain3', over(1000)]],
  [21, ['ain4', over(1000)]],
  [22, ['ain1', over(1000)]],
  [23, ['ain2', over(1000)]],
  [29, ['ext_voltage', over(1000)]],
  [32, ['device_temp', signedOf]],
  [34, ['driver_id', identifier]],
  [65, ['odometer_m', over(1)]],
  [163, ['odometer_m', times(5)]],
  [164, ['trip_m', times(5)]],
  [78, ['temp', tenths]],
  [79, ['temp2', tenths]],
  [80, ['temp3', tenths]],
  [74, ['temp4', tenths]],
  [94, ['rpm', times(0.25)]],
  [166, ['rpm', times(0.125)]],
  [197, ['rpm', times(0.125)]],
  [95, ['obd_speed', over(1)]],
  [165, ['obd_speed', over(256)]],
  [98, ['fuel_pct', times(100 / 255)]],
  [207, ['fuel_pct', times(0.4)]],
  [208, ['fuel_used_l', times(0.5)]],
  [150, ['operator', (bytes) => String(unsignedOf(bytes))]],
  [645, ['obd_odometer_m', times(1000)]],
]);

/** Values of the vehicle bus that mean "not available". */
const isAbsent = (id: number, bytes: Buffer) =>
  [94, 95, 98, 163, 164, 165, 166, 197, 207, 208].includes(id) && bytes.every((byte) => byte === 0xff);

/** Values that are alarms. */
const ALARMS: ReadonlyMap<number, readonly [alarm: AlarmWord, isOn: (value: number) => boolean]> = new Map<
  number,
  readonly [AlarmWord, (value: number) => boolean]
>([
  [88, ['jamming', (value) => value > 0]],
  [134, ['harshBraking', (value) => value > 0]],
  [136, ['harshAcceleration', (value) => value > 0]],
  [410, ['tow', (value) => value > 0]],
  [411, ['crash', (value) => value > 0]],
  [415, ['antennaCut', (value) => value === 0]],
  [758, ['tamper', (value) => value === 1]],
]);

/** Sixteen characters of a driver card, in two values. */
const DRIVER_CARDS = [
  [126, 127],
  [155, 156],
] as const;

type RuptelaStatus = Pick<
  TrackerRecord,
  'readings' | 'alarms' | 'standingAlarms' | 'batteryVoltage' | 'gsmSignal' | 'isCharging'
>;

/** In the record that it caused, an alarm is an event; in others it is a state. */
function statusOf(values: RuptelaValues, eventId: number): RuptelaStatus {
  const readings: TrackerReading[] = [];
  const unknown: Record<string, number | string> = {};
  const alarms: AlarmWord[] = [];
  const standingAlarms: AlarmWord[] = [];
  const taken = new Set<number>([27, 30, 170]);
  for (const [first, second] of DRIVER_CARDS) {
    const [start, end] = [values.get(first), values.get(second)];
    if (start?.length !== 8 || end?.length !== 8) continue;
    taken.add(first).add(second);
    const card = Buffer.concat([start, end]).toString('latin1').replaceAll('\0', '').trim();
    if (card !== '' && isPrintable(Buffer.from(card, 'latin1'))) readings.push({ type: 'driver_id', value: card });
  }
  for (const [id, bytes] of values) {
    const alarm = ALARMS.get(id);
    const reading = READINGS.get(id);
    if (alarm) {
      const [word, isOn] = alarm;
      if (isOn(unsignedOf(bytes))) (id === eventId ? alarms : standingAlarms).push(word);
    } else if (reading) {
      const [type, read] = reading;
      const value = isAbsent(id, bytes) ? undefined : read(bytes);
      if (value !== undefined) readings.push({ type, value });
    } else if (!taken.has(id)) unknown[id] = bytes.length <= 4 ? unsignedOf(bytes) : bytes.toString('hex');
  }
  if (Object.keys(unknown).length > 0) readings.push({ type: 'io', value: unknown });
  const [signal, battery, charging] = [values.get(27), values.get(30), values.get(170)];
  return {
    readings,
    ...(alarms.length > 0 ? { alarms } : {}),
    ...([...values.keys()].some((id) => ALARMS.has(id)) ? { standingAlarms } : {}),
    ...(signal ? { gsmSignal: unsignedOf(signal) } : {}),
    ...(battery ? { batteryVoltage: unsignedOf(battery) / 1000 } : {}),
    ...(charging ? { isCharging: unsignedOf(charging) > 0 } : {}),
  };
}
