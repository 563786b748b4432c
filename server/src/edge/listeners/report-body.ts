import { didYouMean } from '@trackway/contract/nearest.ts';
import { point } from '@trackway/contract/resources/point.ts';
import { isStorableText, parseTime } from '@trackway/contract/values.ts';
import type { Confirmation } from '../../calls.ts';
import { badRequest, Refusal } from '../../platform/errors.ts';
import type { Report, ReportedMessage, ReportedPoint, ReportedReading } from '../../reports.ts';
import { rtkOf } from './commands.ts';

/** Parses the body of `POST /ingest/reports`: our own protocol, with the field names of the API. */

type Json = Record<string, unknown>;

export function reportOf(body: unknown, now: number, maxItems: number): { report: Report; confirmation: Confirmation } {
  if (!isObject(body)) throw badRequest('The body must be a JSON object');
  const isOnePoint = body.points === undefined && placeIn(body) !== undefined;
  if (!isOnePoint) requireKnown(body);
  const points = isOnePoint ? [body] : listOf(body, 'points');
  const readings = listOf(body, 'readings');
  const gatewayReadings = listOf(body, 'gatewayReadings');
  const messages = listOf(body, 'messages');
  const count = points.length + readings.length + gatewayReadings.length + messages.length;
  if (count > maxItems)
    throw new Refusal(413, `A report may have at most ${maxItems} items: send the rest in another report`, {
      name: 'PayloadTooLargeError',
    });
  return {
    report: {
      points: points.map((item) => pointOf(item, now)),
      readings: readings.length === 0 ? NONE : readings.map((item) => readingOf(item, now)),
      gatewayReadings: gatewayReadings.length === 0 ? NONE : gatewayReadings.map((item) => readingOf(item, now)),
      messages: messages.length === 0 ? NONE : messages.map(messageOf),
      ...(typeof body.id === 'string' || typeof body.id === 'number' ? { id: String(body.id) } : {}),
      ...(isObject(body.rtk) && { rtk: rtkOf(body.rtk) }),
      asSent: () => JSON.stringify(body),
    },
    confirmation: confirmationOf(body),
  };
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const NONE: readonly never[] = [];

const KEYS = ['points', 'readings', 'gatewayReadings', 'messages', 'id', 'rtk', 'taken', 'currentFW'];

/** An empty report is valid: the device requests its waiting messages. */
function requireKnown(body: Json): void {
  const sent = Object.keys(body);
  if (sent.length === 0 || sent.some((key) => KEYS.includes(key))) return;
  const first = sent[0]!.slice(0, 60);
  throw badRequest(`The report has none of ${KEYS.join(', ')}.${didYouMean(first, KEYS)}`);
}

function listOf(body: Json, name: string): readonly unknown[] {
  const list = body[name];
  if (list === undefined || list === null) return NONE;
  if (!Array.isArray(list)) throw badRequest(`${name} must be a list`);
  return list;
}

/** A missing time means now. An unreadable time becomes NaN, so that the item is quarantined. */
const timeOf = (value: unknown, now: number) => (isAbsent(value) ? now : (parseTime(value) ?? Number.NaN));

const isAbsent = (value: unknown) => value === undefined || value === null;

const numberOf = (value: unknown) => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
};
const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);
/** Text that some devices send as a number. */
const wordOf = (value: unknown) => (typeof value === 'number' ? String(value) : textOf(value));
const LOCATION_TYPES = ['gps', 'wifi', 'gsm', 'invalid', 'gateway'] as const;

const NOWHERE = { lat: Number.NaN, lng: Number.NaN };

/**
 * Devices also send the coordinates on the level of the other values, and with other names. A missing one becomes NaN.
 */
function placeIn(from: Json): ReportedPoint['location'] {
  const { location } = from;
  if (!isAbsent(location)) return isObject(location) ? (coordinatesIn(location) ?? NOWHERE) : NOWHERE;
  return coordinatesIn(from);
}

function coordinatesIn(from: Json): ReportedPoint['location'] {
  const lat = from.lat ?? from.latitude;
  const lng = from.lng ?? from.lon ?? from.longitude;
  if (isAbsent(lat) && isAbsent(lng)) return undefined;
  return { lat: numberOf(lat) ?? Number.NaN, lng: numberOf(lng) ?? Number.NaN };
}

/** Whether an item has no known names except its time, so that it may contain a mistyped place. */
function hasOnlyUnknown(item: Json): boolean {
  const keys = Object.keys(item).filter((key) => key !== 'timestamp');
  return keys.length > 0 && !keys.some((key) => Object.hasOwn(point.fields, key));
}

function pointOf(item: unknown, now: number): ReportedPoint {
  const sent = isObject(item) ? item : {};
  return {
    // An item that is not an object has no readable time.
    timestamp: isObject(item) ? timeOf(sent.timestamp, now) : Number.NaN,
    isTimeAssumed: isAbsent(sent.timestamp),
    location: placeIn(sent) ?? (hasOnlyUnknown(sent) ? NOWHERE : undefined),
    speedKmh: numberOf(sent.speed),
    altitudeM: numberOf(sent.altitude),
    courseDeg: numberOf(sent.course),
    accuracyM: numberOf(sent.accuracy),
    locationType: LOCATION_TYPES.find((type) => type === sent.locationType),
    sats: numberOf(sent.sats),
    hdop: numberOf(sent.hdop),
    batteryPct: numberOf(sent.batteryPct),
    batteryVoltage: numberOf(sent.batteryVoltage),
    averageCharge: numberOf(sent.averageCharge),
    sendReason: numberOf(sent.sendReason),
    alertType: numberOf(sent.alertType),
    mode: numberOf(sent.mode),
    gsmSignal: numberOf(sent.gsmSignal),
    address: textOf(sent.address),
    correlationId: textOf(sent.correlationId),
    stringValue: wordOf(sent.stringValue),
    currentUsedUah: numberOf(sent.currentUsed),
    numValue: wordOf(sent.num_value),
  };
}

function readingOf(item: unknown, now: number): ReportedReading {
  const reading = isObject(item) ? item : {};
  return {
    timestamp: isObject(item) ? timeOf(reading.timestamp, now) : Number.NaN,
    isTimeAssumed: isAbsent(reading.timestamp),
    type: textOf(reading.type) ?? '',
    value: reading.value,
    rssi: numberOf(reading.rssi),
    meta: isObject(reading.meta) ? reading.meta : undefined,
    correlationId: textOf(reading.correlationId),
    sensorDeviceId: textOf(reading.sensorDeviceId),
  };
}

function messageOf(item: unknown): ReportedMessage {
  const message = isObject(item) ? item : {};
  const storable = (value: unknown) => (typeof value === 'string' && isStorableText(value) ? value : undefined);
  return {
    message: storable(message.message),
    config: storable(message.config),
    timestamp: parseTime(message.timestamp),
    correlationId: textOf(message.correlationId)?.slice(0, 200),
  };
}

function confirmationOf(body: Json): Confirmation {
  const taken = isObject(body.taken) ? body.taken : {};
  const ids = Array.isArray(taken.messages) ? taken.messages : [];
  const currentFW = textOf(body.currentFW);
  return {
    messages: ids.map(Number).filter(Number.isSafeInteger).slice(0, 1000),
    config: taken.config === undefined ? undefined : parseTime(taken.config),
    geofence: numberOf(taken.geofence),
    ...(currentFW !== undefined && isStorableText(currentFW) && { currentFW: currentFW.slice(0, 100) }),
  };
}
