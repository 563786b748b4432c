import type { Cell } from '../storage/shape.ts';
import type { FieldTarget } from './fields.ts';
import type { LikePattern } from './pattern.ts';
import type { Regexp } from './regexp.ts';
import type { ScalarKind } from './value.ts';

/** A place and a distance range around it, in metres. */
export interface Near {
  readonly name: string;
  readonly lat: number;
  readonly lng: number;
  readonly minDistanceM: number | undefined;
  readonly maxDistanceM: number | undefined;
}

export type Sign = '=' | '<' | '<=' | '>' | '>=';

/** A test of one value. It is false for an absent value. */
export type Test =
  | { readonly is: 'compared'; readonly sign: Sign; readonly with: Cell }
  | { readonly is: 'among'; readonly values: readonly Cell[] }
  | { readonly is: 'like'; readonly pattern: LikePattern }
  | { readonly is: 'matched'; readonly by: Regexp };

/** The source of the tested value. Inside JSON only values of one type are compared; others count as absent. */
export type Operand =
  | { readonly from: 'column'; readonly column: string }
  | { readonly from: 'elements'; readonly column: string }
  | {
      readonly from: 'json';
      readonly column: string;
      readonly path: readonly string[];
      readonly as: 'number' | 'text' | 'flag';
    };

/** A condition that is true or false for every row, never unknown: `not` selects the other rows. */
export type Term =
  | { readonly term: 'always' }
  | { readonly term: 'never' }
  | { readonly term: 'all'; readonly of: readonly Term[] }
  | { readonly term: 'any'; readonly of: readonly Term[] }
  | { readonly term: 'not'; readonly of: Term }
  | { readonly term: 'absent'; readonly target: FieldTarget }
  | { readonly term: 'test'; readonly operand: Operand; readonly test: Test }
  | { readonly term: 'equalJson'; readonly column: string; readonly path: readonly string[]; readonly json: string }
  | { readonly term: 'within'; readonly near: Near };

export const always: Term = { term: 'always' };
export const never: Term = { term: 'never' };

export function not(of: Term): Term {
  if (of === always) return never;
  if (of === never) return always;
  return { term: 'not', of };
}

export function all(of: readonly Term[]): Term {
  const needed = of.filter((one) => one !== always);
  if (needed.includes(never)) return never;
  if (needed.length === 0) return always;
  return needed.length === 1 ? needed[0]! : { term: 'all', of: needed };
}

export function any(of: readonly Term[]): Term {
  const possible = of.filter((one) => one !== never);
  if (possible.includes(always)) return always;
  if (possible.length === 0) return never;
  return possible.length === 1 ? possible[0]! : { term: 'any', of: possible };
}

/** Larger than any stored whole number: ids and times are at most 2^53 − 1. */
const beyond = 2 ** 53;

const isWhole = (kind: ScalarKind) => kind === 'integer' || kind === 'time' || kind === 'flag';

/**
 * Compares a stored value with a cell. A column of whole numbers is compared with a whole number, because PostgreSQL
 * refuses to read 5.5 as one: above 5.5 means above 5, and nothing equals 5.5.
 */
export function compared(operand: Operand, kind: ScalarKind, sign: Sign, cell: string | number | null): Term {
  if (!isWhole(kind) || typeof cell !== 'number') return test(operand, sign, cell);
  if (sign === '=') return Number.isSafeInteger(cell) ? test(operand, sign, cell) : never;
  const bounded = Math.min(Math.max(cell, -beyond), beyond);
  return test(operand, sign, sign === '>' || sign === '<=' ? Math.floor(bounded) : Math.ceil(bounded));
}

function test(operand: Operand, sign: Sign, cell: string | number | null): Term {
  return { term: 'test', operand, test: { is: 'compared', sign, with: cell } };
}

export function among(operand: Operand, kind: ScalarKind, cells: readonly (string | number)[]): Term {
  const possible = [...new Set(isWhole(kind) ? cells.filter((cell) => Number.isSafeInteger(cell)) : cells)];
  if (possible.length === 0) return never;
  if (possible.length === 1) return any([test(operand, '=', possible[0]!)]);
  return { term: 'test', operand, test: { is: 'among', values: possible } };
}
