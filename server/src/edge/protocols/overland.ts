import type { ReportedPoint } from '../../reports.ts';
import { readingOf } from './attributes.ts';
import {
  accuracyOf,
  isObject,
  type Json,
  knownNumber,
  nameOf,
  numberOf,
  parseJson,
  requiredPlace,
  textOf,
  timeOf,
  withoutUnset,
} from './claims.ts';
import { firstOf, gather, type PhoneMessage } from './gather.ts';
import { MAX_KEY, MAX_NAME } from './limits.ts';
import type { Decoded, Malformed, PhoneAnswer, PhoneProtocol, PhoneRequest, ReportOutcome } from './phone.ts';
import { wifiReading } from './radio.ts';
import { chargeOf, kmhFromMetresPerSecond, percentFromRatio } from './units.ts';

/** The Overland app: `{"locations": [GeoJSON features]}`. It sends its `current` location again in a later batch. */
export const overland: PhoneProtocol = { name: 'overland', takesBearer: true, decode, answer };

function decode({ query, headers, body }: PhoneRequest): Decoded | Malformed {
  const json = parseJson(body);
  if (!isObject(json) || !Array.isArray(json.locations)) return { malformed: 'the body has no list "locations"' };
  const known = {
    identifier: nameOf(firstOf(query, 'id', 'device_id'), MAX_NAME),
    key: nameOf(firstOf(query, 'key') ?? bearer(headers.authorization), MAX_KEY),
  };
  return gather<unknown>(json.locations, decodeFeature, known);
}

/** The app's access token. */
const bearer = (header: string | undefined) =>
  /^bearer /i.test(header ?? '') ? header!.slice('bearer '.length) : undefined;

const NONE: Json = {};

function decodeFeature(feature: unknown): PhoneMessage {
  if (!isObject(feature) || !isObject(feature.properties)) return { ignored: 'it is not a GeoJSON feature' };
  const properties = feature.properties;
  const timestamp = timeOf(properties.timestamp);
  const activity = activityOf(properties.motion);
  return {
    identifier: nameOf(properties.device_id, MAX_NAME),
    point: withoutUnset({ timestamp, ...place(isObject(feature.geometry) ? feature.geometry : NONE, properties) }),
    readings: activity === undefined ? [] : [readingOf('activity', activity, timestamp)],
    gatewayReadings: wifiReading({ ssid: properties.wifi }, timestamp),
  };
}

function place(geometry: Json, properties: Json): ReportedPoint {
  const [lng, lat, height] = Array.isArray(geometry.coordinates) ? geometry.coordinates : [];
  return {
    location: requiredPlace(lat, lng),
    speedKmh: kmhFromMetresPerSecond(knownNumber(properties.speed)),
    courseDeg: knownNumber(properties.course),
    altitudeM: numberOf(properties.altitude) ?? numberOf(height),
    accuracyM: accuracyOf(properties.horizontal_accuracy),
    batteryPct: percentFromRatio(knownNumber(properties.battery_level)),
    averageCharge: chargeOf(onCharger(properties.battery_state)),
  };
}

/** The app reports a full battery only while charging. */
function onCharger(state: unknown): boolean | undefined {
  return state === 'charging' || state === 'full' ? true : state === 'unplugged' ? false : undefined;
}

/** Several activities at once are common: `driving` and `stationary` for a resting phone in a car. */
function activityOf(motion: unknown): string | undefined {
  if (!Array.isArray(motion)) return undefined;
  const states = motion.slice(0, 10).filter((state) => typeof state === 'string');
  return textOf(states.join(', '), MAX_NAME);
}

/** The app deletes a sent batch only on exactly this response. */
function answer(outcome: ReportOutcome): PhoneAnswer {
  const refused = 'problem' in outcome;
  return {
    status: refused ? outcome.status : 200,
    contentType: 'application/json; charset=utf-8',
    body: JSON.stringify(refused ? { error: outcome.problem } : { result: 'ok' }),
    commandSent: false,
  };
}
