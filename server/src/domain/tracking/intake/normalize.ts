import { hash } from 'node:crypto';
import { isStorable, isStorableText } from '@trackway/contract/values.ts';
import type { ReportedPoint, ReportedReading } from '../../../reports.ts';

/** From what a device claims to what is kept: bounds, identity, and quarantine of what can't be right. */

const YEAR_2000 = Date.UTC(2000, 0, 1);
const AHEAD_MS = 5 * 60_000;

/** A row for the points table, but for its device. */
export interface NormalPoint {
  readonly timestamp: number;
  readonly locationLat: number | null;
  readonly locationLng: number | null;
  readonly speed: number | null;
  readonly altitude: number | null;
  readonly course: number | null;
  readonly accuracy: number | null;
  readonly locationType: string;
  readonly sats: number | null;
  readonly hdop: number | null;
  readonly batteryPct: number | null;
  readonly batteryVoltage: number | null;
  readonly averageCharge: number | null;
  readonly sendReason: number | null;
  readonly alertType: number | null;
  readonly mode: number | null;
  readonly gsmSignal: number | null;
  readonly address: string | null;
  readonly correlationId: string | null;
  /** The same fix said again has the same; what only belongs to the transport is not in it. */
  readonly hash: string;
}

/** A point as a list, which goes to another thread in a fraction of the time. */
export type PackedPoint = readonly [
  timestamp: NormalPoint['timestamp'],
  locationLat: NormalPoint['locationLat'],
  locationLng: NormalPoint['locationLng'],
  speed: NormalPoint['speed'],
  altitude: NormalPoint['altitude'],
  course: NormalPoint['course'],
  accuracy: NormalPoint['accuracy'],
  locationType: NormalPoint['locationType'],
  sats: NormalPoint['sats'],
  hdop: NormalPoint['hdop'],
  batteryPct: NormalPoint['batteryPct'],
  batteryVoltage: NormalPoint['batteryVoltage'],
  averageCharge: NormalPoint['averageCharge'],
  sendReason: NormalPoint['sendReason'],
  alertType: NormalPoint['alertType'],
  mode: NormalPoint['mode'],
  gsmSignal: NormalPoint['gsmSignal'],
  address: NormalPoint['address'],
  correlationId: NormalPoint['correlationId'],
  hash: NormalPoint['hash'],
];

export const packPoint = (point: NormalPoint): PackedPoint => [
  point.timestamp,
  point.locationLat,
  point.locationLng,
  point.speed,
  point.altitude,
  point.course,
  point.accuracy,
  point.locationType,
  point.sats,
  point.hdop,
  point.batteryPct,
  point.batteryVoltage,
  point.averageCharge,
  point.sendReason,
  point.alertType,
  point.mode,
  point.gsmSignal,
  point.address,
  point.correlationId,
  point.hash,
];

export const unpackPoint = (packed: PackedPoint): NormalPoint => ({
  timestamp: packed[0],
  locationLat: packed[1],
  locationLng: packed[2],
  speed: packed[3],
  altitude: packed[4],
  course: packed[5],
  accuracy: packed[6],
  locationType: packed[7],
  sats: packed[8],
  hdop: packed[9],
  batteryPct: packed[10],
  batteryVoltage: packed[11],
  averageCharge: packed[12],
  sendReason: packed[13],
  alertType: packed[14],
  mode: packed[15],
  gsmSignal: packed[16],
  address: packed[17],
  correlationId: packed[18],
  hash: packed[19],
});

/** Why a report is set aside; it looks at the report alone, never at its neighbours. */
export type Reason =
  | 'no time'
  | 'before the year 2000'
  | 'more than 5 minutes ahead of the server'
  | 'coordinates are missing, not finite or out of range'
  | 'type or value is missing'
  | 'holds what can not be stored';

export function normalizePoint(point: ReportedPoint, now: number): NormalPoint | Reason {
  const wrongTime = timeProblem(point.timestamp, now);
  if (wrongTime) return wrongTime;
  const { location } = point;
  if (location !== undefined && !isPlace(location)) return 'coordinates are missing, not finite or out of range';
  if (!isTextOrUnsaid(point.address) || !isTextOrUnsaid(point.correlationId)) return 'holds what can not be stored';
  const said = {
    timestamp: point.timestamp!,
    locationLat: location?.lat ?? null,
    locationLng: location ? wrapped(location.lng) : null,
    speed: within(point.speedKmh, 0, 100_000),
    altitude: within(point.altitudeM, -20_000, 1e7),
    course: within(point.courseDeg, 0, 360),
    accuracy: within(point.accuracyM, 0, 1e8),
    locationType: location === undefined ? 'invalid' : (point.locationType ?? 'gps'),
    sats: whole(point.sats, 0, 1000),
    hdop: within(point.hdop, 0, 10_000),
    batteryPct: within(point.batteryPct, 0, 255),
    batteryVoltage: within(point.batteryVoltage, -1000, 1000),
    averageCharge: whole(point.averageCharge, 0, 255),
    sendReason: whole(point.sendReason, 0, 255),
    alertType: whole(point.alertType, 0, 255),
    mode: whole(point.mode, 0, 255),
    gsmSignal: within(point.gsmSignal, -1000, 1000),
    address: point.address?.slice(0, 1000) ?? null,
    correlationId: point.correlationId?.slice(0, 200) ?? null,
    hash: '',
  };
  said.hash = identityOfPoint(said);
  return said;
}

