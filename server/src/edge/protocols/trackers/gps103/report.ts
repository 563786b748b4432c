import type { AlarmWord } from '../alarm-words.ts';
import { cellReadings } from '../record/networks.ts';
import {
  countOf,
  decimalOf,
  degreesOf,
  epochOfDigits,
  hexOf,
  KMH_PER_KNOT,
  percentOf,
  placeOf,
  readingsOf,
  textOf,
} from '../text/numbers.ts';
import type { DecodedFrame, TrackerRecord, TrackerSession } from '../tracker.ts';
import { epochOfWallTime, type WallTime } from '../wall-time.ts';

/** imei:id, keyword, local time, rfid, F or L, utc, A or V, lat, N, lon, E, speed, course, altitude, acc, door, … */
export function decodeReport(fields: readonly string[], session: TrackerSession): DecodedFrame {
  const [head = '', keyword = '', local, card = '', source] = fields;
  const id = head.slice('imei:'.length);
  const { alarms, values = {}, answered } = meaningOf(keyword);
  const reported = source === 'L' ? withoutFix(fields, session) : withFix(fields, session);
  const status = statusOf(reported.status);
  const record: TrackerRecord = {
    ...reported.record,
    batteryPct: /^\d{1,3}%$/.test(card) ? percentOf(card) : undefined,
    alarms,
    readings: [
      ...readingsOf({ ...status, ...values, ...(keyword === 'rfid' ? { driver_id: textOf(card, 100) } : {}) }),
      ...(reported.record.readings ?? []),
    ],
  };
  return {
    identities: [id],
    records: [record],
    ...(reported.zone === undefined || localTimeOf(local) === undefined ? {} : { remember: { zone: reported.zone } }),
    ...(answered === undefined ? {} : { commandReply: { text: textOf(keyword, 100), correlation: answered } }),
    ...(alarms.includes('sos')
      ? { reply: { when: 'afterDurable' as const, bytes: Buffer.from(`**,imei:${id},E;`) } }
      : {}),
  };
}

interface Reported {
  readonly record: TrackerRecord;
  /** Starting with the ignition. */
  readonly status: readonly string[];
  readonly zone?: string;
}

const STATUS_AT = 14;

/** A position by cell only: the time is that of the device's clock. */
function withoutFix(fields: readonly string[], session: TrackerSession): Reported {
  return {
    record: {
      timestamp: localEpoch(fields[2], session),
      isValid: false,
      readings: cellReadings([{ lac: hexOf(fields[7]) ?? 0, cid: hexOf(fields[9]) ?? 0 }]),
    },
    status: fields.slice(STATUS_AT),
  };
}

/** Undefined if the zone of the device's clock is unknown. */
function localEpoch(text: string | undefined, { timeZone, memory }: TrackerSession): number | undefined {
  const local = localTimeOf(text);
  const zone = timeZone ?? memory.zone;
  return local && typeof zone === 'string' ? epochOfWallTime(local, zone) : undefined;
}

function withFix(fields: readonly string[], session: TrackerSession): Reported {
  const { timestamp, offsetMinutes } = momentOf(localTimeOf(fields[2]), fields[5], session.timeZone);
  const { lat, lng, remaining } = coordinatesOf(fields.slice(7));
  const [speed, course, altitude, ...status] = remaining;
  const knots = decimalOf(speed);
  return {
    record: {
      timestamp,
      ...placeOf(lat, lng, fields[6] === 'A'),
      speedKmh: knots === undefined ? undefined : knots * KMH_PER_KNOT,
      courseDeg: decimalOf(course),
      altitudeM: decimalOf(altitude),
    },
    status,
    ...(offsetMinutes === undefined ? {} : { zone: zoneOf(offsetMinutes) }),
  };
}

/** The hemisphere letter is before or after each coordinate, or an empty field replaces it. */
function coordinatesOf(fields: readonly string[]): { lat?: number; lng?: number; remaining: readonly string[] } {
  const remaining = [...fields];
  const next = (letters: RegExp) => {
    const before = letters.test(remaining[0] ?? '') ? remaining.shift() : undefined;
    const number = remaining.shift();
    const hasPlace = letters.test(remaining[0] ?? '') || remaining[0] === '';
    const after = hasPlace ? remaining.shift() : undefined;
    return degreesOf(number, before ?? after);
  };
  const lat = next(/^[NS]$/);
  const lng = next(/^[EW]$/);
  return { lat, lng, remaining };
}

/** acc, door, fuel 1, fuel 2, temperature; a fault code may be among them. */
function statusOf([acc, door, fuel, more, temp]: readonly string[]): Record<string, unknown> {
  return {
    ignition: flagOf(acc),
    door: flagOf(door),
    fuel_pct: percentOf(fuel),
    fuel_pct2: percentOf(more),
    temp: decimalOf(temp),
    dtc: [fuel, more, temp].find((field) => /^[PCBU][0-9A-F]{4}$/.test(field ?? '')),
  };
}

const flagOf = (text: string | undefined) => (text === '1' ? true : text === '0' ? false : undefined);

/** imei:id, name, event, sensor, voltage, hhmmss, ddmmyy, rssi, fix, lat, lon, km/h, course, altitude, hdop, satellites, … */
export function decodeAlternative(fields: readonly string[]): DecodedFrame | undefined {
  const [head = '', , , , , time, date, rssi, fix, lat, lng, speed, course, altitude, hdop, sats, acc, charge] = fields;
  const timestamp = epochOfDigits(date, 'dmy', time);
  if (timestamp === undefined || !/^-?\d+\.\d+$/.test(lat ?? '')) return undefined;
  return {
    identities: [head.slice('imei:'.length)],
    records: [
      {
        timestamp,
        ...placeOf(decimalOf(lat), decimalOf(lng), (countOf(fix) ?? 0) > 0),
        speedKmh: decimalOf(speed),
        courseDeg: decimalOf(course),
        altitudeM: decimalOf(altitude),
        hdop: decimalOf(hdop),
        sats: countOf(sats),
        gsmSignal: countOf(rssi),
        isCharging: flagOf(charge),
        readings: readingsOf({ ignition: flagOf(acc) }),
      },
    ],
  };
}

