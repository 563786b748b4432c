import {
  countOf,
  type DateOrder,
  decimalOf,
  degreesOf,
  epochOfDigits,
  hexOf,
  placeOf,
  readingsOf,
} from '../text/numbers.ts';
import type { TrackerRecord } from '../tracker.ts';

/** The date is the six digits before the flag, regardless of the preceding fields. Commas and spaces are optional. */
const PLACE = /(\d{6}),?([AV]),? *(\d{0,3}?\d{1,2}\.\d{1,8})([NS]),? *(\d{0,3}?\d{1,2}\.\d{1,8})([EW]),?/;

/** speed hhmmss course power acc io fuel L odometer */
const GLUED =
  /^([ \d.]{1,5})(?:\d*,)?(\d{6}),?(?:(?:([ \d.]{6})|(\d\d)),?([01])([01])([0-9A-F]{3})([0-9A-F]{3})L([0-9A-F]{1,8})|(\d+\.\d+))?/i;

/** speed, hhmmss, course, altitude, satellites */
const WITH_COMMAS = /^ *(\d+\.?\d*), *(\d{6})(?:,([^,]*))?(?:,([^,]*))?(?:,([^,]*))?/;

export function positionIn(data: string, order: DateOrder): TrackerRecord | undefined {
  const found = PLACE.exec(data);
  if (!found) return undefined;
  const [whole, date, flag, lat, ns, lng, ew] = found as unknown as string[];
  const remaining = data.slice(found.index + whole!.length);
  const { time, ...reported } = WITH_COMMAS.test(remaining) ? withCommas(remaining) : glued(remaining);
  return {
    timestamp: epochOfDigits(date, order, time),
    ...placeOf(degreesOf(lat, ns), degreesOf(lng, ew), flag === 'A'),
    ...reported,
  };
}

type Reported = Partial<TrackerRecord> & { readonly time?: string };

function withCommas(remaining: string): Reported {
  const [, speed, time, course, altitude, sats] = WITH_COMMAS.exec(remaining) ?? [];
  return {
    time,
    speedKmh: decimalOf(speed),
    courseDeg: decimalOf(course),
    altitudeM: decimalOf(altitude),
    sats: countOf(sats),
  };
}

function glued(remaining: string): Reported {
  const [, speed, time, course, short, power, acc, , fuel, odometer, alone] = GLUED.exec(remaining) ?? [];
  const [, temp] = /([+-]\d{3}\.\d)$/.exec(remaining) ?? [];
  return {
    time,
    speedKmh: decimalOf(speed),
    courseDeg: decimalOf(course ?? short ?? alone),
    isCharging: power === undefined ? undefined : power === '0',
    readings: readingsOf({
      ignition: acc === undefined ? undefined : acc === '1',
      fuel_raw: hexOf(fuel),
      odometer_m: hexOf(odometer),
      temp: decimalOf(temp),
    }),
  };
}
