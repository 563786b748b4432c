import { cellReadings, type NearCell } from '../record/cells.ts';
import { degreesOf, KMH_PER_KNOT, placeOf, towards } from '../text/degrees.ts';
import { countOf, decimalOf, hexOf } from '../text/numbers.ts';
import { readingsOf } from '../text/readings.ts';
import { epochOfDigits } from '../text/times.ts';
import type { TrackerReading, TrackerRecord } from '../tracker.ts';
import { batteryOf, statusOf } from './status.ts';

/** Index of the time in `hhmmss,A,lat,N,lon,E,…`, found by the letters of the hemispheres; -1 if there is none. */
export const positionAt = (fields: readonly string[]) =>
  fields.findIndex((_, index) => /^[NS]$/.test(fields[index + 3] ?? '') && /^[EW]$/.test(fields[index + 5] ?? ''));

export function positionOf(fields: readonly string[], at: number): TrackerRecord {
  const [time, flag, lat, ns, lng, ew, speed, course] = fields.slice(at, at + 8) as string[];
  const rest = fields.slice(at + 8);
  const hasLevel = isDate(rest[1]) && countOf(rest[0]) !== undefined && !isDate(rest[0]);
  const [date, ...afterDate] = hasLevel ? rest.slice(1) : rest;
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
    batteryPct: batteryOf(hasLevel ? countOf(rest[0]) : extras.level),
    readings: [...(status.readings ?? []), ...readingsOf({ iccid }), ...(extras.readings ?? [])],
    standingAlarms: status.standingAlarms,
  };
}

/** `ddmm.mmmm`; or `ddmmmmmm`, of which four digits are decimals of a minute; or `-dd-mm.mmmm`, whose first sign is none. */
export function coordinateOf(text: string | undefined, hemisphere: string | undefined): number | undefined {
  const [, degrees, minutes] = /^-(\d{1,3})-(\d{1,2}(?:\.\d{1,10})?)$/.exec(text ?? '') ?? [];
  if (minutes !== undefined) return towards(Number(degrees) + Number(minutes) / 60, hemisphere);
  const [, whole, decimals] = /^(\d{3,5})(\d{4})$/.exec(text ?? '') ?? [];
  return degreesOf(decimals === undefined ? text : `${whole}.${decimals}`, hemisphere);
}

const isDate = (text: string | undefined) => /^\d{6}$/.test(text ?? '');
const isWord = (text: string | undefined) => /^[0-9a-f]{8}$/i.test(text ?? '');

/** The status follows the date, or `,phone,iccid,` does before it. */
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

/** After the status: `mcc,mnc,lac,cid,level`, or `odometer,temperature,fuel,altitude,lac,cid`; makers differ. */
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

/** Some write the numbers of a cell in decimal, others in hexadecimal: country codes tell which. */
function cellOf([first, second, third, fourth]: readonly string[]): NearCell | undefined {
  if (fourth === undefined) return undefined;
  const decimal = countOf(first);
  const isDecimal = isCountry(decimal);
  const mcc = isDecimal ? decimal : hexOf(first);
  if (!isCountry(mcc)) return undefined;
  const read = (text: string | undefined) => (isDecimal ? countOf(text) : undefined) ?? hexOf(text) ?? 0;
  const [lac, cid] = [read(third), read(fourth)];
  // The number of an area has 16 bits; where the cell comes first, it is the longer one.
  return lac > 0xffff && cid <= 0xffff
    ? { mcc, mnc: read(second), lac: cid, cid: lac }
    : { mcc, mnc: read(second), lac, cid };
}

const isCountry = (code: number | undefined): code is number => code !== undefined && code >= 200 && code <= 799;
