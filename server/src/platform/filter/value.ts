import { parseTime } from '@trackway/contract/values.ts';
import type { Cell } from '../storage/shape.ts';
import { isStorable, refuse } from './bounds.ts';

/** A value that no stored value equals, precedes or follows. */
export const unmatchable = Symbol('unmatchable');

export type ScalarKind = 'integer' | 'number' | 'text' | 'flag' | 'time';

const numeric = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

export function isNumeric(text: string): boolean {
  return numeric.test(text) && Number.isFinite(Number(text));
}

/** The cell to compare a column of that kind with. A value that has no meaning for the kind is refused. */
export function coerce(kind: ScalarKind, value: unknown, at: string): Cell | typeof unmatchable {
  switch (kind) {
    case 'text':
      return textOf(value, at);
    case 'flag':
      return flagOf(value, at) ? 1 : 0;
    case 'time': {
      const instant = parseTime(value);
      if (instant === undefined) refuse(at, 'must be a time: ISO 8601 with an offset, a date, or epoch milliseconds');
      return instant;
    }
    default:
      return numberOf(value, at);
  }
}

export function numberOf(value: unknown, at: string): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value + 0;
  if (typeof value === 'string' && isNumeric(value)) return Number(value) + 0;
  refuse(at, 'must be a number');
}

export function flagOf(value: unknown, at: string): boolean {
  if (value === true || value === 'true' || value === 1 || value === '1') return true;
  if (value === false || value === 'false' || value === 0 || value === '0') return false;
  refuse(at, 'must be true or false');
}

function textOf(value: unknown, at: string): string | typeof unmatchable {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') refuse(at, 'must be a string');
  return isStorable(value) ? value : unmatchable;
}

/**
 * A list as JSON has it or as brackets spell it: `[0]=a&[1]=b` arrives as an object with numbers for keys, and a single
 * `inq=a` as its only value.
 */
export function listOf(value: unknown, loose: boolean): unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (!loose || value === null || value === undefined) return undefined;
  if (typeof value !== 'object') return [value];
  const keys = Object.keys(value);
  if (keys.length === 0 || !keys.every((key) => /^\d{1,9}$/.test(key))) return undefined;
  keys.sort((a, b) => Number(a) - Number(b));
  return keys.map((key) => (value as Record<string, unknown>)[key]);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
