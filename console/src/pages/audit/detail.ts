import { dateTime } from '../../format/times.ts';
import { labelOfType } from '../../forms/trigger-types.ts';
import { t, textFor } from '../../texts/t.ts';

const MOST = 300;

/** Texts of values that the server names by words. */
const VALUES: Readonly<Record<string, (value: string) => string | undefined>> = {
  type: labelOfType,
  // Without the dots of a menu.
  command: (value) => COMMANDS[value]?.label.replace(/…$/, ''),
  rights: (value) => textFor(t.users.right, value),
  fields: wordsOf,
  how: (value) =>
    value
      .split(' and ')
      .map((way) => textFor(t.audit.ways, way) ?? way)
      .join(' + '),
};
const COMMANDS: Readonly<Record<string, { readonly label: string }>> = t.deviceCommands.commands;

/** The changed values in one line: "rights: view · user id: 7". */
export function detailOf(detail: Readonly<Record<string, unknown>> | null, groupName: (id: number) => string): string {
  return Object.entries(detail ?? {})
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => {
      if (name === 'groupId') return `${wordsOf(name)}: ${groupName(value as number)}`;
      return `${wordsOf(name)}: ${said(name, value)}`;
    })
    .join(' · ')
    .slice(0, MOST);
}

/** Whether the line leaves something out, or shows values inside of others. */
export const isShortened = (detail: Readonly<Record<string, unknown>> | null): boolean =>
  JSON.stringify(detail).length > MOST || Object.values(detail ?? {}).some(isObject);

const isObject = (value: unknown): value is object =>
  Array.isArray(value) ? value.some(isObject) : typeof value === 'object' && value !== null;

function said(name: string, value: unknown): string {
  if (Array.isArray(value)) return value.map((one) => said(name, one)).join(', ');
  if (isObject(value))
    return Object.entries(value)
      .map(([inner, one]) => `${wordsOf(inner)} ${said(inner, one)}`)
      .join(', ');
  return (typeof value === 'string' && VALUES[name]?.(value)) || textOf(value);
}

/** `somethingNew`, which has no text yet, becomes "something new". */
function wordsOf(name: string): string {
  return textFor(t.audit.details, name) ?? name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function textOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? t.audit.yes : t.audit.no;
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return dateTime(value);
  return value === null ? '–' : String(value);
}
