import type { ReportedPoint, ReportedReading } from '../../reports.ts';
import { ALERT } from './alarms.ts';
import { type Attribute, readingOf, readingsOf } from './attributes.ts';
import {
  accuracyOf,
  type Json,
  knownNumber,
  nameOf,
  numberOf,
  requiredPlace,
  textOf,
  timeOf,
  truthOf,
  withoutUnset,
} from './claims.ts';
import type { PhoneMessage } from './gather.ts';
import { MAX_NAME } from './limits.ts';
import { cellReading, wifiReading } from './radio.ts';
import { chargeOf, hectopascalFromKilopascal, metresFromKilometres } from './units.ts';

/** `_type: location`, from the apps and, with more fields, from Queclink trackers. */
export function decodeLocation(message: Json): PhoneMessage {
  const timestamp = timeOf(message.tst);
  const correlationId = nameOf(message._id, MAX_NAME);
  const { alarm, ...cause } = causeOf(message.t);
  const point: ReportedPoint = {
    timestamp,
    location: requiredPlace(message.lat, message.lon),
    speedKmh: knownNumber(message.vel),
    courseDeg: knownNumber(message.cog),
    altitudeM: numberOf(message.alt),
    accuracyM: accuracyOf(message.acc),
    batteryPct: knownNumber(message.batt),
    batteryVoltage: knownNumber(message.ubatt),
    averageCharge: chargeOf(cause.charging ?? onCharger(message.bs)),
    alertType: cause.alertType,
    sendReason: cause.sendReason,
    correlationId,
  };
  const readings = [
    ...(alarm === undefined ? [] : [readingOf('alarm', alarm, timestamp, harshness(alarm, message))]),
    ...(cause.ignition === undefined || message.ign !== undefined
      ? []
      : [readingOf('ignition', cause.ignition, timestamp)]),
    ...measured(message, timestamp),
    ...temperatures(message, timestamp),
    ...cellReading(cellOf(message), undefined, timestamp),
    ...readingsOf(extras(message), timestamp),
  ];
  const gatewayReadings = wifiReading({ mac: message.BSSID, ssid: message.SSID }, timestamp);
  const together = (reading: ReportedReading) => withoutUnset({ ...reading, correlationId });
  return {
    point: withoutUnset(point),
    readings: readings.map(together),
    gatewayReadings: gatewayReadings.map(together),
  };
}

/** 0 unknown, 1 unplugged, 2 charging, 3 full, which implies charging. */
function onCharger(status: unknown): boolean | undefined {
  const code = numberOf(status);
  return code === 1 ? false : code === 2 || code === 3 ? true : undefined;
}

/** The kind of harsh driving. */
function harshness(alarm: string, message: Json): Record<string, unknown> | undefined {
  const type = numberOf(message.rty);
  return alarm === 'harsh' && type !== undefined ? { type } : undefined;
}

function measured(message: Json, timestamp: number | undefined): ReportedReading[] {
  const pressure = hectopascalFromKilopascal(knownNumber(message.p));
  const odometer = metresFromKilometres(knownNumber(message.odometer));
  const activities = Array.isArray(message.motionactivities) ? message.motionactivities.slice(0, 10) : [];
  const activity = textOf(activities.filter((one) => typeof one === 'string').join(', '), MAX_NAME);
  return [
    ...(pressure === undefined ? [] : [readingOf('pressure', pressure, timestamp, { unit: 'hPa' })]),
    ...(odometer === undefined ? [] : [readingOf('odometer', odometer, timestamp, { unit: 'm' })]),
    ...(activity === undefined ? [] : [readingOf('activity', activity, timestamp)]),
  ];
}

const TEMPERATURE = 'temp_c-';
const MAX_INPUTS = 32;

/** °C of each analogue input, `temp_c-00` and so on, with the hardware id of its sensor if present. */
function temperatures(message: Json, timestamp: number | undefined): ReportedReading[] {
  const names = Object.keys(message).filter((name) => name.startsWith(TEMPERATURE));
  return names.slice(0, MAX_INPUTS).flatMap((name) => {
    const value = numberOf(message[name]);
    const input = nameOf(name.slice(TEMPERATURE.length), 10);
    const sensor = nameOf(message[`adid-${input}`], MAX_NAME);
    return value === undefined ? [] : [readingOf('temp', value, timestamp, withoutUnset({ input, sensor }))];
  });
}

/** Queclink sends area and cell in hexadecimal. */
const hex = (value: unknown) =>
  typeof value === 'string' && /^[0-9a-f]{1,8}$/i.test(value) ? Number.parseInt(value, 16) : numberOf(value);

const cellOf = ({ mcc, mnc, lac, cid }: Json) => ({
  mcc: numberOf(mcc),
  mnc: numberOf(mnc),
  lac: hex(lac),
  cid: hex(cid),
});

/** Fields that are used above, that concern only the transport, and pictures. */
const TAKEN = new Set([
  ...['tid', 'topic', 'lat', 'lon', 'tst', 'acc', 'vac', 'alt', 'rad', 'vel', 'cog', 'batt', 'bs', 't', 'p', 'm'],
  ...['conn', 'SSID', 'BSSID', 'inregions', 'inrids', 'created_at', 'image', 'imagename', 'motionactivities', 'face'],
  ...['odometer', 'ubatt', 'mcc', 'mnc', 'lac', 'cid', 'sent', 'anum', 'imei', 'name', 'doze', 'cp', 'steps'],
  ...[
    'rit',
    'rty',
    'rid',
    'mst',
    'nmds',
    'count',
    'counter',
    'ignored',
    'raw_line',
    'can',
    'isotst',
    'disptst',
    'ghash',
  ],
]);
const TAKEN_NUMBERED = /^(_|temp_c-|ad(id|ty|da)-)/;

const SWITCHES = new Set(['ign', 'motion', 'tow', 'fake', 'sens', 'din1', 'din2', 'dout1', 'dout2']);

function* extras(message: Json): Iterable<Attribute> {
  for (const [name, value] of Object.entries(message)) {
    if (TAKEN.has(name) || TAKEN_NUMBERED.test(name)) continue;
    // A switch may be sent as 0 or 1.
    yield [name, SWITCHES.has(name) ? (truthOf(value) ?? value) : value];
  }
}

/** The reason of a report: the `t` of a location. The apps' own letters add nothing to the position. */
interface Cause {
  readonly alertType?: number;
  /** In words, if the alert bits cannot express it. */
  readonly alarm?: string;
  readonly sendReason?: number;
  readonly ignition?: boolean;
  readonly charging?: boolean;
}

const NOTHING: Cause = {};
const alert = (alarm: string): Cause => ({ alarm, alertType: ALERT.generic });

const CAUSES: ReadonlyMap<unknown, Cause> = new Map<unknown, Cause>([
  // A ping is a keep-alive: the apps send it with the current time and the last place.
  ['p', { sendReason: 255 }],
  // Queclink
  ['i', { alertType: ALERT.ignition, ignition: true }],
  ['I', { alertType: ALERT.ignition, ignition: false }],
  ['!', alert('tow')],
  ['s', alert('speed')],
  ['h', alert('harsh')],
  ['9', alert('low battery')],
  ['e', alert('external power off')],
  ['a', { sendReason: 64 }],
  ['2', { charging: false }],
  ['3', { charging: true }],
]);

const causeOf = (t: unknown): Cause => CAUSES.get(typeof t === 'number' ? String(t) : t) ?? NOTHING;
