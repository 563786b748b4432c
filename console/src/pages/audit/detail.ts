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
      const said = (one: unknown) => (typeof one === 'string' && VALUES[name]?.(one)) || textOf(one);
      return `${wordsOf(name)}: ${Array.isArray(value) ? value.map(said).join(', ') : said(value)}`;
    })
    .join(' · ')
    .slice(0, MOST);
}

/** `somethingNew`, which has no text yet, becomes "something new". */
function wordsOf(name: string): string {
  return textFor(t.audit.details, name) ?? name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function textOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? t.audit.yes : t.audit.no;
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return dateTime(value);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
