import { dateTime } from '../../format/times.ts';
import { t, textFor } from '../../texts/t.ts';

const MOST = 300;

/** The changed values in one line: "rights: view · user id: 7". */
export function detailOf(detail: Readonly<Record<string, unknown>> | null): string {
  return Object.entries(detail ?? {})
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${wordsOf(name)}: ${Array.isArray(value) ? value.join(', ') : textOf(value)}`)
    .join(' · ')
    .slice(0, MOST);
}

/** `somethingNew`, which has no text yet, becomes "something new". */
const wordsOf = (name: string) =>
  textFor(t.audit.details, name) ?? name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

function textOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? t.audit.yes : t.audit.no;
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return dateTime(value);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
