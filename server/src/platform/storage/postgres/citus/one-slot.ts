import type { SlotKeys } from '../../placement.ts';
import { recentlyUsed } from '../../recently-used.ts';
import { isSign, isWord } from '../slots/scopes.ts';
import type { NewIds, SlotNamer } from '../slots/slot-namer.ts';
import { closing } from '../slots/statement-parts.ts';
import { type Token, tokensOf } from '../slots/tokens.ts';
import { oneSlotInsert } from './one-slot-insert.ts';
import { ONE_SLOT, type OneSlotText, SEVERAL_SLOTS, type SlotForm } from './one-slot-text.ts';

const GIVEN = /^WITH given \(([^)]*)\) AS \(SELECT \* FROM unnest\(([^)]*)\)\)/;
const COLUMN = String.raw`(?:(?:"?\w+"?)\.)?"slot"`;
const CONDITION = new RegExp(
  String.raw`(${COLUMN}) (?:= (?:ANY\(\$(\d+)\)|\$(\d+)\b|CAST\(given\."(\w+)" % \d+ AS SMALLINT\)|(${COLUMN}))|IN \(SELECT "slot" FROM given\))`,
  'g',
);

/** Undefined where a text does not say which slots it is about. */
export function oneSlotText(sql: string, { bySlot, unspread = [] }: SlotKeys): OneSlotText | undefined {
  const given = GIVEN.exec(sql);
  if (!given) return ofNamedRows(sql);
  if (unspread.includes(/\b(?:UPDATE|INSERT INTO) "(\w+)"/.exec(sql)?.[1] ?? '')) return undefined;
  const insert = bySlot === undefined ? undefined : oneSlotInsert(sql, bySlot);
  return (
    insert ??
    ofGivenRows(
      sql,
      given[1]!.split(', ').map((name) => name.slice(1, -1)),
    )
  );
}

/** All that a statement for many rows touches is of these rows. */
function ofGivenRows(sql: string, columns: readonly string[]): OneSlotText | undefined {
  const ids = new Set<number>();
  for (const [, , , , key] of sql.matchAll(CONDITION)) if (key !== undefined) ids.add(columns.indexOf(key) + 1);
  const slots = columns.includes('slot') ? [columns.indexOf('slot') + 1] : [];
  if (ids.has(0) || slots.length + ids.size === 0) return undefined;
  const added = columns.length + 1;
  if (sql.includes(`$${added}`)) return undefined;
  const textOf = ({ is, areSame }: SlotForm) =>
    sql.replace(CONDITION, (_all, column: string, _list, _one, _key, other?: string) =>
      other === undefined ? is(column, added) : areSame(column, other, added),
    );
  return {
    one: textOf(ONE_SLOT),
    several: textOf(SEVERAL_SLOTS),
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
  for (const [inside, outside] of wholeRows(sql)) if (known.has(inside)) known.add(outside);
  for (let before = -1; before < known.size; ) {
    before = known.size;
    for (const [, column, , , , other] of found)
      if (other !== undefined && (known.has(ownerOf(column!)) || known.has(ownerOf(other))))
        known.add(ownerOf(column!)).add(ownerOf(other));
  }
  const textOf = ({ is, areSame }: SlotForm) =>
    sql.replace(
      CONDITION,
      (all: string, column: string, list?: string, one?: string, _key?: string, other?: string) => {
        if (list ?? one) return is(column, Number(list ?? one));
        return other === undefined || !known.has(ownerOf(column)) ? all : areSame(column, other, own);
      },
    );
  return { one: textOf(ONE_SLOT), several: textOf(SEVERAL_SLOTS), slots: numbers, ids: [], added: undefined };
}

const ownerOf = (column: string) => column.slice(0, -'"slot"'.length).replaceAll('"', '');

/** Of subqueries that give rows of a table as they are, `(SELECT d.* FROM "devices" d WHERE …) v`, the names inside and outside. */
function* wholeRows(sql: string): Generator<readonly [string, string]> {
  const tokens = tokensOf(sql);
  for (const [index, token] of tokens.entries()) {
    if (!isSign(token, '(') || !isWord(tokens[index + 1], 'SELECT') || !isSign(tokens[index + 4], '*')) continue;
    const [name, outside] = [tokens[index + 2]!, tokens[closing(tokens, index) + 1]];
    if (isSign(tokens[index + 3], '.') && outside !== undefined) yield [ownerAt(sql, name), ownerAt(sql, outside)];
  }
}

const ownerAt = (sql: string, { start, end }: Token) => ownerOf(`${sql.slice(start, end)}."slot"`);

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
const ONE_AT_A_TIME = /\bFOR (?:NO KEY )?(?:UPDATE|SHARE)\b|^WITH given .*\b(?:UPDATE|INSERT INTO) "/is;

/**
 * What is sent for a statement. Rows that are at several places are locked and changed place by place, always in the same
 * order, so that two transactions never wait for each other; what each answers belongs to the same answer.
 */
export function oneSlotNamer(named: SlotNamer, keys: SlotKeys): SlotNamer {
  const textOf = recentlyUsed(REMEMBERED, (sql) => ({
    text: oneSlotText(sql, keys),
    isSplit: ONE_AT_A_TIME.test(sql),
  }));
  return (sql, cells) => {
    const sent = named(sql, cells);
    const { text, isSplit } = textOf(sent.sql);
    if (text === undefined) return sent;
    const places = byPlace(slotsNamed(text, sent.cells, keys.slots), keys.groups);
    if (places.length === 0 || (places.length > 1 && !isSplit)) return sent;
    const [first, ...more] = places.map((slots) => ofSlots(text, sent.cells, slots));
    return { ...first!, more, newIds: newIdsFor(text, sent.cells) };
  };
}

/** Slots that one server has together, in the order of these places. */
function byPlace(slots: readonly number[], groups: SlotKeys['groups']): number[][] {
  if (groups === undefined) return slots.map((slot) => [slot]);
  const places = new Map<number, number[]>();
  for (const slot of slots) {
    const others = places.get(groups[slot]!);
    if (others) others.push(slot);
    else places.set(groups[slot]!, [slot]);
  }
  return [...places].sort(([one], [other]) => one - other).map(([, found]) => found);
}

function newIdsFor({ newIdsOf, ids, added }: OneSlotText, cells: readonly unknown[]): NewIds | undefined {
  if (newIdsOf === undefined) return undefined;
  return { table: newIdsOf, count: numbersOf(cells[ids[0]! - 1]).length, cell: added! - 2 };
}

function ofSlots(
  { one, several, added, newIdsOf, slots }: OneSlotText,
  cells: readonly unknown[],
  at: readonly number[],
) {
  const [text, cell] = at.length === 1 ? [one, at[0]!] : [several, `{${at.join(',')}}`];
  const form = at.length === 1 ? 'one' : 'several';
  if (added === undefined)
    return { sql: text, form, cells: cells.map((own, index) => (slots.includes(index + 1) ? cell : own)) };
  return { sql: text, form, cells: newIdsOf === undefined ? [...cells, cell] : [...cells, undefined, cell] };
}
