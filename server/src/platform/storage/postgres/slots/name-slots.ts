import { recentlyUsed } from '../../../caches.ts';
import type { SlotKeys } from '../../placement.ts';
import {
  closing,
  isSign,
  isWord,
  type NameScope,
  parts,
  type SlotEdit,
  type SlotParameter,
  type SlotParameters,
  type SlotStatement,
  scopesOf,
  type Token,
  tokensOf,
} from './scopes.ts';

/** A column that determines the slot of its row, or a parameter. */
interface Operand {
  readonly first: number;
  readonly last: number;
  /** The text before the column, with its point; undefined where the row has no slot. */
  readonly owner?: string;
  readonly parameter?: number;
}

const BEFORE = new Set(['AND', 'OR', 'WHERE', 'ON', 'NOT', 'WHEN', '(', ',']);
const OPERATORS = new Set(['+', '-', '*', '/', '%', '::', '->', '->>', '||', '.', '[', '(']);

/**
 * The same statement, where each condition on the device of a row also contains its slot: `"deviceId" = $1` becomes
 * `("slot" = $2 AND "deviceId" = $1)`, a join of two devices one of their slots, and an insert fills the slot. The slot
 * follows from the device, so the meaning stays the same; but a database that is distributed by slot knows where to
 * look.
 */
export function nameSlots(sql: string, { slots, columns, also = {} }: SlotKeys): SlotStatement {
  const tokens = tokensOf(sql);
  if (!tokens.some(({ kind, text }) => kind === 'name' && text in columns)) return { sql, more: [] };
  const { scopes, isAssigned } = scopesOf(tokens);
  const given = Math.max(0, ...tokens.flatMap((token) => (token.kind === 'parameter' ? [numberOf(token)] : [])));
  const more: SlotParameter[] = [];
  const parameters: SlotParameters = {
    parameter(of, form) {
      const known = more.findIndex((one) => one.form === form && one.of.join() === of.join());
      if (known === -1) more.push({ of, form });
      return `$${given + (known === -1 ? more.length : known + 1)}`;
    },
    slotOf: (expression) => `CAST(${expression} % ${slots} AS SMALLINT)`,
  };
  const edits: SlotEdit[] = [];
  const conditions = { sql, tokens, scopes, columns, also, parameters };
  for (const [index, token] of tokens.entries()) {
    if (isAssigned[index]) continue;
    if (isSign(token, '=')) edits.push(...equalityEdits(conditions, index));
    else if (isWord(token, 'IN')) edits.push(...listEdits(conditions, index));
  }
  edits.push(...insertEdits(sql, tokens, columns, parameters));
  return { sql: withEdits(sql, edits), more };
}

interface Conditions {
  readonly sql: string;
  readonly tokens: readonly Token[];
  readonly scopes: readonly NameScope[];
  readonly columns: SlotKeys['columns'];
  readonly also: SlotKeys['columns'];
  readonly parameters: SlotParameters;
}

function equalityEdits(on: Conditions, index: number): SlotEdit[] {
  const { sql, tokens, parameters } = on;
  const left = operandBefore(on, index);
  if (left === undefined || !isAlone(tokens, left.first, undefined)) return [];
  if (isWord(tokens[index + 1], 'ANY')) return left.owner === undefined ? [] : anyEdits(on, index, left);
  const right = operandAfter(on, index);
  if (right === undefined || !isAlone(tokens, undefined, right.last)) return [];
  const [row, other] = left.owner !== undefined ? [left, right] : [right, left];
  if (row.owner === undefined) return [];
  const slot =
    other.owner !== undefined
      ? `${other.owner}"slot"`
      : other.parameter !== undefined
        ? parameters.parameter([other.parameter], 'one')
        : parameters.slotOf(sql.slice(tokens[other.first]!.start, tokens[other.last]!.end));
  return around(tokens[left.first]!.start, tokens[right.last]!.end, `${row.owner}"slot" = ${slot}`);
}

