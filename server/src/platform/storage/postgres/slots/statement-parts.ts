import { isSign } from './scopes.ts';
import type { Token } from './tokens.ts';

/** A parameter that is worked out from others: the slot of one, or those of all in a list. */
export interface SlotParameter {
  readonly of: readonly number[];
  readonly form: 'one' | 'oneOrFirst' | 'many' | 'list' | 'json';
}

/** A statement that names the slots of the rows it is about, and what follows the parameters it was given. */
export interface SlotStatement {
  readonly sql: string;
  readonly more: readonly SlotParameter[];
}

/** What is put into a text, and where. */
export interface SlotEdit {
  readonly at: number;
  readonly text: string;
}

/** Makes parameters that are worked out, and says how a statement writes them. */
export interface SlotParameters {
  parameter(of: readonly number[], form: SlotParameter['form']): string;
  /** The slot of an expression that is no parameter. */
  slotOf(expression: string): string;
}

/** The index of the parenthesis that closes the one at an index. */
export function closing(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let i = open; i < tokens.length; i += 1) {
    if (isSign(tokens[i], '(')) depth += 1;
    if (isSign(tokens[i], ')')) depth -= 1;
    if (depth === 0) return i;
  }
  return tokens.length - 1;
}

/** The tokens between two, parted by commas outside of parentheses. */
export function parts(tokens: readonly Token[], start: number, end: number): Token[][] {
  const found: Token[][] = [[]];
  let depth = 0;
  for (const token of tokens.slice(start, end)) {
    if (isSign(token, '(')) depth += 1;
    if (isSign(token, ')')) depth -= 1;
    if (depth === 0 && isSign(token, ',')) found.push([]);
    else found.at(-1)!.push(token);
  }
  return found;
}
