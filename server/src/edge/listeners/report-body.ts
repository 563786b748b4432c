import { isStorableText, parseTime } from '@trackway/contract/values.ts';
import type { Confirmation } from '../../calls.ts';
import { badRequest, Refusal } from '../../platform/errors.ts';
import type { Report, ReportedMessage, ReportedPoint, ReportedReading } from '../../reports.ts';
import { rtkOf } from './rtk-body.ts';

/** Reads the body of `POST /ingest/reports`: our own protocol, in the field names of the API. */

type Json = Record<string, unknown>;

export function reportOf(body: unknown, now: number, maxItems: number): { report: Report; confirmation: Confirmation } {
  if (!isObject(body)) throw badRequest('The body must be a JSON object');
  const points = listOf(body, 'points');
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
/** A text that some devices send as a number. */
const wordOf = (value: unknown) => (typeof value === 'number' ? String(value) : textOf(value));
const LOCATION_TYPES = ['gps', 'wifi', 'gsm', 'invalid', 'gateway'] as const;

function pointOf(item: unknown, now: number): ReportedPoint {
  const point = isObject(item) ? item : {};
  const { location } = point;
  const isPlaced = location !== undefined && location !== null;
  const place = isObject(location) ? location : {};
  return {
    // An item that is not an object has no readable time.
    timestamp: isObject(item) ? timeOf(point.timestamp, now) : Number.NaN,
    isTimeAssumed: isAbsent(point.timestamp),
    location: isPlaced ? { lat: numberOf(place.lat) ?? Number.NaN, lng: numberOf(place.lng) ?? Number.NaN } : undefined,
    speedKmh: numberOf(point.speed),
    altitudeM: numberOf(point.altitude),
    courseDeg: numberOf(point.course),
    accuracyM: numberOf(point.accuracy),
    locationType: LOCATION_TYPES.find((type) => type === point.locationType),
    sats: numberOf(point.sats),
    hdop: numberOf(point.hdop),
    batteryPct: numberOf(point.batteryPct),
    batteryVoltage: numberOf(point.batteryVoltage),
    averageCharge: numberOf(point.averageCharge),
    sendReason: numberOf(point.sendReason),
    alertType: numberOf(point.alertType),
    mode: numberOf(point.mode),
    gsmSignal: numberOf(point.gsmSignal),
    address: textOf(point.address),
    correlationId: textOf(point.correlationId),
    stringValue: wordOf(point.stringValue),
    currentUsedUah: numberOf(point.currentUsed),
    numValue: wordOf(point.num_value),
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
