import type { Reading } from '../../../api/readings.ts';
import type { useFormat } from '../../../format/use-format.ts';
import { t } from '../../../texts/t.ts';

type Format = ReturnType<typeof useFormat>;

/** What a value says in numbers: one without a name, or those of an object by their names. */
export function numbersIn(value: unknown): Readonly<Record<string, number>> {
  if (typeof value === 'number') return { '': value };
  if (typeof value === 'boolean') return { '': value ? 1 : 0 };
  if (typeof value !== 'object' || value === null) return {};
  const entries: [string, unknown][] = Array.isArray(value)
    ? value.map((one, index) => [String(index), one])
    : Object.entries(value);
  return Object.fromEntries(entries.filter((entry): entry is [string, number] => typeof entry[1] === 'number'));
}

/** Temperatures are kept in °C and shown as the viewer likes them. */
const isTemperature = (type: string) => /^temp(_|$)/.test(type);

const toFahrenheit = (celsius: number) => (celsius * 9) / 5 + 32;

/** How the numbers of a type are shown: the number in the viewer's unit, and that unit. */
export function scaleOf(type: string, units: Format['units']): { unit: string; shown: (value: number) => number } {
  if (!isTemperature(type)) return { unit: t.deviceReadings.units[type] ?? '', shown: (value) => value };
  return units.temperature === 'fahrenheit'
    ? { unit: '°F', shown: toFahrenheit }
    : { unit: '°C', shown: (value) => value };
}

export const nameOfType = (type: string) => t.deviceReadings.names[type] ?? type;

const DIGITS = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 });

/** Two digits behind the point; what rounds to zero has no sign. */
export const numberWith = (value: number, unit: string) =>
  `${DIGITS.format(Math.abs(value) < 0.005 ? 0 : value)}${unit && ` ${unit}`}`;

const LONGEST = 120;

/** Any value in words. */
export function valueInWords({ type, value }: Pick<Reading, 'type' | 'value'>, format: Format): string {
  if (typeof value === 'number') {
    const { unit, shown } = scaleOf(type, format.units);
    return numberWith(shown(value), unit);
  }
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? t.deviceReadings.yes : t.deviceReadings.no;
  const text = isPlain(value) ? plainInWords(value) : (JSON.stringify(value) ?? '');
  return text.length > LONGEST ? `${text.slice(0, LONGEST)} …` : text;
}

/** An object of a few simple values reads better without its braces. */
const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((one) => typeof one !== 'object');

function plainInWords(value: Record<string, unknown>): string {
  const entries = Object.entries(value);
  const words = (one: unknown) => (typeof one === 'number' ? numberWith(one, '') : String(one));
  if (entries.length === 1) return words(entries[0]![1]);
  return entries.map(([name, one]) => `${name} ${words(one)}`).join(', ');
}
