import { recentlyUsed } from '../../recently-used.ts';
import type { SlotNamer } from '../slots/slot-namer.ts';

/**
 * Statements for a database that is spread by slot. Where all rows that a statement names are of one
 * slot, as those of a batch are, it says so by a single number everywhere: `"slot" = $3` instead of a list, a join or a
 * rest of a division. Then Citus knows before it runs that one worker has all of it, and sends it there whole.
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
  return given
    ? ofGivenRows(
        sql,
        given[1]!.split(', ').map((name) => name.slice(1, -1)),
      )
    : ofNamedRows(sql);
}

/** All that a statement for many rows touches is of these rows. */
function ofGivenRows(sql: string, columns: readonly string[]): OneSlotText | undefined {
  const ids = new Set<number>();
  for (const [, , , , key] of sql.matchAll(CONDITION)) if (key !== undefined) ids.add(columns.indexOf(key) + 1);
  const slots = columns.includes('slot') ? [columns.indexOf('slot') + 1] : [];
  if (ids.has(0) || slots.length + ids.size === 0) return undefined;
  const added = columns.length + 1;
  if (sql.includes(`$${added}`)) return undefined;
  return {
    sql: sql.replace(CONDITION, (_all, column: string, _list, _one, _key, other?: string) =>
      other === undefined ? `${column} = $${added}` : `${column} = $${added} AND ${other} = $${added}`,
    ),
    slots,
    ids: [...ids],
    added,
  };
}

/** Rows that are joined by their slot with rows of one slot are of that slot too. */
function ofNamedRows(sql: string): OneSlotText | undefined {
  const found = [...sql.matchAll(CONDITION)];
  const numbers = [...new Set(found.flatMap(([, , list, one]) => ((list ?? one) ? [Number(list ?? one)] : [])))];
  const [own] = numbers;
  if (own === undefined || namesTwice(sql)) return undefined;
  const known = new Set(found.flatMap(([, column, list, one]) => ((list ?? one) ? [ownerOf(column!)] : [])));
  for (let before = -1; before < known.size; ) {
    before = known.size;
    for (const [, column, , , , other] of found)
      if (other !== undefined && (known.has(ownerOf(column!)) || known.has(ownerOf(other))))
        known.add(ownerOf(column!)).add(ownerOf(other));
  }
  const text = sql.replace(
    CONDITION,
    (all: string, column: string, list?: string, one?: string, _key?: string, other?: string) => {
      if (list ?? one) return `${column} = $${list ?? one}`;
      return other === undefined || !known.has(ownerOf(column)) ? all : `${column} = $${own} AND ${other} = $${own}`;
    },
  );
  return { sql: text, slots: numbers, ids: [], added: undefined };
}

const ownerOf = (column: string) => column.slice(0, -'"slot"'.length).replaceAll('"', '');

/** Whether one name stands for two tables, in parts of the statement: then it is not known which of them is joined. */
function namesTwice(sql: string): boolean {
  const names = [
    ...sql.matchAll(
      /\b(?:from|join)\s+"(\w+)"(?:\s+as)?(?:\s+(?!where\b|on\b|set\b|left\b|inner\b|join\b|order\b|limit\b)"?(\w+)"?)?/gi,
    ),
  ];
  const owners = names.map(([, table, alias]) => alias ?? table!);
  return new Set(owners).size < owners.length;
}

/** The slots that the parameters name, in their order. */
export function slotsNamed({ slots, ids }: OneSlotText, cells: readonly unknown[], count: number): number[] {
  const found = new Set<number>();
  for (const number of slots) for (const slot of numbersOf(cells[number - 1])) found.add(slot);
  for (const number of ids) for (const id of numbersOf(cells[number - 1])) found.add(id % count);
  return [...found].sort((a, b) => a - b);
}

/** The numbers of a cell that is one, or a list as PostgreSQL writes it. */
function numbersOf(cell: unknown): number[] {
  if (typeof cell === 'number') return [cell];
  const text = String(cell);
  return text.startsWith('{') ? text.slice(1, -1).split(',').map(Number) : [Number(text)];
}

/** Texts whose form for one slot is remembered. */
const REMEMBERED = 3000;
/** What Citus does for rows of one slot only. */
const ONE_AT_A_TIME = /\bFOR (?:NO KEY )?(?:UPDATE|SHARE)\b|^WITH given .*\bUPDATE "/is;

/**
 * What is sent for a statement. Rows of several slots are locked and changed slot by slot, always in the order of slots, so
 * that two transactions never wait for each other; what each answers belongs to the same answer.
 */
export function oneSlotNamer(named: SlotNamer, slots: number): SlotNamer {
  const textOf = recentlyUsed(REMEMBERED, (sql) => ({ text: oneSlotText(sql), isSplit: ONE_AT_A_TIME.test(sql) }));
  return (sql, cells) => {
    const sent = named(sql, cells);
    const { text, isSplit } = textOf(sent.sql);
    if (text === undefined) return sent;
    const found = slotsNamed(text, sent.cells, slots);
    if (found.length === 0 || (found.length > 1 && !isSplit)) return sent;
    const [first, ...more] = found.map((slot) => ofSlot(text, sent.cells, slot));
    return { ...first!, form: 'one', more };
  };
}

function ofSlot(text: OneSlotText, cells: readonly unknown[], slot: number) {
  if (text.added !== undefined) return { sql: text.sql, cells: [...cells, slot] };
  return { sql: text.sql, cells: cells.map((cell, index) => (text.slots.includes(index + 1) ? slot : cell)) };
}