const isTextOrUnsaid = (text: string | undefined) => text === undefined || isStorableText(text);

export interface NormalReading {
  readonly timestamp: number;
  readonly type: string;
  readonly value: string;
  readonly rssi: number | null;
  readonly meta: string | null;
  readonly correlationId: string | null;
  readonly sensorDeviceId: string | null;
  readonly hash: string;
}

export function normalizeReading(reading: ReportedReading, now: number): NormalReading | Reason {
  const wrongTime = timeProblem(reading.timestamp, now);
  if (wrongTime) return wrongTime;
  const { type, value, meta, sensorDeviceId, correlationId } = reading;
  if (typeof type !== 'string' || type.trim() === '' || value === undefined || value === null)
    return 'type or value is missing';
  if (![type, value, meta, sensorDeviceId, correlationId].every((part) => part === undefined || isStorable(part))) {
    return 'holds what can not be stored';
  }
  const said = {
    timestamp: reading.timestamp!,
    type: type.slice(0, 100),
    value: JSON.stringify(value),
    sensorDeviceId: sensorDeviceId?.slice(0, 200) ?? null,
  };
  return {
    ...said,
    rssi: within(reading.rssi, -1000, 1000),
    meta: meta ? JSON.stringify(meta) : null,
    correlationId: correlationId?.slice(0, 200) ?? null,
    hash: identityOf(JSON.stringify(said)),
  };
}

/** The same words have the same identity, however often they are said. */
const identityOf = (said: string | Uint8Array) => hash('sha1', said, 'base64url').slice(0, 16);

const LOCATION_TYPES = ['gps', 'wifi', 'gsm', 'invalid'];
/** No value is infinite. */
const UNSAID = Number.NEGATIVE_INFINITY;
const numbers = new Float64Array(17);
const bytes = new Uint8Array(numbers.buffer);

/** From the numbers as they are: writing them out as text would cost three times as much. */
function identityOfPoint(said: Omit<NormalPoint, 'hash'>): string {
  numbers[0] = LOCATION_TYPES.indexOf(said.locationType);
  numbers[1] = said.timestamp;
  numbers[2] = sayable(said.locationLat);
  numbers[3] = sayable(said.locationLng);
  numbers[4] = sayable(said.speed);
  numbers[5] = sayable(said.altitude);
  numbers[6] = sayable(said.course);
  numbers[7] = sayable(said.accuracy);
  numbers[8] = sayable(said.sats);
  numbers[9] = sayable(said.hdop);
  numbers[10] = sayable(said.batteryPct);
  numbers[11] = sayable(said.batteryVoltage);
  numbers[12] = sayable(said.averageCharge);
  numbers[13] = sayable(said.sendReason);
  numbers[14] = sayable(said.alertType);
  numbers[15] = sayable(said.mode);
  numbers[16] = sayable(said.gsmSignal);
  return identityOf(bytes);
}

/** Zero has two signs, which mean the same. */
const sayable = (value: number | null) => (value === null ? UNSAID : value + 0);

function timeProblem(timestamp: number | undefined, now: number): Reason | undefined {
  if (timestamp === undefined || !Number.isFinite(timestamp)) return 'no time';
  if (timestamp < YEAR_2000) return 'before the year 2000';
  return timestamp > now + AHEAD_MS ? 'more than 5 minutes ahead of the server' : undefined;
}

const isPlace = ({ lat, lng }: { lat: number; lng: number }) =>
  typeof lat === 'number' && typeof lng === 'number' && Math.abs(lat) <= 90 && Math.abs(lng) <= 180;

/** The antimeridian has two names; one of them is kept. */
const wrapped = (lng: number) => (lng === -180 ? 180 : lng);

/** A secondary value that can't be right is left out; the fix itself is still worth keeping. */
const within = (value: number | undefined, min: number, max: number) =>
  typeof value === 'number' && value >= min && value <= max ? value : null;
const whole = (value: number | undefined, min: number, max: number) => {
  const kept = within(value, min, max);
  return kept === null ? null : Math.trunc(kept);
};