/** `= ANY($1::BIGINT[])` and `= ANY(CAST($1 AS BIGINT[]))`. */
function anyEdits({ tokens, parameters }: Conditions, index: number, row: Operand): SlotEdit[] {
  const end = closing(tokens, index + 2);
  const found = tokens.slice(index + 3, end).filter(({ kind }) => kind === 'parameter');
  if (found.length !== 1 || tokens.slice(index + 3, end).some((token) => isWord(token, 'SELECT'))) return [];
  const slots = parameters.parameter([numberOf(found[0]!)], 'list');
  return around(tokens[row.first]!.start, tokens[end]!.end, `${row.owner}"slot" = ANY(${slots})`);
}

/** The list of ids out of one cell, as `idList` of the dialect writes it. */
const JSON_IDS = /^SELECT CAST\("value" AS BIGINT\) AS "id" FROM json_array_elements_text\(CAST\(\$(\d+) AS JSON\)\)$/;

/** `IN ($1, $2)`, and `IN` a list of ids that is one cell. */
function listEdits(on: Conditions, index: number): SlotEdit[] {
  const { sql, tokens, parameters } = on;
  const row = operandBefore(on, index);
  if (row?.owner === undefined || !isAlone(tokens, row.first, undefined) || !isSign(tokens[index + 1], '(')) return [];
  const end = closing(tokens, index + 1);
  const inside = tokens.slice(index + 2, end);
  const json = JSON_IDS.exec(sql.slice(tokens[index + 1]!.end, tokens[end]!.start).trim());
  if (json === null && !inside.every((token) => token.kind === 'parameter' || isSign(token, ','))) return [];
  const slots =
    json !== null
      ? parameters.parameter([Number(json[1])], 'json')
      : parameters.parameter(
          inside.flatMap((token) => (token.kind === 'parameter' ? [numberOf(token)] : [])),
          'many',
        );
  return around(tokens[row.first]!.start, tokens[end]!.end, `${row.owner}"slot" = ANY(${slots})`);
}

const around = (start: number, end: number, condition: string): SlotEdit[] => [
  { at: start, text: `(${condition} AND ` },
  { at: end, text: ')' },
];

function operandBefore(on: Conditions, index: number): Operand | undefined {
  const { tokens } = on;
  const last = index - 1;
  const token = tokens[last];
  if (token?.kind === 'parameter') return { first: last, last, parameter: numberOf(token) };
  if (token?.kind !== 'name') return undefined;
  return columnAt(on, isSign(tokens[last - 1], '.') ? last - 2 : last, last);
}

function operandAfter(on: Conditions, index: number): Operand | undefined {
  const { tokens } = on;
  const first = index + 1;
  const token = tokens[first];
  if (token?.kind === 'parameter') return { first, last: first, parameter: numberOf(token) };
  if (token?.kind !== 'name' && token?.kind !== 'word') return undefined;
  const isQualified = isSign(tokens[first + 1], '.') && tokens[first + 2]?.kind === 'name';
  if (!isQualified && token.kind !== 'name') return undefined;
  return columnAt(on, first, isQualified ? first + 2 : first);
}

function columnAt({ sql, tokens, scopes, columns, also }: Conditions, first: number, last: number): Operand {
  const column = tokens[last]!.text;
  const scope = scopes[last]!;
  const table = first === last ? scope.onlyTable() : scope.tableNamed(tokens[first]!.text);
  const isKey = table !== undefined && (columns[table] === column || also[table] === column);
  const before = first === last ? '' : sql.slice(tokens[first]!.start, tokens[last]!.start);
  return isKey ? { first, last, owner: before } : { first, last };
}

/** Whether an operand is not part of a larger expression. */
function isAlone(tokens: readonly Token[], first: number | undefined, last: number | undefined): boolean {
  if (first !== undefined && !BEFORE.has(tokens[first - 1]?.text ?? '')) return false;
  const after = last === undefined ? undefined : tokens[last + 1];
  return after === undefined || after.kind !== 'sign' || !OPERATORS.has(after.text);
}

const numberOf = ({ text }: Token) => Number(text.slice(1));

