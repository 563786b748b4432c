import type { ReportedPoint, ReportedReading } from '../../reports.ts';
import { alarmOf } from './alarms.ts';
import { type Attribute, readingOf, readingsOf, typedText } from './attributes.ts';
import {
  accuracyOf,
  type Json,
  knownNumber,
  nameOf,
  numberOf,
  placeOf,
  timeOf,
  truthOf,
  withoutUnset,
} from './claims.ts';
import type { PhoneMessage } from './gather.ts';
import { MAX_NAME, MAX_PAIRS } from './limits.ts';
import { cellFromText, wifiFromText } from './radio.ts';
import { chargeOf, kmhFromKilometres, kmhFromKnots, kmhFromMetresPerSecond, kmhFromMiles } from './units.ts';

/** Parses one position from the pairs of a query or form. */

export type FlatPair = readonly [name: string, value: string];

/** Names of the position's own fields, and the token of a foreign push service. All others become readings. */
const TAKEN = new Set([
  ...['key', 'id', 'deviceid', 'device_id', 'notificationToken', 'timestamp', 'lat', 'lon', 'location', 'valid'],
  ...['speed', 'bearing', 'heading', 'altitude', 'accuracy', 'hdop', 'sat', 'sats', 'batt', 'charge'],
  ...['cell', 'wifi', 'alarm', 'driverUniqueId', 'speedUnit'],
]);

/** Maximum number of networks stored for one position. */
const MAX_NETWORKS = 50;

export function decodeFlat(pairs: readonly FlatPair[], now: number): PhoneMessage {
  const values = new Map<string, string>();
  const attributes: Attribute[] = [];
  for (const [name, value] of pairs) {
    if (value !== '' && !values.has(name)) values.set(name, value);
    if (!TAKEN.has(name)) attributes.push([name, typedText(value)]);
  }
  const first: First = (...names) => {
    for (const name of names) {
      const value = values.get(name);
      if (value !== undefined) return value;
    }
    return undefined;
  };
  const all = (name: string) =>
    values.has(name) ? pairs.filter(([key]) => key === name).flatMap(([, value]) => (value === '' ? [] : [value])) : [];
  const identifier = nameOf(first('id', 'deviceid', 'device_id'), MAX_NAME);
  if (pairs.every(([name, value]) => name === 'key' || value === '')) return { ignored: 'it contains no data' };
  const isTokenOnly = () => pairs.every(([name]) => ['key', 'id', 'deviceid', 'notificationToken'].includes(name));
  if (values.has('notificationToken') && isTokenOnly()) {
    return { identifier, ignored: 'a push token: commands are sent in responses instead' };
  }

  const at = first('timestamp');
  const isTimeAssumed = at === undefined;
  const timestamp = isTimeAssumed ? now : timeOf(at);
  const assumed = (reading: ReportedReading) => (isTimeAssumed ? { ...reading, isTimeAssumed } : reading);
  const alarm = alarmOf(first('alarm'));
  const driver = nameOf(first('driverUniqueId'), MAX_NAME);
  return {
    identifier,
    point: withoutUnset({
      timestamp,
      isTimeAssumed: isTimeAssumed || undefined,
      ...place(first),
      ...motion(first),
      ...battery(first),
      alertType: alarm?.alertType,
    }),
    readings: [
      ...(alarm === undefined ? [] : [readingOf('alarm', alarm.name, timestamp)]),
      ...(driver === undefined ? [] : [readingOf('driverUniqueId', driver, timestamp)]),
      ...all('cell')
        .slice(0, MAX_NETWORKS)
        .flatMap((cell) => cellFromText(cell, timestamp)),
      ...readingsOf(attributes, timestamp),
    ].map(assumed),
    gatewayReadings: all('wifi')
      .slice(0, MAX_NETWORKS)
      .flatMap((wifi) => wifiFromText(wifi, timestamp))
      .map(assumed),
  };
}

type First = (...names: string[]) => string | undefined;

function place(first: First): ReportedPoint {
  const [lat, lon] = first('lat', 'lon') === undefined ? halves(first('location')) : [first('lat'), first('lon')];
  const location = placeOf(lat, lon);
  const valid = first('valid');
  if (location === undefined) return {};
  return withoutUnset({ location, locationType: valid === undefined || truthOf(valid) ? undefined : 'invalid' });
}

/** Splits `lat,lon`. A text without a comma counts as an unreadable place. */
const halves = (text: string | undefined) =>
  text === undefined ? [] : [text.split(',')[0], text.split(',')[1] ?? '?'];

/** Apps send speeds in different units under the same name, so the address configured in an app names the unit. */
const SPEEDS: Readonly<Record<string, typeof kmhFromKnots | undefined>> = {
  __proto__: null as never,
  kn: kmhFromKnots,
  ms: kmhFromMetresPerSecond,
  kmh: kmhFromKilometres,
  mph: kmhFromMiles,
};

function motion(first: First): ReportedPoint {
  const sats = knownNumber(first('sat', 'sats'));
  return {
    speedKmh: SPEEDS[first('speedUnit') ?? 'kn']?.(knownNumber(first('speed'))),
    courseDeg: knownNumber(first('bearing', 'heading')),
    altitudeM: numberOf(first('altitude')),
    accuracyM: accuracyOf(first('accuracy')),
    hdop: knownNumber(first('hdop')),
    sats: Number.isSafeInteger(sats) ? sats : undefined,
  };
}

const battery = (first: First): ReportedPoint => ({
  batteryPct: knownNumber(first('batt')),
  averageCharge: chargeOf(truthOf(first('charge'))),
});

/** Converts an object with the form's keys to pairs. A list becomes a repeated key. */
export function pairsOfObject(object: Json): FlatPair[] {
  const pairs: FlatPair[] = [];
  for (const [name, value] of Object.entries(object)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (pairs.length === MAX_PAIRS) return pairs;
      if (['string', 'number', 'boolean'].includes(typeof item)) pairs.push([name, String(item)]);
    }
  }
  return pairs;
}
