import { degreesOf, placeOf } from '../text/degrees.ts';
import { countOf, decimalOf, isBitSet } from '../text/numbers.ts';
import { readingsOf, textOf } from '../text/readings.ts';
import { epochOfDigits } from '../text/times.ts';
import { readable } from '../text/utf8.ts';
import type { TrackerReading, TrackerRecord } from '../tracker.ts';
import { parametersOf } from './parameters.ts';

export const SHORT_FIELDS = 10;
export const LONG_FIELDS = 16;

/** What is answered: 1, or what is wrong. */
export type MessageVerdict = -1 | 0 | 1 | 10;

export interface Message {
  readonly verdict: MessageVerdict;
  readonly record?: TrackerRecord;
}

/** ddmmyy;hhmmss;lat;N;lon;E;speed;course;altitude;satellites, and in the long form what `extrasOf` reads. */
export function messageOf(body: string): Message {
  const fields = body.split(';');
  if (fields.length < SHORT_FIELDS) return { verdict: -1 };
  const [date, time, lat, ns, lng, ew, speed, course, altitude, sats] = fields.map(orNothing);
  const timestamp = epochOfDigits(date, 'dmy', time);
  if (timestamp === undefined && (date !== undefined || time !== undefined)) return { verdict: 0 };
  const [north, east] = [degreesOf(lat, ns), degreesOf(lng, ew)];
  if ((north === undefined && lat !== undefined) || (east === undefined && lng !== undefined)) return { verdict: 10 };
  const satellites = countOf(sats);
  return {
    verdict: 1,
    record: {
      timestamp,
      ...placeOf(north, east, satellites === undefined || satellites >= 3),
      speedKmh: decimalOf(speed),
      courseDeg: decimalOf(course),
      altitudeM: decimalOf(altitude),
      sats: satellites,
      ...extrasOf(fields.slice(SHORT_FIELDS).map(orNothing)),
    },
  };
}

const orNothing = (field: string) => (field.trim() === 'NA' || field.trim() === '' ? undefined : field.trim());

/** hdop;inputs;outputs;adc,adc;ibutton;parameters */
function extrasOf(fields: readonly (string | undefined)[]): Partial<TrackerRecord> {
  const [hdop, inputs, outputs, adc, driver, parameters] = fields;
  if (fields.length === 0) return {};
  const { readings = [], ...told } = parametersOf(parameters ?? '');
  return {
    ...told,
    hdop: decimalOf(hdop),
    readings: [
      ...bitsOf('din', countOf(inputs)),
      ...bitsOf('dout', countOf(outputs)),
      ...(adc ?? '')
        .split(',')
        .slice(0, 16)
        .flatMap((value, index) => readingsOf({ [`ain${index + 1}`]: decimalOf(value) })),
      ...readingsOf({ driver_id: driver === undefined ? undefined : textOf(readable(driver), 100) }),
      ...readings,
    ],
  };
}

const LEAST_BITS = 4;
const MOST_BITS = 16;

function bitsOf(name: string, word: number | undefined): TrackerReading[] {
  if (word === undefined) return [];
  const count = Math.min(MOST_BITS, Math.max(LEAST_BITS, word === 0 ? 0 : Math.floor(Math.log2(word)) + 1));
  return Array.from({ length: count }, (_, bit) => ({ type: `${name}${bit + 1}`, value: isBitSet(word, bit) }));
}
