import { any, never, type Operand, type Sign, type Term } from './term.ts';
import type { ScalarKind } from './value.ts';

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
