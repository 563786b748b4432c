import type { ReportedPoint, ReportedReading } from '../../../reports.ts';
import {
  accuracyOf,
  isObject,
  knownNumber,
  nameOf,
  numberOf,
  parseJson,
  placeOf,
  timeOf,
  truthOf,
  withoutUnset,
} from '../claims.ts';
import { MAX_NAME } from '../limits.ts';
import type { SaidOnTopic } from '../mqtt/source.ts';
import type { HomeEntity } from './entity.ts';
import { valueAt } from './template.ts';

export interface HomeMessage {
  readonly topic: string;
  readonly payload: Buffer;
  readonly isRetained: boolean;
  readonly now: number;
}

interface Items {
  readonly names: readonly string[];
  readonly points: ReportedPoint[];
  readonly readings: ReportedReading[];
}

/** Decodes a message of the entities that publish on its topic: one report per device. */
export function saidByEntities(entities: readonly HomeEntity[], message: HomeMessage): SaidOnTopic[] {
  const text = message.payload.toString('utf8');
  const json = parseJson(text);
  const devices = new Map<string, Items>();
  for (const entity of entities) {
    const { names } = entity;
    const key = names.join('\n');
    const items = devices.get(key) ?? { names, points: [], readings: [] };
    devices.set(key, items);
    if (entity.attributesTopic === message.topic)
      items.points.push(...pointsOf(valueAt(entity.attributesPath, text, json), message));
    // The time of a retained message without a timestamp is unknown.
    if (entity.stateTopic === message.topic && !message.isRetained)
      items.readings.push(...readingsOf(entity, valueAt(entity.statePath, text, json), message.now));
  }
  return [...devices.values()].flatMap(({ names, points, readings }): SaidOnTopic[] => {
    if (points.length + readings.length === 0) return [];
    const report = { points, readings, gatewayReadings: [], messages: [] };
    const isTimed = readings.length === 0 && points.every(({ isTimeAssumed }) => isTimeAssumed !== true);
    const value = JSON.stringify([...points, ...readings], (field, one) => (field === 'timestamp' ? undefined : one));
    return [
      { names, said: { report }, ...(!isTimed && { repeated: { sender: `${message.topic} ${names[0]}`, value } }) },
    ];
  });
}

/** `latitude`, `longitude`, `gps_accuracy` and `battery_level`, as Home Assistant defines them. */
function pointsOf(attributes: unknown, { isRetained, now }: HomeMessage): ReportedPoint[] {
  if (!isObject(attributes)) return [];
  const location = placeOf(attributes.latitude, attributes.longitude);
  const batteryPct = knownNumber(attributes.battery_level ?? attributes.battery);
  if (location === undefined && batteryPct === undefined) return [];
  const own = timeOf(attributes.last_seen ?? attributes.timestamp ?? attributes.tst);
  if (own === undefined && isRetained) return [];
  return [
    withoutUnset({
      timestamp: own ?? now,
      ...(own === undefined && { isTimeAssumed: true }),
      location,
      ...(location && { locationType: 'gps' as const }),
      accuracyM: location && accuracyOf(attributes.gps_accuracy),
      altitudeM: location && numberOf(attributes.altitude),
      courseDeg: location && knownNumber(attributes.course),
      batteryPct,
    }),
  ];
}

/** Home Assistant's device classes and our reading types. */
const TYPES: Readonly<Record<string, string>> = {
  temperature: 'temp',
  humidity: 'humidity',
  battery: 'battery',
  pressure: 'pressure',
  atmospheric_pressure: 'pressure',
  illuminance: 'light',
  voltage: 'ext_voltage',
  carbon_dioxide: 'co2',
  door: 'door',
  window: 'door',
  garage_door: 'door',
  opening: 'door',
  motion: 'motion',
  moving: 'motion',
  occupancy: 'presence',
  presence: 'presence',
  tamper: 'tamper_detected',
};
/** Converts Home Assistant's units to ours. */
const UNITS: Readonly<Record<string, (value: number) => number>> = {
  'temp °F': (value) => ((value - 32) * 5) / 9,
  'temp K': (value) => value - 273.15,
  'pressure kPa': (value) => value * 10,
  'pressure Pa': (value) => value / 100,
  'pressure bar': (value) => value * 1000,
  'pressure inHg': (value) => value * 33.8639,
  'pressure mmHg': (value) => value * 1.33322,
  'pressure psi': (value) => value * 68.9476,
  'ext_voltage mV': (value) => value / 1000,
};
const round = (value: number) => Math.round(value * 1e4) / 1e4;

function readingsOf(entity: HomeEntity, value: unknown, now: number): ReportedReading[] {
  const { component, deviceClass, object, unit } = entity;
  const reported = (type: string, said: unknown): ReportedReading[] => [
    { timestamp: now, isTimeAssumed: true, type, value: said, meta: { entity: object } },
  ];
  if (component === 'device_tracker') {
    const zone = value === entity.yes ? 'home' : value === entity.no ? 'not_home' : nameOf(value, MAX_NAME);
    // `None` means that the coordinates decide.
    return zone === undefined || zone === 'None' ? [] : reported('zone', zone);
  }
  // Without a device class the value may be anything: a version, an address, the uptime.
  const type = deviceClass && (Object.hasOwn(TYPES, deviceClass) ? TYPES[deviceClass] : deviceClass);
  if (type === undefined) return [];
  if (component === 'binary_sensor') {
    const isOn = value === entity.yes || (value !== entity.no && truthOf(value) === true);
    const isOff = value === entity.no || truthOf(value) === false;
    return isOn || isOff ? reported(type, isOn) : [];
  }
  const number = numberOf(value);
  if (number === undefined) return [];
  const convert = UNITS[`${type} ${unit}`];
  return reported(type, convert ? round(convert(number)) : number);
}
