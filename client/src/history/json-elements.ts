import type { Chunks } from './lines.ts';
import { HistoryProblem } from './position.ts';

/** An element of one of the long lists of a JSON file. */
export interface JsonElement {
  readonly line: number;
  /** The name of the list; empty if the file itself is the list. */
  readonly list: string;
  readonly value: unknown;
}

const LONGEST_ELEMENT = 16_000_000;
const DEEPEST = 64;

/**
 * The elements of the named top-level lists of a JSON file of any length, one after the other: only one of them is in
 * memory.
 */
export async function* jsonElements(chunks: Chunks, lists: readonly string[]): AsyncGenerator<JsonElement> {
  let line = 1;
  let depth = 0;
  let isInString = false;
  let isEscaped = false;
  /** The text of a top-level string, which may be the name of a list. */
  let name = '';
  let list: string | undefined;
  /** The depth of the list whose elements are read; -1 outside a list. */
  let listDepth = -1;
  let element: string | undefined;
  let elementLine = 1;
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const sign = chunk[at]!;
      if (sign === '\n') line++;
      if (isInString) {
        if (isEscaped) isEscaped = false;
        else if (sign === '\\') isEscaped = true;
        else if (sign === '"') isInString = false;
        else if (depth === 1 && listDepth < 0 && name.length < 100) name += sign;
        continue;
      }
      if (sign === '"') {
        isInString = true;
        if (depth === 1 && listDepth < 0) name = '';
      } else if (sign === '{' || sign === '[') {
        if (++depth > DEEPEST) throw new HistoryProblem(line, `is nested deeper than ${DEEPEST} levels.`);
        if (listDepth < 0 && sign === '[' && (depth === 1 || (depth === 2 && lists.includes(name)))) {
          listDepth = depth;
          list = depth === 1 ? '' : name;
        } else if (listDepth === depth - 1 && sign === '{') {
          element = '';
          elementLine = line;
          from = at;
        }
      } else if (sign === '}' || sign === ']') {
        if (--depth < 0) throw new HistoryProblem(line, 'closes a bracket that was never opened.');
        if (element !== undefined && depth === listDepth) {
          yield { line: elementLine, list: list!, value: parsed(element + chunk.slice(from, at + 1), elementLine) };
          element = undefined;
        } else if (depth < listDepth) listDepth = -1;
      }
    }
    if (element === undefined) continue;
    element += chunk.slice(from);
    if (element.length > LONGEST_ELEMENT)
      throw new HistoryProblem(elementLine, `begins an element of more than ${LONGEST_ELEMENT} characters.`);
  }
  if (depth > 0) throw new HistoryProblem(line, 'ends before all brackets are closed.');
}

function parsed(text: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new HistoryProblem(line, 'begins something that is no JSON.');
  }
}
