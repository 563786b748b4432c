import type { ReportedPoint } from '../../../reports.ts';
import { ALERT, alarmOf } from '../alarms.ts';
import { isObject, type Json, nameOf, numberOf, placeOf, textOf, timeOf, truthOf } from '../claims.ts';
import { MAX_ATTRIBUTES, MAX_TYPE } from '../limits.ts';
import { isAccelerometer, isLatitude, isLongitude, type PlaceRole, roleOf } from './field-words.ts';

/** The content of a decoded payload, by its field names. */
export interface Said {
  /** The position and the status; the time is that of the fix, if the payload contains it. */
  readonly point: ReportedPoint;
  readonly hasPlace: boolean;
  readonly readings: readonly SaidReading[];
}

export interface SaidReading {
  readonly type: string;
  readonly value: unknown;
  /** The original field name, if it differs. */
  readonly field?: string;
}

type PointClaims = { -readonly [K in keyof ReportedPoint]: ReportedPoint[K] };

const MAX_DEPTH = 4;
/** Maximum number of fields read; a payload has a few hundred bytes at most. */
const MAX_FIELDS = 500;
/** Devices without a clock send 1970, or the build date of their firmware. */
const CLOCKS_RUN_SINCE = Date.UTC(2015, 0, 1);
const KEYS: Readonly<Record<Exclude<PlaceRole, 'time'>, keyof ReportedPoint>> = {
  altitude: 'altitudeM',
  hdop: 'hdop',
  sats: 'sats',
  speed: 'speedKmh',
  course: 'courseDeg',
  accuracy: 'accuracyM',
};

export function saidIn(payload: Json): Said {
  const reader = new FieldReader();
  reader.object(payload, '', 0);
  return reader.said();
}

class FieldReader {
  readonly #point: PointClaims = {};
  readonly #readings: SaidReading[] = [];
  readonly #counts = new Map<string, number>();
  /** Values of a position, collected until it is known whether there is one. */
  readonly #ofPlace: { role: PlaceRole; name: string; value: unknown; factor: number }[] = [];
  #fields = 0;

  /** @param path names of the enclosing objects */
  object(object: Json, path: string, depth: number): void {
    const names = Object.keys(object);
    const lat = names.find(isLatitude);
    const lng = names.find(isLongitude);
    const isPlace = lat !== undefined && lng !== undefined;
    if (isPlace && this.#point.location === undefined) {
      const place = placeOf(object[lat], object[lng]);
      if (place !== undefined) this.#point.location = place;
    }
    for (const name of names) {
      if (++this.#fields > MAX_FIELDS) return;
      if (isPlace && (name === lat || name === lng)) continue;
      this.#field(name, object[name], path, depth);
    }
  }

  said(): Said {
    const hasPlace = this.#point.location !== undefined;
    for (const { role, name, value, factor } of this.#ofPlace) {
      if (!hasPlace || !this.#claim(role, value, factor)) this.#own(name, value);
    }
    return { point: this.#point, hasPlace, readings: this.#readings };
  }

  #field(name: string, value: unknown, path: string, depth: number): void {
    // `{"temperatureSensor": {"1": 21}}`, `{"temp": {"value": 21, "unit": "C"}}`: the name is one level above.
    const isInner = path !== '' && (/^\d+$/.test(name) || /^value$/i.test(name));
    if (path !== '' && /^units?$/i.test(name)) return;
    const full = isInner ? path : path === '' ? name : `${path}_${name}`;
    if (isObject(value)) {
      const axes = axesOf(value);
      if (axes !== undefined && isAccelerometer(full)) this.#add('accel_3d', axes, full);
      else if (axes !== undefined) this.#add(full, value, full);
      else if (depth < MAX_DEPTH) this.object(value, full, depth + 1);
      return;
    }
    if (Array.isArray(value)) {
      if (value.length <= 20 && value.every((one) => typeof one === 'number')) this.#add(full, value, full);
      return;
    }
    // Usually the innermost name is significant; in `air_temperature` both parts are.
    this.#scalar(full, isInner ? path : name, value);
  }

  #scalar(full: string, name: string, value: unknown): void {
    const role = roleOf(full) ?? roleOf(name);
    const number = numberOf(value);
    switch (role?.is) {
      case 'place':
        this.#ofPlace.push({ role: role.role, name: full, value, factor: role.factor ?? 1 });
        return;
      case 'number':
        if (number === undefined) this.#own(full, value);
        else this.#add(role.type, role.type === 'pressure' ? hectopascal(number) : number, full);
        return;
      case 'state': {
        const state = truthOf(value) ?? scalarOf(value);
        if (state !== undefined) this.#add(role.type, state, full);
        return;
      }
      case 'percent':
      case 'volts':
        if (number === undefined || number < 0) this.#own(full, value);
        else this.#battery(full, number, isPercent(name, role.is, number));
        return;
      case 'sos':
      case 'alarm':
        this.#alarm(full, value, role.is === 'sos');
        return;
      default:
        this.#own(full, value);
    }
  }