const METRES_PER_KM = 1000;

/** imei:id, OBD, local time, km, instant and average consumption, hours, speed, load, °C, throttle, rpm, volts, faults */
export function decodeVehicle(fields: readonly string[], session: TrackerSession): DecodedFrame {
  const [head = '', , local, km, , average, hours, speed, load, coolant, throttle, rpm, volts, ...faults] = fields;
  const odometer = countOf(km);
  return {
    identities: [head.slice('imei:'.length)],
    records: [
      {
        timestamp: localEpoch(local, session),
        isValid: false,
        readings: readingsOf({
          odometer_m: odometer === undefined ? undefined : odometer * METRES_PER_KM,
          fuel_consumption: decimalOf(average),
          engine_hours: decimalOf(hours),
          obd_speed: decimalOf(speed),
          engine_load: percentOf(load),
          engine_temp: decimalOf(coolant),
          throttle: percentOf(throttle),
          rpm: decimalOf(rpm),
          ext_voltage: decimalOf(volts) || undefined,
          dtc: faults.filter((fault) => /^[PCBU][0-9A-F]{4}$/i.test(fault)).join(','),
        }),
      },
    ],
  };
}

/** The meaning of a report's keyword, in addition to the position. */
interface Meaning {
  readonly alarms: readonly AlarmWord[];
  readonly values?: Readonly<Record<string, unknown>>;
  /** The letter of the command that the report answers. */
  readonly answered?: string;
}

const ALARMS: Readonly<Record<string, readonly AlarmWord[]>> = {
  'help me': ['sos'],
  'low battery': ['lowBattery'],
  move: ['movement'],
  speed: ['overspeed'],
  stockade: ['geofence'],
  'ac alarm': ['powerCut'],
  'door alarm': ['door'],
  'sensor alarm': ['vibration'],
  'acc alarm': ['general'],
  'accident alarm': ['crash'],
  'bonnet alarm': ['general'],
  'footbrake alarm': ['general'],
  oil1: ['general'],
  oil2: ['general'],
  dtc: ['fault'],
  'acc on': ['ignitionOn'],
  'acc off': ['ignitionOff'],
};

function meaningOf(keyword: string): Meaning {
  const word = keyword.trim().replace(/!+$/, '').toLowerCase();
  if (/^[a-z]t$/.test(word)) return { alarms: [], answered: word[0]!.toUpperCase() };
  if (word.startsWith('t:')) return { alarms: ['temperature'], values: { temp: decimalOf(word.slice(2)) } };
  if (word.startsWith('oil ')) return { alarms: [], values: { fuel_pct: percentOf(word.slice(4)) } };
  const alarms = ALARMS[word] ?? [];
  const ignition = word === 'acc on' ? true : word === 'acc off' ? false : undefined;
  return { alarms, ...(ignition === undefined ? {} : { values: { ignition } }) };
}

interface ReportMoment {
  readonly timestamp?: number;
  /** Offset of the device's clock from UTC, if the report contains it. */
  readonly offsetMinutes?: number;
}

const HALF_DAY_MINUTES = 720;
const DAY_MINUTES = 1440;

/** `yymmddhhmm`, optionally with seconds and separators. */
function localTimeOf(text: string | undefined): WallTime | undefined {
  const pattern = /^(\d\d)\/?(\d\d)\/?(\d\d) ?(\d\d):?(\d\d):?(\d\d)?$/;
  const [, year, month, day, hour, minute, second = '0'] = pattern.exec(text?.trim() ?? '') ?? [];
  if (minute === undefined) return undefined;
  return {
    year: 2000 + Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
  };
}

/**
 * The date is in the device's local time, the time of day in local time and UTC: their difference is the zone of the
 * clock, which is never more than 12 hours behind UTC.
 */
function momentOf(local: WallTime | undefined, utc: string | undefined, timeZone?: string): ReportMoment {
  if (!local) return {};
  const [, hour, minute, second] = /^(\d\d)(\d\d)(\d\d)(?:\.\d*)?$/.exec(utc?.trim() ?? '') ?? [];
  if (hour === undefined) return { timestamp: epochOfWallTime(local, timeZone) };
  const asUtc = epochOfWallTime({ ...local, second: 0 });
  if (asUtc === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return {};
  const difference = (local.hour - Number(hour)) * 60 + local.minute - Number(minute);
  const offsetMinutes =
    difference <= -HALF_DAY_MINUTES
      ? difference + DAY_MINUTES
      : difference > HALF_DAY_MINUTES
        ? difference - DAY_MINUTES
        : difference;
  return { timestamp: asUtc - offsetMinutes * 60_000 + Number(second) * 1000, offsetMinutes };
}

/** Zones are multiples of 15 minutes; differences from that are clock errors of the device. */
function zoneOf(offsetMinutes: number): string {
  const rounded = Math.round(offsetMinutes / 15) * 15;
  const [hours, minutes] = [Math.floor(Math.abs(rounded) / 60), Math.abs(rounded) % 60];
  return `${rounded < 0 ? '-' : '+'}${`${hours}`.padStart(2, '0')}:${`${minutes}`.padStart(2, '0')}`;
}
