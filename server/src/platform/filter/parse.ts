import type { TableShape } from '../storage/shape.ts';
import { bounds, refuse } from './bounds.ts';
import { readBrackets } from './bracket.ts';
import type { FilterFields } from './fields.ts';
import { type Include, readInclude } from './include.ts';
import { type OrderTerm, readOrder } from './order.ts';
import { readProjection } from './projection.ts';
import { isNumeric, isObject } from './value.ts';
import { everything, readWhere, type Where } from './where.ts';

export interface Filter {
  readonly where: Where;
  readonly order: readonly OrderTerm[];
  readonly limit: number;
  readonly skip: number;
  /** The fields to return. */
  readonly shape: TableShape;
  readonly include: readonly Include[];
}

export interface FilterOptions {
  /** The relations that `include` may name. */
  readonly relations?: readonly string[];
}

/** The decoded keys and values of a query string, in order. */
export type Query = readonly (readonly [string, string])[];

/** Parses the filter of a list from `filter=<JSON>` or `filter[where][type]=safe`. */
export function parseFilter(query: Query, fields: FilterFields, options: FilterOptions = {}): Filter {
  const { value, loose } = parameter(query, 'filter');
  return readFilter(value, fields, loose, options);
}

/** Parses a filter that is already an object, like the scope of an include. `loose` if it was read from brackets. */
export function parseFilterObject(
  value: unknown,
  fields: FilterFields,
  options: FilterOptions & { loose?: boolean } = {},
): Filter {
  return readFilter(value, fields, options.loose ?? false, options);
}

/** Parses the condition of a count: `where=<JSON>`, `where[type]=safe`, or the `where` of a filter. */
export function parseWhere(query: Query, fields: FilterFields): Where {
  const where = parameter(query, 'where');
  const filter = parameter(query, 'filter');
  if (where.value === undefined) return readFilter(filter.value, fields, filter.loose, {}).where;
  if (filter.value !== undefined) refuse('where', 'give either where or filter, not both');
  return readWhere(where.value, fields, where.loose);
}

function readFilter(value: unknown, fields: FilterFields, loose: boolean, options: FilterOptions): Filter {
  if (value !== undefined && value !== null && !isObject(value)) refuse('filter', 'must be an object');
  const given = value ?? {};
  const part = (name: string) => (Object.hasOwn(given, name) ? given[name] : undefined);
  const limit = whole(part('limit'), 'limit');
  const skip = part('skip') ?? undefined;
  return {
    where: part('where') === '' ? everything : readWhere(part('where'), fields, loose),
    order: readOrder(part('order'), fields, loose),
    limit: limit === 0 ? bounds.rows : Math.min(limit, bounds.rows),
    skip: skip === undefined ? whole(part('offset'), 'offset') : whole(skip, 'skip'),
    shape: readProjection(part('fields'), fields, loose),
    include: readInclude(part('include'), options.relations ?? [], loose),
  };
}

function whole(value: unknown, at: string): number {
  if (value === undefined || value === null || value === '') return 0;
  const number = typeof value === 'string' && isNumeric(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number) || number < 0) {
    refuse(at, 'must be a whole number, 0 or more');
  }
  if (number > Number.MAX_SAFE_INTEGER && at !== 'limit') refuse(at, `must be at most ${Number.MAX_SAFE_INTEGER}`);
  return number;
}

/** Reads one parameter of the query, as JSON or in brackets; undefined if it is absent or empty. */
function parameter(query: Query, name: string): { value: unknown; loose: boolean } {
  const texts = query.filter(([key]) => key === name);
  const bracketed = query.filter(([key]) => key.startsWith(`${name}[`));
  if (texts.length > 1) refuse(name, 'is given more than once');
  if (bracketed.length > 0) {
    if (texts.length > 0) refuse(name, 'is given both as JSON and in brackets');
    return { value: readBrackets(name, bracketed), loose: true };
  }
  const text = texts[0]?.[1].trim() ?? '';
  return { value: text === '' ? undefined : readJson(name, text), loose: false };
}

function readJson(name: string, text: string): unknown {
  if (deepest(text) > bounds.brackets) refuse(name, `may be nested at most ${bounds.nesting} deep`);
  try {
    return JSON.parse(text);
  } catch {
    return refuse(name, 'is not JSON');
  }
}

/** Returns the nesting depth of brackets in a JSON text, counted without recursion before anything walks it. */
function deepest(text: string): number {
  let depth = 0;
  let most = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (quoted) {
      if (char === '\\') i++;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === '[' || char === '{') most = Math.max(most, ++depth);
    else if (char === ']' || char === '}') depth--;
  }
  return most;
}
