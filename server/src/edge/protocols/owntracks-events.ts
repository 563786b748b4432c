import { readingOf } from './attributes.ts';
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
  withoutUnset,
} from './claims.ts';
import type { PhoneMessage } from './gather.ts';
import { MAX_NAME } from './limits.ts';

const iso = (value: unknown) => {
  const at = timeOf(value);
  return at === undefined ? undefined : new Date(at).toISOString();
};

/**
 * A transition of one of the phone's own regions. It creates no position: the apps send one separately, with the same
 * time.
 */
export function decodeTransition(message: Json): PhoneMessage {
  const value = withoutUnset({
    event: textOf(message.event, 20),
    name: textOf(message.desc, MAX_NAME),
    location: finite(placeOf(message.lat, message.lon)),
    accuracy: accuracyOf(message.acc),
  });
  if (Object.keys(value).length === 0) return { ignored: 'a transition without data' };
  const meta = withoutUnset({
    region: nameOf(message.rid, MAX_NAME),
    trigger: textOf(message.t, 10),
    created: iso(message.wtst),
  });
  return { readings: [readingOf('geofence_log', value, timeOf(message.tst), meta)] };
}

/** Readings are stored as JSON, which has only finite numbers. */
const finite = (place: { lat: number; lng: number } | undefined) =>
  place !== undefined && Number.isFinite(place.lat) && Number.isFinite(place.lng) ? place : undefined;

/** A sighting of a beacon, whose identifier as a device is `uuid/major/minor`. */
export function decodeBeacon(message: Json): PhoneMessage {
  const uuid = nameOf(message.uuid, 64);
  const [major, minor] = [numberOf(message.major), numberOf(message.minor)];
  if (uuid === undefined) return { ignored: 'a beacon without a uuid' };
  // iOS sends 0 for an unknown signal strength.
  const rssi = numberOf(message.rssi) || undefined;
  const value = withoutUnset({ major, minor, name: textOf(message.desc, MAX_NAME) });
  // Metres to the beacon.
  const meta = withoutUnset({ distance: knownNumber(message.acc), proximity: numberOf(message.prox) });
  const sensorDeviceId = [uuid, major ?? 0, minor ?? 0].join('/');
  const reading = readingOf(
    'ble_seen',
    Object.keys(value).length > 0 ? value : (rssi ?? true),
    timeOf(message.tst),
    meta,
  );
  return { gatewayReadings: [withoutUnset({ ...reading, rssi, sensorDeviceId })] };
}

export function decodeSteps(message: Json): PhoneMessage {
  const steps = knownNumber(message.steps);
  if (steps === undefined) return { ignored: 'no step count' };
  const meta = withoutUnset({ from: iso(message.from), to: iso(message.to) });
  return { readings: [readingOf('steps', steps, timeOf(message.tst), meta)] };
}

/** A region that the user defined in the app. A repeated message has the same time. */
export function decodeWaypoint(message: Json): PhoneMessage {
  const value = withoutUnset({
    name: textOf(message.desc, MAX_NAME),
    location: finite(placeOf(message.lat, message.lon)),
    // Metres.
    radius: knownNumber(message.rad),
    beacon: nameOf(message.uuid, 64),
  });
  if (value.name === undefined && value.location === undefined) return { ignored: 'a waypoint without data' };
  const meta = withoutUnset({ region: nameOf(message.rid, MAX_NAME) });
  return { readings: [readingOf('waypoint', value, timeOf(message.tst), meta)] };
}

/** All regions of the app. */
export function decodeWaypoints(message: Json): PhoneMessage {
  const sent: unknown[] = Array.isArray(message.waypoints) ? message.waypoints : [];
  const readings = sent.flatMap((one) => (isObject(one) ? (decodeWaypoint(one).readings ?? []) : []));
  return readings.length > 0 ? { readings } : { ignored: 'a list without waypoints' };
}