function withEdits(sql: string, edits: readonly SlotEdit[]): string {
  let text = '';
  let done = 0;
  for (const { at, text: added } of [...edits].sort((a, b) => a.at - b.at)) {
    text += sql.slice(done, at) + added;
    done = at;
  }
  return text + sql.slice(done);
}

/** Fills the slots of rows that are inserted, and names the slot where a row that is there already is looked for. */
function insertEdits(
  sql: string,
  tokens: readonly Token[],
  columns: SlotKeys['columns'],
  parameters: SlotParameters,
): SlotEdit[] {
  const edits: SlotEdit[] = [];
  for (const [index, token] of tokens.entries()) {
    if (!isWord(token, 'INTO') || tokens[index + 1]?.kind !== 'name') continue;
    const key = columns[tokens[index + 1]!.text];
    const open = tokens.findIndex((one, at) => at > index && isSign(one, '('));
    if (key === undefined || open === -1) continue;
    const close = closing(tokens, open);
    const names = parts(tokens, open + 1, close).map(([name]) => name?.text);
    const place = names.indexOf(key);
    // A statement that names the slot itself is not changed; an id that is not given yet determines none.
    if (names.includes('slot') || (place === -1 && key === 'id')) continue;
    edits.push({ at: tokens[close]!.start, text: ', "slot"' });
    for (const list of rowsAfter(tokens, close + 1)) {
      const cell = parts(tokens, list.start, list.end)[place] ?? [];
      // What is about no device has the first slot.
      const slot = cell.length === 0 ? '0' : slotOf(sql, cell, parameters);
      edits.push({ at: tokens[list.end - 1]!.end, text: `, ${slot}` });
    }
    const conflict = tokens.findIndex((one, at) => at > close && isWord(one, 'CONFLICT'));
    if (conflict !== -1 && isSign(tokens[conflict + 1], '('))
      edits.push({ at: tokens[conflict + 1]!.end, text: '"slot", ' });
  }
  return edits;
}

function slotOf(sql: string, cell: readonly Token[], { parameter, slotOf }: SlotParameters): string {
  if (cell.length === 1 && cell[0]!.kind === 'parameter')
    return parameter([Number(cell[0]!.text.slice(1))], 'oneOrFirst');
  const name = cell.findIndex((token) => isWord(token, 'AS'));
  const end = cell[(name === -1 ? cell.length : name) - 1]!.end;
  return slotOf(`COALESCE(${sql.slice(cell[0]!.start, end)}, 0)`);
}

/** The lists of inserted cells: the lists of VALUES, or the one of a SELECT; each from a token to before another. */
function rowsAfter(tokens: readonly Token[], from: number): { start: number; end: number }[] {
  if (isWord(tokens[from], 'VALUES')) {
    const rows: { start: number; end: number }[] = [];
    for (let open = from + 1; isSign(tokens[open], '('); ) {
      const close = closing(tokens, open);
      rows.push({ start: open + 1, end: close });
      if (!isSign(tokens[close + 1], ',')) break;
      open = close + 2;
    }
    return rows;
  }
  if (!isWord(tokens[from], 'SELECT')) return [];
  let depth = 0;
  for (let i = from + 1; i < tokens.length; i += 1) {
    if (isSign(tokens[i], '(')) depth += 1;
    if (isSign(tokens[i], ')')) depth -= 1;
    if (depth === 0 && isWord(tokens[i], 'FROM')) return [{ start: from + 1, end: i }];
  }
  return [{ start: from + 1, end: tokens.length }];
}

/** What PostgreSQL is sent for a statement and its parameters. */
export type SlotNamer = (
  sql: string,
  cells: readonly unknown[],
) => {
  readonly sql: string;
  readonly cells: readonly unknown[];
  /** Identifies one of several texts of the same statement. */
  readonly form?: string;
  /** What is sent after it, where the statement is one for each slot. */
  readonly more?: readonly { readonly sql: string; readonly cells: readonly unknown[]; readonly form?: string }[];
  /** Ids to take first, as a list in this cell of it and of what is sent after it. */
  readonly newIds?: NewIds;
};

export interface NewIds {
  readonly table: string;
  readonly count: number;
  readonly cell: number;
}