  /** @param isPercent unless the value exceeds 100: then it is millivolts */
  #battery(name: string, value: number, isPercent: boolean): void {
    if (isPercent && value <= 100) {
      this.#point.batteryPct ??= value;
      this.#add('battery', value, name);
      return;
    }
    const volts = value > 100 ? value / 1000 : value;
    this.#point.batteryVoltage ??= volts;
    this.#add('battery_voltage', volts, name);
  }

  #alarm(name: string, value: unknown, isSos: boolean): void {
    const alarm = alarmOf(truthOf(value) ?? value);
    if (alarm === undefined) {
      if (truthOf(value) === undefined) this.#own(name, value);
      return;
    }
    const bits = isSos ? ALERT.button : alarm.alertType;
    this.#point.alertType = (this.#point.alertType ?? 0) | bits;
    const word = /^(true|1|on|alarm)$/i.test(alarm.name) ? 'general' : alarm.name;
    this.#add('alarm', isSos ? 'sos' : word, name);
  }

  #claim(role: PlaceRole, value: unknown, factor: number): boolean {
    if (role === 'time') {
      const time = timeOf(value);
      if (time === undefined) return false;
      if (time >= CLOCKS_RUN_SINCE) this.#point.timestamp ??= time;
      return true;
    }
    const number = numberOf(value);
    if (number === undefined) return false;
    const key = KEYS[role];
    if (this.#point[key] === undefined) Object.assign(this.#point, { [key]: round(number * factor) });
    return true;
  }

  /** Uses the field name as the reading type. */
  #own(name: string, value: unknown): void {
    const scalar = scalarOf(value);
    if (scalar !== undefined) this.#add(name, scalar, name);
  }

  #add(type: string, value: unknown, field: string): void {
    const name = nameOf(type, MAX_TYPE);
    if (name === undefined || this.#readings.length >= MAX_ATTRIBUTES) return;
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    // The first temperature is plain `temp`, the next one `temp2`.
    const numbered = count === 1 ? name : `${name}${count}`;
    this.#readings.push({ type: numbered, value, ...(numbered !== field && { field: field.slice(0, MAX_TYPE) }) });
  }
}

const round = (value: number) => Math.round(value * 1e6) / 1e6;
/** Air pressure never reaches 2000 hPa: larger values are pascal. */
const hectopascal = (value: number) => (value > 2000 ? round(value / 100) : value);
/** A field named only `battery` is percent or volts: no battery of a sensor has more than 5 V. */
function isPercent(name: string, role: 'percent' | 'volts', value: number): boolean {
  if (role === 'volts') return /^batt?$/i.test(name) && value > 20;
  return !/^battery$/i.test(name) || value === 0 || value > 5;
}

function scalarOf(value: unknown): number | boolean | string | undefined {
  if (typeof value === 'boolean') return value;
  return typeof value === 'number' ? numberOf(value) : textOf(value);
}

function axesOf({ x, y, z, ...others }: Json): number[] | undefined {
  const axes = [x, y, z];
  const isThem =
    axes.every((one) => typeof one === 'number' && Number.isFinite(one)) && Object.keys(others).length === 0;
  return isThem ? (axes as number[]) : undefined;
}
