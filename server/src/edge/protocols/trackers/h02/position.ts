import type { AlarmWord } from '../alarm-words.ts';
import { cellReadings, type NearCell } from '../record/networks.ts';
import {
  countOf,
  decimalOf,
  degreesOf,
  epochOfDigits,
  hexOf,
  isBitSet,
  KMH_PER_KNOT,
  placeOf,
  readingsOf,
  towards,
} from '../text/numbers.ts';
import type { TrackerReading, TrackerRecord } from '../tracker.ts';

/** Index of the time in `hhmmss,A,lat,N,lon,E,…`, found by the hemisphere letters; -1 if absent. */
export const positionAt = (fields: readonly string[]) =>
  fields.findIndex((_, index) => /^[NS]$/.test(fields[index + 3] ?? '') && /^[EW]$/.test(fields[index + 5] ?? ''));

export function positionOf(fields: readonly string[], at: number): TrackerRecord {
  const [time, flag, lat, ns, lng, ew, speed, course] = fields.slice(at, at + 8) as string[];
  const remaining = fields.slice(at + 8);
  const hasLevel = isDate(remaining[1]) && countOf(remaining[0]) !== undefined && !isDate(remaining[0]);
  const [date, ...afterDate] = hasLevel ? remaining.slice(1) : remaining;
  const timestamp = epochOfDigits(date, 'dmy', time);
  const { word, tail, iccid } = statusAfter(afterDate);
  const status = statusOf(word);
  const extras = extrasOf(tail);
  const knots = decimalOf(speed);
  return {
    timestamp,
    ...placeOf(coordinateOf(lat, ns), coordinateOf(lng, ew), /^(?:A|\d+)$/.test(flag ?? '') && timestamp !== undefined),
    speedKmh: knots === undefined ? undefined : knots * KMH_PER_KNOT,
    courseDeg: decimalOf(course),
    altitudeM: extras.altitudeM,
    batteryPct: batteryOf(hasLevel ? countOf(remaining[0]) : extras.level),
    readings: [...(status.readings ?? []), ...readingsOf({ iccid }), ...(extras.readings ?? [])],
    standingAlarms: status.standingAlarms,
  };
}

/** `ddmm.mmmm`; or `ddmmmmmm`, with four decimals of a minute; or `-dd-mm.mmmm`, whose first sign is meaningless. */
export function coordinateOf(text: string | undefined, hemisphere: string | undefined): number | undefined {
  const [, degrees, minutes] = /^-(\d{1,3})-(\d{1,2}(?:\.\d{1,10})?)$/.exec(text ?? '') ?? [];
  if (minutes !== undefined) return towards(Number(degrees) + Number(minutes) / 60, hemisphere);
  const [, whole, decimals] = /^(\d{3,5})(\d{4})$/.exec(text ?? '') ?? [];
  return degreesOf(decimals === undefined ? text : `${whole}.${decimals}`, hemisphere);
}

const isDate = (text: string | undefined) => /^\d{6}$/.test(text ?? '');
const isWord = (text: string | undefined) => /^[0-9a-f]{8}$/i.test(text ?? '');

/** The status follows the date, or `,phone,iccid,` precedes it. */
function statusAfter(fields: readonly string[]): { word?: number; tail: readonly string[]; iccid?: string } {
  if (isWord(fields[0])) return { word: hexOf(fields[0]), tail: fields.slice(1) };
  if (!isWord(fields[3])) return { tail: [] };
  const [, iccid] = /^(\d{18,20})/.exec(fields[2]!) ?? [];
  return { word: hexOf(fields[3]), tail: fields.slice(4), iccid };
}

interface Extras {
  readonly readings?: readonly TrackerReading[];
  readonly level?: number;
  readonly altitudeM?: number;
}

/**
 * After the status: `mcc,mnc,lac,cid,level`, or `odometer,temperature,fuel,altitude,lac,cid`, depending on the
 * manufacturer.
 */
function extrasOf(tail: readonly string[]): Extras {
  if (tail.length === 6 && /^\d+\.\d+$/.test(tail[2]!)) return vehicleOf(tail);
  const cell = cellOf(tail);
  if (!cell) return {};
  const level = countOf(tail[4]);
  return { readings: cellReadings([cell]), level: level !== undefined && level <= 6 ? level : undefined };
}

function vehicleOf([odometer, temp, fuel, altitude, lac, cid]: readonly string[]): Extras {
  const cell = { lac: hexOf(lac) ?? 0, cid: hexOf(cid) ?? 0 };
  return {
    altitudeM: decimalOf(altitude),
    readings: [
      ...readingsOf({ odometer_m: countOf(odometer), temp: decimalOf(temp), fuel_pct: decimalOf(fuel) }),
      ...cellReadings([cell]),
    ],
  };
}

/** Some devices send cell numbers in decimal, others in hexadecimal: the country code shows which. */
function cellOf([first, second, third, fourth]: readonly string[]): NearCell | undefined {
  if (fourth === undefined) return undefined;
  const decimal = countOf(first);
  const isDecimal = isCountry(decimal);
  const mcc = isDecimal ? decimal : hexOf(first);
  if (!isCountry(mcc)) return undefined;
  const read = (text: string | undefined) => (isDecimal ? countOf(text) : undefined) ?? hexOf(text) ?? 0;
  const [lac, cid] = [read(third), read(fourth)];
  // An area code has 16 bits; if the cell comes first, it is the longer number.
  return lac > 0xffff && cid <= 0xffff
    ? { mcc, mnc: read(second), lac: cid, cid: lac }
    : { mcc, mnc: read(second), lac, cid };
}

const isCountry = (code: number | undefined): code is number => code !== undefined && code >= 200 && code <= 799;

/** An alarm is active while its bit is 0. */
const ALARM_BITS: readonly (readonly [number, AlarmWord])[] = [
  [0, 'vibration'],
  [1, 'sos'],
  [2, 'overspeed'],
  [18, 'sos'],
  [19, 'powerCut'],
];
const IGNITION_BIT = 10;

/** Decodes the status word. A word of zeros, which would mean all alarms at once, is an unset word. */
export function statusOf(word: number | undefined): Pick<TrackerRecord, 'readings' | 'standingAlarms'> {
  if (!word) return {};
  return {
    readings: readingsOf({ ignition: isBitSet(word, IGNITION_BIT) }),
    standingAlarms: [...new Set(ALARM_BITS.filter(([bit]) => !isBitSet(word, bit)).map(([, alarm]) => alarm))],
  };
}

const LEVELS: Readonly<Record<number, number>> = { 1: 0, 2: 10, 3: 20, 4: 60, 5: 80, 6: 100 };

/** Battery percentage, sent as one of six levels or in percent. */
export function batteryOf(value: number | undefined): number | undefined {
  if (value === undefined || value === 0) return undefined;
  if (value >= 0xf1 && value <= 0xf6) return LEVELS[value - 0xf0];
  return LEVELS[value] ?? (value <= 100 ? value : undefined);
}
