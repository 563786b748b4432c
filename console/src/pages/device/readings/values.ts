import type { Reading } from '../../../api/readings.ts';
import type { useFormat } from '../../../format/use-format.ts';
import { numberWith, scaleOf } from '../../../forms/reading-type.ts';
import { t } from '../../../texts/t.ts';

type Format = ReturnType<typeof useFormat>;

/** The numbers of a value: a single one without a name, or the numbers of an object by key. */
export function numbersIn(value: unknown): Readonly<Record<string, number>> {
  if (typeof value === 'number') return { '': value };
  if (typeof value === 'boolean') return { '': value ? 1 : 0 };
  if (typeof value !== 'object' || value === null) return {};
  const entries: [string, unknown][] = Array.isArray(value)
    ? value.map((one, index) => [String(index), one])
    : Object.entries(value);
  return Object.fromEntries(entries.filter((entry): entry is [string, number] => typeof entry[1] === 'number'));
}

const LONGEST = 120;

/** Any value as text. */
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

/** An object of a few simple values is more readable without braces. */
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
