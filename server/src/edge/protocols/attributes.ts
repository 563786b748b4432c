import type { ReportedReading } from '../../reports.ts';
import { nameOf, numberOf, textOf } from './claims.ts';
import { MAX_ATTRIBUTES, MAX_TYPE } from './limits.ts';

/** Converts the attributes of a position to readings, so that charts and triggers can use them. */

/** Attribute names with a reading type of the product. */
const TYPES: Readonly<Record<string, string>> = { temperature: 'temp', ign: 'ignition', uext: 'ext_voltage' };
const UNITS: Readonly<Record<string, string>> = { hmc: 's', don: 's', doff: 's', flvl: '%', aiv: 'V', uext: 'V' };

const own = (map: Readonly<Record<string, string>>, name: string) => (Object.hasOwn(map, name) ? map[name] : undefined);

export type Attribute = readonly [name: string, value: unknown];

/** Converts attributes up to the limit. Ignores values that are not a number, boolean or text. */
export function readingsOf(attributes: Iterable<Attribute>, timestamp: number | undefined): ReportedReading[] {
  const readings: ReportedReading[] = [];
  for (const [name, sent] of attributes) {
    if (readings.length === MAX_ATTRIBUTES) break;
    const type = nameOf(name, MAX_TYPE);
    const value = scalarOf(sent);
    if (type === undefined || value === undefined) continue;
    const unit = own(UNITS, type);
    readings.push(readingOf(own(TYPES, type) ?? type, value, timestamp, unit === undefined ? undefined : { unit }));
  }
  return readings;
}

export function readingOf(
  type: string,
  value: unknown,
  timestamp: number | undefined,
  meta?: Record<string, unknown>,
): ReportedReading {
  return { ...(timestamp === undefined ? {} : { timestamp }), type, value, ...(meta === undefined ? {} : { meta }) };
}

function scalarOf(value: unknown): number | boolean | string | undefined {
  if (typeof value === 'boolean') return value;
  return typeof value === 'number' ? numberOf(value) : textOf(value);
}

/** Text that looks like a number but must stay text: 007, or more digits than a number can hold. */
const isName = (text: string, number: number) =>
  /^[+-]?0\d/.test(text) || text.startsWith('+') || (Number.isInteger(number) && !Number.isSafeInteger(number));

/** Converts a value of a query or form: a number if possible, else true or false, else text. */
export function typedText(sent: string): number | boolean | string {
  const number = numberOf(sent);
  if (number !== undefined && !isName(sent.trim(), number)) return number;
  if (/^true$/i.test(sent)) return true;
  return /^false$/i.test(sent) ? false : sent;
}
