import { recentlyUsed } from '../../../caches.ts';
import type { SlotKeys } from '../../placement.ts';
import type { NewIds, SlotNamer } from '../slots/name-slots.ts';
import { closing, isSign, isWord, parts, type Token, tokensOf } from '../slots/scopes.ts';

const GIVEN = /^WITH given \(([^)]*)\) AS \(SELECT \* FROM unnest\(([^)]*)\)\)/;
const COLUMN = String.raw`(?:(?:"?\w+"?)\.)?"slot"`;
const CONDITION = new RegExp(
  String.raw`(${COLUMN}) (?:= (?:ANY\(\$(\d+)\)|\$(\d+)\b|CAST\(given\."(\w+)" % \d+ AS SMALLINT\)|(${COLUMN}))|IN \(SELECT "slot" FROM given\))`,
  'g',
);

/** Undefined where a text does not say which slots it is about. */
function oneSlotText(sql: string, { bySlot, unspread = [] }: SlotKeys): OneSlotText | undefined {
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

/**
 * Of subqueries that return rows of a table unchanged, `(SELECT d.* FROM "devices" d WHERE …) v`, the names inside and
 * outside.
 */
function* wholeRows(sql: string): Generator<readonly [string, string]> {
  const tokens = tokensOf(sql);
  for (const [index, token] of tokens.entries()) {
    if (!isSign(token, '(') || !isWord(tokens[index + 1], 'SELECT') || !isSign(tokens[index + 4], '*')) continue;
    const [name, outside] = [tokens[index + 2]!, tokens[closing(tokens, index) + 1]];
    if (isSign(tokens[index + 3], '.') && outside !== undefined) yield [ownerAt(sql, name), ownerAt(sql, outside)];
  }
}

const ownerAt = (sql: string, { start, end }: Token) => ownerOf(`${sql.slice(start, end)}."slot"`);

/** Whether one name refers to two tables, in parts of the statement: then it is not known which of them is joined. */
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
function slotsNamed({ slots, ids }: OneSlotText, cells: readonly unknown[], count: number): number[] {
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

/**
 * An insert of given rows as Citus sends it to one worker whole: it must read the slot from a table that is spread alike,
 * and no sequence. So it is joined with the row of the slot in the table that has one for each, and the ids are taken
 * before. Any other form is collected at the coordinator, copied to its place, and committed in two phases.
 */
const INSERT =
  /^WITH given \(([^)]*)\) AS \(SELECT \* FROM unnest\(([^)]*)\)\) INSERT INTO "(\w+)" \(([^)]*)\)\s+SELECT\s+([\s\S]*?)\s+FROM given(?!\.|\s+JOIN\b)\b([\s\S]*)$/;
const SLOT_OF = /^(?:CAST\(COALESCE\()?(?:given\.)?"(\w+)"(?:, 0\))? % \d+(?: AS SMALLINT\))?$/;
const NEW_ID = 'newId';

/** Undefined where it is another form of statement, or rows of no slot. */
function oneSlotInsert(sql: string, bySlot: string): OneSlotText | undefined {
  const [, columns, lists, table, names, selected, rest] = INSERT.exec(sql) ?? [];
  if (columns === undefined) return undefined;
  const given = columns.split(', ').map((name) => name.slice(1, -1));
  const into = names!.split(', ');
  const values = itemsOf(selected!);
  const slot = into.indexOf('"slot"');
  const key = slot === -1 ? undefined : SLOT_OF.exec(values[slot]!)?.[1];
  if (key === undefined || !given.includes(key)) return undefined;
  const slotOfRow = values[slot]!;
  values[slot] = 'home."slot"';
  const takesIds = /\bRETURNING "id"/.test(rest!) && !into.includes('"id"');
  const added = given.length + (takesIds ? 2 : 1);
  const withId = (list: string, id: string) => (takesIds ? `${list}, ${id}` : list);
  const textOf = ({
    is,
  }: SlotForm) => `WITH given (${withId(columns, `"${NEW_ID}"`)}) AS (SELECT * FROM unnest(${withId(lists!, `$${added - 1}::BIGINT[]`)}))
 INSERT INTO "${table}" (${withId(into.join(', '), '"id"')}) SELECT ${withId(values.join(', '), `given."${NEW_ID}"`)}
 FROM given JOIN (SELECT "slot" FROM "${bySlot}" WHERE ${is('"slot"', added)}) AS home ON home."slot" = ${slotOfRow}${rest}`;
  return {
    one: textOf(ONE_SLOT),
    several: textOf(SEVERAL_SLOTS),
    slots: [],
    ids: [given.indexOf(key) + 1],
    added,
    newIdsOf: takesIds ? table : undefined,
  };
}

const itemsOf = (selected: string): string[] => {
  const tokens = tokensOf(selected);
  const textOf = (item: readonly Token[]) => selected.slice(item[0]!.start, item.at(-1)!.end);
  return parts(tokens, 0, tokens.length).map(textOf);
};

/**
 * Statements for a database that is spread by slot. Where all rows that a statement names are at one place, as for a
 * batch, each condition contains the slot: `"slot" = $3`, or `"slot" = ANY($3)` where several slots are there, instead
 * of a join or a modulo expression. Then Citus knows before it runs that one worker has all of it, and sends it there
 * whole.
 */
interface OneSlotText {
  /** For rows of one slot, and for rows of several slots at one place. */
  readonly one: string;
  readonly several: string;
  /** What determines the slot: parameters with slots, and those with ids of devices. */
  readonly slots: readonly number[];
  readonly ids: readonly number[];
  /** The parameter that is added, if any. */
  readonly added: number | undefined;
  /** The table for whose rows ids are taken before; the parameter before the one that is added has them. */
  readonly newIdsOf?: string | undefined;
}

/** Conditions that a column is one of the slots of a parameter, and that it equals another column. */
interface SlotForm {
  is(column: string, parameter: number): string;
  areSame(column: string, other: string, parameter: number): string;
}

const ONE_SLOT: SlotForm = {
  is: (column, parameter) => `${column} = $${parameter}`,
  areSame: (column, other, parameter) => `${column} = $${parameter} AND ${other} = $${parameter}`,
};

const SEVERAL_SLOTS: SlotForm = {
  is: (column, parameter) => `${column} = ANY($${parameter})`,
  areSame: (column, other, parameter) =>
    `${column} = ANY($${parameter}) AND ${other} = ANY($${parameter}) AND ${column} = ${other}`,
};
