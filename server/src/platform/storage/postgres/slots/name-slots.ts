import type { SlotKeys } from '../../placement.ts';
import { insertEdits } from './insert-slots.ts';
import { isSign, isWord, type NameScope, scopesOf } from './scopes.ts';
import {
  closing,
  type SlotEdit,
  type SlotParameter,
  type SlotParameters,
  type SlotStatement,
} from './statement-parts.ts';
import { type Token, tokensOf } from './tokens.ts';

/** A column that says the slot of its row, or a parameter. */
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
 * The same statement, in which each condition that says which device a row is of also says its slot: `"deviceId" = $1`
 * becomes `("slot" = $2 AND "deviceId" = $1)`, a join of two devices one of their slots, and an insert fills the slot. The
 * slot follows from the device, so the statement means what it meant; but whoever keeps rows by slot knows where to look.
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

/** The list of ids out of one cell, as `ID_LIST` writes it. */
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
