import type { SlotNamer } from '../slots/slot-namer.ts';

/**
 * Statements of the path of a fix, for a database that is spread by slot. Where all rows that a statement names are of one
 * slot, as those of a batch are, it says so by a single number everywhere: `"slot" = $3` instead of a list, a join or a
 * rest of a division. Then Citus knows before it runs that one worker has all of it, and sends it there whole.
 *
 * Only for texts that are constant in the code: their conditions are all of one device, or of the rows `given`.
 */
export interface OneSlotText {
  readonly sql: string;
  /** What says the slot: parameters with slots, and those with ids of devices. */
  readonly slots: readonly number[];
  readonly ids: readonly number[];
  /** The parameter that is added, if any. */
  readonly added: number | undefined;
}

const GIVEN = /^WITH given \(([^)]*)\) AS \(SELECT \* FROM unnest\(([^)]*)\)\)/;
const COLUMN = String.raw`(?:(?:"?\w+"?)\.)?"slot"`;
const CONDITION = new RegExp(
  String.raw`(${COLUMN}) (?:= (?:ANY\(\$(\d+)\)|\$(\d+)\b|CAST\(given\."(\w+)" % \d+ AS SMALLINT\)|(${COLUMN}))|IN \(SELECT "slot" FROM given\))`,
  'g',
);

/** Undefined where a text does not say which slots it is about. */
export function oneSlotText(sql: string): OneSlotText | undefined {
  const given = GIVEN.exec(sql);
  const columns = given?.[1]!.split(', ').map((name) => name.slice(1, -1)) ?? [];
  const slots = new Set<number>();
  const ids = new Set<number>();
  for (const [, , list, one, key] of sql.matchAll(CONDITION)) {
    if (list ?? one) slots.add(Number(list ?? one));
    if (key !== undefined) ids.add(columns.indexOf(key) + 1);
  }
  if (columns.includes('slot')) slots.add(columns.indexOf('slot') + 1);
  if (ids.has(0) || slots.size + ids.size === 0) return undefined;
  const [own] = given ? [] : slots;
  const highest = Math.max(...[...sql.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
  const slot = `$${own ?? highest + 1}`;
  const text = sql.replace(
    CONDITION,
    (_all, column: string, list?: string, one?: string, _key?: string, other?: string) => {
      const parameter = given ? slot : `$${list ?? one ?? own}`;
      return other === undefined || given ? `${column} = ${parameter}` : `${column} = ${slot} AND ${other} = ${slot}`;
    },
  );
  return { sql: text, slots: [...slots], ids: [...ids], added: own === undefined ? highest + 1 : undefined };
}

/** The one slot that the parameters name, or undefined where they name several. */
export function oneSlotOf({ slots, ids }: OneSlotText, cells: readonly unknown[], count: number): number | undefined {
  const found = new Set<number>();
  for (const number of slots) for (const slot of numbersOf(cells[number - 1])) found.add(slot);
  for (const number of ids) for (const id of numbersOf(cells[number - 1])) found.add(id % count);
  return found.size === 1 ? [...found][0] : undefined;
}

/** The numbers of a cell that is one, or a list as PostgreSQL writes it. */
function numbersOf(cell: unknown): number[] {
  if (typeof cell === 'number') return [cell];
  const text = String(cell);
  return text.startsWith('{') ? text.slice(1, -1).split(',').map(Number) : [Number(text)];
}

/** @param isConstant whether a text is one of the code, before slots were named in it */
export function oneSlotNamer(named: SlotNamer, slots: number, isConstant: (sql: string) => boolean): SlotNamer {
  const texts = new Map<string, OneSlotText | undefined>();
  return (sql, cells) => {
    const sent = named(sql, cells);
    if (!isConstant(sql)) return sent;
    if (!texts.has(sql)) texts.set(sql, oneSlotText(sent.sql));
    const text = texts.get(sql);
    const slot = text && oneSlotOf(text, sent.cells, slots);
    if (slot === undefined) return sent;
    const own = new Set(text!.added === undefined ? text!.slots : []);
    const values = sent.cells.map((cell, index) => (own.has(index + 1) ? slot : cell));
    return { sql: text!.sql, cells: text!.added === undefined ? values : [...values, slot], form: 'one' };
  };
}