/** Texts whose form with slots is remembered. Those with lists of parameters differ by how many these are. */
const REMEMBERED = 3000;

/** Set by tests: a statement that names no slot, and is not known to be about many, is refused. */
const STRICT = 'TRACKWAY_STRICT_SLOTS';

/** Names the slots in all statements on a store; without tables that have slots, statements stay unchanged. */
export function slotNamer(keys: SlotKeys | undefined): SlotNamer {
  if (keys === undefined) return (sql, cells) => ({ sql, cells });
  const isStrict = process.env[STRICT] === '1';
  const named = recentlyUsed(REMEMBERED, (sql) => {
    const statement = nameSlots(sql, keys);
    if (isStrict) requireSlots(statement.sql, keys);
    return statement;
  });
  return (text, cells) => {
    const { sql, more } = named(text);
    if (more.length === 0) return { sql, cells };
    return { sql, cells: [...cells, ...more.map((parameter) => slotCell(parameter, cells, keys.slots))] };
  };
}

/** Fails for a statement that should name a slot and does not. */
export function requireSlots(sql: string, keys: SlotKeys): void {
  const mayBe = (table: string) =>
    keys.spanning?.some(
      ({ tables, form }) =>
        (tables?.includes(table) ?? true) && new RegExp(form, 'i').test(sql.replaceAll(/\s+/g, ' ')),
    );
  // Views are named where that is possible, and need not be.
  const isView = (table: string) => keys.views?.[table] !== undefined;
  const unnamed = unnamedTables(sql, keys).filter((table) => !isView(table) && !mayBe(table));
  if (unnamed.length > 0) throw new Error(`A statement does not name the slot of ${unnamed.join(', ')}: ${sql}`);
}

function slotCell({ of, form }: SlotParameter, cells: readonly unknown[], slots: number): unknown {
  const [first] = of;
  const cell = cells[first! - 1];
  switch (form) {
    case 'one':
      return cell === null || cell === undefined ? null : Number(cell) % slots;
    case 'oneOrFirst':
      return Number(cell ?? 0) % slots;
    case 'many':
      return listOf(
        of.map((number) => cells[number - 1]),
        slots,
      );
    case 'list':
      return listOf(Array.isArray(cell) ? cell : String(cell).slice(1, -1).split(','), slots);
    case 'json':
      return listOf(JSON.parse(String(cell)) as unknown[], slots);
  }
}

/** The slots of ids, each once, as PostgreSQL writes lists. */
function listOf(ids: readonly unknown[], slots: number): string {
  const found = new Set<number>();
  for (const id of ids) if (id !== null && id !== '' && id !== 'NULL') found.add(Number(id) % slots);
  return `{${[...found].join(',')}}`;
}

/**
 * The tables with slots that a statement uses without the slot, neither in a condition nor in a join: a distributed
 * database has to search all servers for these.
 */
function unnamedTables(sql: string, { columns }: SlotKeys): string[] {
  const tokens = tokensOf(sql);
  const { scopes } = scopesOf(tokens);
  const named = new Map<NameScope, Set<string>>();
  for (const [index, token] of tokens.entries()) {
    if (token.kind !== 'name' || token.text !== 'slot') continue;
    const before = isSign(tokens[index - 1], '.') ? tokens[index - 2]!.text : undefined;
    const scope = before === undefined ? nearest(scopes[index]!) : scopes[index]!.whereNamed(before);
    if (scope === undefined) continue;
    const names = before === undefined ? [...scope.tables.keys()] : [before.toUpperCase()];
    named.set(scope, new Set([...(named.get(scope) ?? []), ...names]));
  }
  const unnamed: string[] = [];
  for (const scope of new Set(scopes))
    for (const [name, table] of scope.tables)
      if (table !== undefined && table in columns && !named.get(scope)?.has(name)) unnamed.push(table);
  return unnamed;
}

function nearest(from: NameScope): NameScope | undefined {
  for (let scope: NameScope | undefined = from; scope !== undefined; scope = scope.parent)
    if (scope.tables.size > 0) return scope;
  return undefined;
}
