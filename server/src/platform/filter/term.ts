import type { Cell } from '../storage/shape.ts';
import type { FieldTarget } from './fields.ts';
import type { LikePattern } from './regexp/pattern.ts';
import type { Regexp } from './regexp/regexp.ts';

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
