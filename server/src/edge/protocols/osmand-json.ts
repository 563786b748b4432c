import type { ReportedPoint, ReportedReading } from '../../reports.ts';
import { alarmOf } from './alarms.ts';
import { readingOf, readingsOf } from './attributes.ts';
import {
  accuracyOf,
  isObject,
  type Json,
  knownNumber,
  nameOf,
  numberOf,
  placeOf,
  textOf,
  timeOf,
  truthOf,
  withoutUnset,
} from './claims.ts';
import type { PhoneMessage } from './gather.ts';
import { MAX_NAME } from './limits.ts';
import { chargeOf, kmhFromMetresPerSecond, percentFromRatio } from './units.ts';

/**
 * Parses one position in the format of Traccar Client 9.x: `{device_id, location: {timestamp, coords, battery, …}}`.
 */

const NONE: Json = {};
const part = (value: unknown) => (isObject(value) ? value : NONE);

export function decodeLocation(message: Json): PhoneMessage {
  const location = part(message.location);
  const timestamp = timeOf(location.timestamp);
  const alarm = alarmOf(location.alarm);
  const correlationId = nameOf(location.uuid, MAX_NAME);
  return {
    identifier: nameOf(message.device_id ?? message.id, MAX_NAME),
    point: withoutUnset({
      timestamp,
      ...coordinates(part(location.coords)),
      ...battery(part(location.battery)),
      sendReason: sendReason(location),
      alertType: alarm?.alertType,
      correlationId,
    }),
    readings: [
      ...(alarm === undefined ? [] : [readingOf('alarm', alarm.name, timestamp)]),
      ...state(location, timestamp),
      ...readingsOf(Object.entries(part(location.extras)), timestamp),
    ].map((reading) => withoutUnset({ ...reading, correlationId })),
  };
}

const coordinates = (coords: Json): ReportedPoint => ({
  location: placeOf(coords.latitude, coords.longitude),
  speedKmh: kmhFromMetresPerSecond(knownNumber(coords.speed)),
  courseDeg: knownNumber(coords.heading),
  altitudeM: numberOf(coords.altitude),
  accuracyM: accuracyOf(coords.accuracy),
});

const battery = (sent: Json): ReportedPoint => ({
  batteryPct: percentFromRatio(knownNumber(sent.level)),
  averageCharge: chargeOf(truthOf(sent.is_charging)),
});

/** Bits of a position's `sendReason`. */
const STARTED = 32;
const STOPPED = 64;
const CHECK_IN = 255;

function sendReason(location: Json): number | undefined {
  if (location.heartbeat === true || location.event === 'heartbeat') return CHECK_IN;
  if (location.event !== 'motionchange' || typeof location.is_moving !== 'boolean') return undefined;
  return location.is_moving ? STARTED : STOPPED;
}

/** Converts only useful fields to readings, because each reading per position has a cost. */
function state(location: Json, timestamp: number | undefined): ReportedReading[] {
  const odometer = knownNumber(location.odometer);
  const activity = textOf(part(location.activity).type, MAX_NAME);
  return [
    ...(odometer ? [readingOf('odometer', odometer, timestamp, { unit: 'm' })] : []),
    ...(activity === undefined || activity === 'unknown' ? [] : [readingOf('activity', activity, timestamp)]),
    ...(location.mock === true ? [readingOf('mock', true, timestamp)] : []),
  ];
}
