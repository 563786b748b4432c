import { addressOf } from '../../advertisements/advertisement.ts';
import { Cursor, textOrHex } from '../frame/cursor.ts';
import { fixOf } from '../frame/cut.ts';
import type { BeaconReading, TrackerReading, TrackerRecord } from '../tracker.ts';
import { alarmOf, type EelinkPackage, statusOf, TYPE } from './package.ts';

const DEGREE = 1_800_000;
const HAS = { gps: 0x01, cells: [0x02, 0x04, 0x08], accessPoints: [0x10, 0x20, 0x40], lte: 0x80 } as const;

/** Types 02, 04, 05 and 06 of old firmware; undefined if the body is too short. */
export function oldRecord({ type, serial, body }: EelinkPackage): TrackerRecord | undefined {
  const cursor = new Cursor(body);
  const timestamp = cursor.u32() * 1000;
  const lat = cursor.i32() / DEGREE;
  const lng = cursor.i32() / DEGREE;
  const speedKmh = cursor.u8();
  const courseDeg = cursor.u16();
  const cell = { mcc: cursor.u16(), mnc: cursor.u16(), lac: cursor.u16(), cid: cursor.u24() };
  const isValid = (cursor.u8() & 1) !== 0;
  if (cursor.isShort) return undefined;
  const tail = oldTail(type, cursor);
  return {
    timestamp,
    ...fixOf(lat, lng, isValid),
    speedKmh,
    courseDeg,
    ...tail,
    readings: [...cellReading(cell), ...(tail.readings ?? [])],
    recordId: `${type}.${serial}`,
  };
}

function oldTail(type: number, cursor: Cursor): Partial<TrackerRecord> {
  if (type === TYPE.oldAlarm) return cursor.left > 0 ? { alarms: [alarmOf(cursor.u8())] } : {};
  if (type === TYPE.oldMessage) return { readings: [{ type: 'text', value: textOrHex(cursor.take(cursor.left)) }] };
  if (type === TYPE.oldState) {
    const event = cursor.u8();
    if (event >= 1 && event <= 3) cursor.skip(4);
    const facts = cursor.left >= 2 ? factsOf(cursor.u16()) : { readings: [] };
    return { ...facts, readings: [...facts.readings, { type: 'event_code', value: event }] };
  }
  const facts = cursor.left >= 2 ? factsOf(cursor.u16()) : { readings: [] };
  if (cursor.left < 8) return facts;
  const batteryVoltage = cursor.u16() / 1000;
  const gsmSignal = cursor.u16();
  return { ...facts, batteryVoltage, gsmSignal, readings: [...facts.readings, ...analogAt(cursor)] };
}

function factsOf(bits: number): { readings: readonly TrackerReading[]; isCharging?: boolean } {
  const { isFix: _, ...facts } = statusOf(bits);
  return facts;
}

const analogAt = (cursor: Cursor): TrackerReading[] => [
  { type: 'ain1', value: cursor.u16() / 1000 },
  { type: 'ain2', value: cursor.u16() / 1000 },
];

interface Cell {
  readonly mcc: number;
  readonly mnc: number;
  readonly lac: number;
  readonly cid: number;
}

const cellReading = (cell: Cell): TrackerReading[] =>
  cell.mcc > 0 && cell.cid > 0 ? [{ type: 'cell', value: cell }] : [];

/** Types 12 to 19; undefined if the body is too short. */
export function newRecord({ type, serial, body }: EelinkPackage): TrackerRecord | undefined {
  const cursor = new Cursor(body);
  const timestamp = cursor.u32() * 1000;
  const mask = cursor.u8();
  const hasGps = (mask & HAS.gps) !== 0;
  const gps = hasGps ? gpsAt(cursor) : undefined;
  const networks = networksAt(cursor, mask);
  const alarm = type === TYPE.warning ? alarmOf(cursor.u8()) : undefined;
  const event = type === TYPE.report ? cursor.u8() : undefined;
  const hasStatus = type === TYPE.normal || type === TYPE.warning || type === TYPE.report;
  const status = hasStatus ? statusOf(cursor.u16()) : undefined;
  if (cursor.isShort) return undefined;
  const tail = type === TYPE.normal ? normalTail(cursor) : { readings: textAt(type, cursor) };
  const { lat, lng, ...motion } = gps ?? { lat: undefined, lng: undefined };
  return {
    timestamp,
    ...fixOf(lat, lng, status?.isFix ?? (gps?.sats ?? 0) > 0),
    ...motion,
    ...(status?.isCharging === undefined ? {} : { isCharging: status.isCharging }),
    ...tail,
    ...(alarm ? { alarms: [alarm] } : {}),
    readings: [
      ...networks,
      ...(status?.readings ?? []),
      ...(event === undefined ? [] : [{ type: 'event_code', value: event }]),
      ...(tail.readings ?? []),
    ],
    recordId: `${type}.${serial}`,
  };
}

const gpsAt = (cursor: Cursor) => ({
  lat: cursor.i32() / DEGREE,
  lng: cursor.i32() / DEGREE,
  altitudeM: cursor.i16(),
  speedKmh: cursor.u16(),
  courseDeg: cursor.u16(),
  sats: cursor.u8(),
});

