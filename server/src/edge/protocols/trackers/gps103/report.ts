import { cellReadings } from '../record/cells.ts';
import { degreesOf, KMH_PER_KNOT, placeOf } from '../text/degrees.ts';
import { countOf, decimalOf, hexOf, percentOf } from '../text/numbers.ts';
import { readingsOf, textOf } from '../text/readings.ts';
import { epochOfDigits } from '../text/times.ts';
import type { DecodedFrame, TrackerRecord, TrackerSession } from '../tracker.ts';
import { epochOfWallTime } from '../wall-time.ts';
import { localTimeOf, momentOf, zoneOf } from './clock.ts';
import { meaningOf } from './keywords.ts';

/** imei:id, keyword, local time, rfid, F or L, utc, A or V, lat, N, lon, E, speed, course, altitude, acc, door, … */
export function decodeReport(fields: readonly string[], session: TrackerSession): DecodedFrame {
  const [head = '', keyword = '', local, card = '', source] = fields;
  const id = head.slice('imei:'.length);
  const { alarms, values = {}, answered } = meaningOf(keyword);
  const told = source === 'L' ? withoutFix(fields, session) : withFix(fields, session);
  const status = statusOf(told.status);
  const record: TrackerRecord = {
    ...told.record,
    batteryPct: /^\d{1,3}%$/.test(card) ? percentOf(card) : undefined,
    alarms,
    readings: [
      ...readingsOf({ ...status, ...values, ...(keyword === 'rfid' ? { driver_id: textOf(card, 100) } : {}) }),
      ...(told.record.readings ?? []),
    ],
  };
  return {
    identities: [id],
    records: [record],
    ...(told.zone === undefined || localTimeOf(local) === undefined ? {} : { remember: { zone: told.zone } }),
    ...(answered === undefined ? {} : { commandReply: { text: textOf(keyword, 100), correlation: answered } }),
    ...(alarms.includes('sos')
      ? { reply: { when: 'afterDurable' as const, bytes: Buffer.from(`**,imei:${id},E;`) } }
      : {}),
  };
}

interface Told {
  readonly record: TrackerRecord;
  /** From the ignition on. */
  readonly status: readonly string[];
  readonly zone?: string;
}

const STATUS_AT = 14;

/** Where the device is by its cell: the time is by its own clock alone. */
function withoutFix(fields: readonly string[], session: TrackerSession): Told {
  return {
    record: {
      timestamp: localEpoch(fields[2], session),
      isValid: false,
      readings: cellReadings([{ lac: hexOf(fields[7]) ?? 0, cid: hexOf(fields[9]) ?? 0 }]),
    },
    status: fields.slice(STATUS_AT),
  };
}

/** Undefined where the zone of the device's clock is not known. */
export function localEpoch(text: string | undefined, { timeZone, memory }: TrackerSession): number | undefined {
  const local = localTimeOf(text);
  const zone = timeZone ?? memory.zone;
  return local && typeof zone === 'string' ? epochOfWallTime(local, zone) : undefined;
}

function withFix(fields: readonly string[], session: TrackerSession): Told {
  const { timestamp, offsetMinutes } = momentOf(localTimeOf(fields[2]), fields[5], session.timeZone);
  const { lat, lng, rest } = coordinatesOf(fields.slice(7));
  const [speed, course, altitude, ...status] = rest;
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

/** Each coordinate has its letter before or after it, or an empty field in place of it. */
function coordinatesOf(fields: readonly string[]): { lat?: number; lng?: number; rest: readonly string[] } {
  const rest = [...fields];
  const next = (letters: RegExp) => {
    const before = letters.test(rest[0] ?? '') ? rest.shift() : undefined;
    const number = rest.shift();
    const hasPlace = letters.test(rest[0] ?? '') || rest[0] === '';
    const after = hasPlace ? rest.shift() : undefined;
    return degreesOf(number, before ?? after);
  };
  const lat = next(/^[NS]$/);
  const lng = next(/^[EW]$/);
  return { lat, lng, rest };
}

/** acc, door, fuel 1, fuel 2, temperature; a code of a fault may be among them. */
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
