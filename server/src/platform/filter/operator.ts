import type { FieldTarget, FilterFields } from './fields.ts';
import { parseLike } from './pattern.ts';
import { parseRegexp } from './regexp.ts';
import { all, among, any, compared, type Near, never, not, type Operand, type Sign, type Term } from './term.ts';
import {
  bounds,
  coerce,
  flagOf,
  isNumeric,
  isObject,
  isStorable,
  listOf,
  named,
  numberOf,
  refuse,
  type ScalarKind,
  unmatchable,
} from './value.ts';

const operators: readonly string[] = [
  ...['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'between', 'inq', 'nin'],
  ...['like', 'nlike', 'ilike', 'nilike', 'regexp', 'near', 'exists'],
];

export const isOperator = (key: string) => operators.includes(key);

/**
 * Parses one operator on one field. Negative operators are the complement of the positive ones, so they are true if the
 * field is absent.
 */
export function parseOperator(
  reading: ParseContext,
  target: FieldTarget,
  key: string,
  value: unknown,
  at: string,
): Term {
  switch (key) {
    case 'eq':
      return equal(reading, target, value, at);
    case 'neq':
      return not(equal(reading, target, value, at));
    case 'gt':
      return ordered(reading, target, '>', value, at);
    case 'gte':
      return ordered(reading, target, '>=', value, at);
    case 'lt':
      return ordered(reading, target, '<', value, at);
    case 'lte':
      return ordered(reading, target, '<=', value, at);
    case 'between': {
      const ends = listOf(value, reading.loose);
      if (ends?.length !== 2) refuse(at, 'must be a list of two values');
      return between(reading, target, ends, at);
    }
    case 'inq':
      return inList(reading, target, value, at);
    case 'nin':
      return not(inList(reading, target, value, at));
    case 'like':
    case 'ilike':
      return like(target, value, key === 'ilike', at);
    case 'nlike':
    case 'nilike':
      return not(like(target, value, key === 'nilike', at));
    case 'regexp': {
      const by = parseRegexp(value, at);
      const operand = textOperand(target, at);
      return by ? { term: 'test', operand, test: { is: 'matched', by } } : never;
    }
    case 'exists':
      return flagOf(value, at) ? not({ term: 'absent', target }) : { term: 'absent', target };
    default:
      return refuse(at, 'near needs {near: {lat, lng}}');
  }
}

/** A value parsed as one of its possible types: from brackets, `5` may be a number or text. */
type Candidate = { operand: Operand; kind: ScalarKind; value: unknown };

function candidates(reading: ParseContext, target: FieldTarget, value: unknown, at: string): Candidate[] {
  if (target.to === 'column') {
    return [{ operand: { from: 'column', column: target.column }, kind: target.kind, value }];
  }
  if (target.to === 'texts') return [{ operand: { from: 'elements', column: target.column }, kind: 'text', value }];
  if (target.to === 'place') refuse(at, 'a location can only be compared as a whole, or by its lat and lng');
  const inside = (as: 'number' | 'text' | 'flag', kind: ScalarKind): Candidate => ({
    operand: { from: 'json', column: target.column, path: target.path, as },
    kind,
    value,
  });
  if (typeof value === 'number') return [inside('number', 'number')];
  if (typeof value === 'boolean') return [inside('flag', 'flag')];
  if (typeof value !== 'string') refuse(at, 'must be a number, a string, true or false');
  const read = [inside('text', 'text')];
  if (reading.loose && isNumeric(value)) read.push(inside('number', 'number'));
  if (reading.loose && (value === 'true' || value === 'false')) read.push(inside('flag', 'flag'));
  return read;
}

function ordered(reading: ParseContext, target: FieldTarget, sign: Sign, value: unknown, at: string): Term {
  if (value === null || value === undefined) refuse(at, 'null has no order: use eq or neq');
  return any(
    candidates(reading, target, value, at).map(({ operand, kind, value }) => {
      const cell = coerce(kind, value, at);
      return cell === unmatchable ? never : compared(operand, kind, sign, cell);
    }),
  );
}

/** Rejected on a list of strings, because one element could satisfy the lower bound and another the upper. */
function between(reading: ParseContext, target: FieldTarget, [from, to]: unknown[], at: string): Term {
  const [lower, upper] = [ordered(reading, target, '>=', from, at), ordered(reading, target, '<=', to, at)];
  if (target.to === 'texts') refuse(at, 'between does not work on a list of strings');
  return all([lower, upper]);
}

function equal(reading: ParseContext, target: FieldTarget, value: unknown, at: string): Term {
  if (value === null || value === undefined) return { term: 'absent', target };
  if (target.to === 'place') {
    const [lat, lng] = coordinates(value, at);
    const is = (column: string, cell: number) => compared({ from: 'column', column }, 'number', '=', cell);
    return all([is(`${target.name}Lat`, lat), is(`${target.name}Lng`, lng)]);
  }
  if (target.to === 'json' && typeof value === 'object') {
    const json = comparableJson(value, at);
    return json === undefined ? never : { term: 'equalJson', column: target.column, path: target.path, json };
  }
  return ordered(reading, target, '=', value, at);
}

/** Returns undefined if the value contains a text that cannot be stored. */
function comparableJson(value: object, at: string): string | undefined {
  const check = (inside: unknown, depth: number): boolean => {
    if (typeof inside === 'string') return isStorable(inside);
    if (typeof inside !== 'object' || inside === null) return inside !== Infinity && inside !== -Infinity;
    if (depth >= bounds.nesting) refuse(at, `an object to compare with may be nested at most ${bounds.nesting} deep`);
    const entries = Object.entries(inside);
    // Checks every entry without stopping early, so that a 400 does not depend on the order of the entries.
    return entries.map(([key, one]) => isStorable(key) && check(one, depth + 1)).every(Boolean);
  };
  return check(value, 0) ? JSON.stringify(value) : undefined;
}

function inList(reading: ParseContext, target: FieldTarget, value: unknown, at: string): Term {
  const values = listOf(value, reading.loose);
  if (!values) refuse(at, 'must be a list');
  if (values.length > bounds.list) refuse(at, `a list may have at most ${bounds.list} values`);
  reading.values += values.length;
  if (reading.values > bounds.values)
    refuse(at, `the lists of a filter may have at most ${bounds.values} values together`);
  const terms: Term[] = [];
  const lists = new Map<string, { operand: Operand; kind: ScalarKind; cells: (string | number)[] }>();
  for (const [i, one] of values.entries()) {
    const here = `${at}[${i}]`;
    if (one === null || typeof one === 'object' || target.to === 'place') {
      terms.push(equal(reading, target, one, here));
      continue;
    }
    for (const candidate of candidates(reading, target, one, here)) {
      const cell = coerce(candidate.kind, candidate.value, here);
      if (cell === unmatchable || cell === null) continue;
      const list = lists.get(candidate.kind) ?? { ...candidate, cells: [] };
      list.cells.push(cell);
      lists.set(candidate.kind, list);
    }
  }
  for (const { operand, kind, cells } of lists.values()) terms.push(among(operand, kind, cells));
  return any(terms);
}

function like(target: FieldTarget, value: unknown, folded: boolean, at: string): Term {
  const pattern = parseLike(value, folded, at);
  const operand = textOperand(target, at);
  return pattern ? { term: 'test', operand, test: { is: 'like', pattern } } : never;
}

function textOperand(target: FieldTarget, at: string): Operand {
  if (target.to === 'texts') return { from: 'elements', column: target.column };
  if (target.to === 'json') return { from: 'json', column: target.column, path: target.path, as: 'text' };
  if (target.to === 'column' && target.kind === 'text') return { from: 'column', column: target.column };
  refuse(at, 'needs a text field');
}

/** The context and counters while one `where` is parsed. */
export interface ParseContext {
  readonly fields: FilterFields;
  /** Read from brackets: every value arrived as text. */
  readonly loose: boolean;
  terms: number;
  values: number;
  near: Near | undefined;
}

const metresPer: Record<string, number> = Object.assign(Object.create(null), {
  meters: 1,
  kilometers: 1_000,
  miles: 1_609.344,
  feet: 0.3048,
});

/** The keys that belong to `near` in its clause. */
export const nearKeys: readonly string[] = ['near', 'minDistance', 'maxDistance', 'unit'];

export function parseNear(name: string, clause: Record<string, unknown>, at: string): Near {
  const [lat, lng] = coordinates(clause.near, `${at}.near`);
  const unit = clause.unit ?? 'meters';
  const factor = typeof unit === 'string' ? metresPer[unit] : undefined;
  if (factor === undefined) {
    refuse(`${at}.unit`, `must be one of meters, kilometers, miles, feet, not ${named(String(JSON.stringify(unit)))}`);
  }
  const distance = (key: 'minDistance' | 'maxDistance') => {
    const value = clause[key];
    if (value === undefined || value === null) return undefined;
    const length = numberOf(value, `${at}.${key}`);
    if (length < 0) refuse(`${at}.${key}`, 'must not be negative');
    return length * factor;
  };
  return { name, lat, lng, minDistanceM: distance('minDistance'), maxDistanceM: distance('maxDistance') };
}

/** Reads `{lat, lng}`, `"lat,lng"` or `[lat, lng]`. */
function coordinates(value: unknown, at: string): [number, number] {
  let lat: unknown;
  let lng: unknown;
  if (typeof value === 'string') [lat, lng] = pair(value.split(',').map((part) => part.trim()));
  else if (Array.isArray(value)) [lat, lng] = pair(value);
  else if (isObject(value)) ({ lat, lng } = value);
  if (lat === undefined || lng === undefined) refuse(at, 'must be {lat, lng} or "lat,lng"');
  const [latitude, longitude] = [numberOf(lat, `${at}.lat`), numberOf(lng, `${at}.lng`)];
  if (Math.abs(latitude) > 90) refuse(`${at}.lat`, 'must be between -90 and 90');
  if (Math.abs(longitude) > 180) refuse(`${at}.lng`, 'must be between -180 and 180');
  return [latitude, longitude];
}

function pair(values: unknown[]): [unknown, unknown] {
  return values.length === 2 ? [values[0], values[1]] : [undefined, undefined];
}
