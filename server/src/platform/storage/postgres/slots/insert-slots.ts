import type { SlotKeys } from '../../placement.ts';
import { isSign, isWord } from './scopes.ts';
import { closing, parts, type SlotEdit, type SlotParameters } from './statement-parts.ts';
import type { Token } from './tokens.ts';

/** Fills the slots of rows that are inserted, and names the slot where a row that is there already is looked for. */
export function insertEdits(
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
    // One that names the slot itself knows what it does; an id that is not given yet says none.
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

/** The lists of cells that are inserted: those of VALUES, or the one of a SELECT; each from a token to before another. */
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