function networksAt(cursor: Cursor, mask: number): TrackerReading[] {
  const cells: (Cell & { rxlev: number })[] = [];
  let network = { mcc: 0, mnc: 0 };
  for (const [index, bit] of HAS.cells.entries()) {
    if (!(mask & bit)) continue;
    // The second and third cells belong to the same network.
    if (index === 0) network = { mcc: cursor.u16(), mnc: cursor.u16() };
    cells.push({ ...network, lac: cursor.u16(), cid: cursor.u32(), rxlev: cursor.u8() });
  }
  const accessPoints: { mac: string; rssi: number }[] = [];
  for (const bit of HAS.accessPoints)
    if (mask & bit) accessPoints.push({ mac: addressOf(cursor.take(6)), rssi: cursor.i8() });
  if (mask & HAS.lte) cells.push(...lteAt(cursor));
  const real = cells.filter(({ cid }) => cid > 0);
  const [own] = real;
  return [
    ...(own ? cellReading({ mcc: own.mcc, mnc: own.mnc, lac: own.lac, cid: own.cid }) : []),
    ...(real.length > 1 ? [{ type: 'cells', value: real }] : []),
    ...(accessPoints.length > 0 ? [{ type: 'wifi', value: accessPoints }] : []),
  ];
}

/** The serving cell, then measurements of it and its neighbours. */
function lteAt(cursor: Cursor): (Cell & { rxlev: number })[] {
  cursor.u8();
  const count = cursor.u8();
  if (count === 0) return [];
  const network = { mcc: cursor.u16(), mnc: cursor.u16() };
  const lac = cursor.u16();
  const tac = cursor.u16();
  const cid = cursor.u32();
  cursor.u16();
  let rxlev = 0;
  for (let index = 0; index < count && !cursor.isShort; index += 1) {
    cursor.skip(4);
    const level = cursor.u8();
    if (index === 0) rxlev = level;
  }
  return [{ ...network, lac: lac === 0xffff || lac === 0 ? tac : lac, cid, rxlev }];
}

function textAt(type: number, cursor: Cursor): TrackerReading[] {
  const remaining = cursor.take(cursor.left);
  return type === TYPE.message && remaining.length > 0 ? [{ type: 'text', value: textOrHex(remaining) }] : [];
}

/** Optional parts at the end: each firmware version made the package longer. */
function normalTail(cursor: Cursor): Partial<TrackerRecord> & { readings: TrackerReading[] } {
  const readings: TrackerReading[] = [];
  const battery = cursor.left >= 2 ? { batteryVoltage: cursor.u16() / 1000 } : {};
  if (cursor.left >= 4) readings.push(...analogAt(cursor));
  if (cursor.left >= 4) readings.push({ type: 'odometer_m', value: cursor.u32() });
  // How often the radio and the receiver were on.
  if (cursor.left >= 4) cursor.skip(4);
  if (cursor.left >= 4) {
    readings.push({ type: 'steps', value: cursor.u16() });
    cursor.skip(2);
  }
  if (cursor.left >= 12) readings.push(...climateAt(cursor));
  if (cursor.left >= 2) readings.push(...secondTemperatureAt(cursor));
  const tagReadings = cursor.left >= 2 ? tagsAt(cursor) : [];
  return { ...battery, readings, ...(tagReadings.length > 0 ? { tagReadings } : {}) };
}

/** All zero if the sensors are missing. */
function climateAt(cursor: Cursor): TrackerReading[] {
  const bytes = cursor.take(12);
  if (bytes.every((byte) => byte === 0)) return [];
  const light = bytes.readUInt32BE(4) / 256;
  const co2 = bytes.readUInt32BE(8);
  return [
    { type: 'temp', value: bytes.readInt16BE(0) / 256 },
    { type: 'humidity', value: bytes.readUInt16BE(2) / 10 },
    ...(light > 0 ? [{ type: 'light', value: light }] : []),
    ...(co2 > 0 ? [{ type: 'co2', value: co2 }] : []),
  ];
}

const secondTemperatureAt = (cursor: Cursor): TrackerReading[] => {
  const raw = cursor.i16();
  return raw === 0 ? [] : [{ type: 'temp2', value: raw / 16 }];
};

/** Count, list type; for each: address, signal, model, version, battery, temperature, data. */
function tagsAt(cursor: Cursor): BeaconReading[] {
  const tagReadings: BeaconReading[] = [];
  const count = cursor.u8();
  cursor.u8();
  for (let index = 0; index < count; index += 1) {
    const sensorDeviceId = addressOf(cursor.take(6));
    const rssi = cursor.i8();
    cursor.u8();
    const model = cursor.u8();
    const version = cursor.u8();
    const battery = cursor.u16();
    const temperature = cursor.i16();
    const data = cursor.u16();
    if (cursor.isShort) break;
    const said = { sensorDeviceId, rssi, meta: { model, version, data } };
    tagReadings.push({ type: 'battery_mv', value: battery, ...said });
    // A tag without sensors sends zeros.
    if (temperature !== 0 || data !== 0) tagReadings.push({ type: 'temp', value: temperature / 256, ...said });
  }
  return tagReadings;
}
