import type { TableShape } from '../storage/shape.ts';
import { type Include, type OrderTerm, readInclude, readOrder } from './clauses.ts';
import { type FilterFields, namesIn } from './fields.ts';
import { all } from './term.ts';
import { bounds, checkKey, flagOf, isNumeric, isObject, listOf, refuse, refuseUnknown } from './value.ts';
import { everything, readWhere, type Where } from './where.ts';

export interface Filter {
  readonly where: Where;
  /** Without the condition of `after`, if that was given. */
  readonly whole?: Where;
  readonly order: readonly OrderTerm[];
  readonly limit: number;
  readonly skip: number;
  /** The fields to return. */
  readonly shape: TableShape;
  readonly include: readonly Include[];
}

interface FilterOptions {
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
  if (filter.value !== undefined) refuse('where', 'send either where or filter, not both');
  return readWhere(where.value, fields, where.loose);
}

const PARTS = ['where', 'order', 'limit', 'skip', 'offset', 'after', 'fields', 'include'];

function readFilter(value: unknown, fields: FilterFields, loose: boolean, options: FilterOptions): Filter {
  if (value !== undefined && value !== null && !isObject(value)) refuse('filter', 'must be an object');
  const given = value ?? {};
  if (fields.isStrict) {
    for (const key of Object.keys(given)) if (!PARTS.includes(key)) refuseUnknown('filter', 'key', key, PARTS);
  }
  const part = (name: string) => (Object.hasOwn(given, name) ? given[name] : undefined);
  const limit = whole(part('limit'), 'limit');
  const skip = part('skip') ?? undefined;
  const where = part('where') === '' ? everything : readWhere(part('where'), fields, loose);
  const order = readOrder(part('order'), fields, loose);
  const after = part('after') ?? undefined;
  return {
    where: after === undefined ? where : readAfter(after, where, order, fields, loose),
    ...(after !== undefined && { whole: where }),
    order,
    limit: limit === 0 ? bounds.rows : Math.min(limit, bounds.rows),
    skip: skip === undefined ? whole(part('offset'), 'offset') : whole(skip, 'skip'),
    shape: readProjection(part('fields'), fields, loose),
    include: readInclude(part('include'), options.relations ?? [], loose),
  };
}

/** The column of an order that lets a list continue after an entry: one that is never null. */
export function leadingColumn(order: readonly OrderTerm[], fields: FilterFields) {
  const [leading = { target: { to: 'column', column: fields.isByTime ? fields.timeRange : 'id' }, descending: false }] =
    order;
  const { target, descending } = leading;
  if (target.to !== 'column' || (target.column !== 'id' && target.column !== fields.timeRange)) return undefined;
  // Entries with the same time are ordered by id, unless another order is given.
  const isPlain = target.column === 'id' || order.length < 2;
  return isPlain ? { column: target.column!, descending } : undefined;
}

/** Excludes an entry, given by its id and its value in the order, and all entries before it. */
function readAfter(
  after: unknown,
  { term, near }: Where,
  order: readonly OrderTerm[],
  fields: FilterFields,
  loose: boolean,
): Where {
  if (!isObject(after)) refuse('after', 'must be an object');
  const leading = near === undefined ? leadingColumn(order, fields) : undefined;
  if (leading === undefined)
    refuse('after', `needs an order by ${[...new Set([fields.timeRange ?? 'id', 'id'])].join(' or ')}`);
  const { column, descending } = leading;
  for (const name of new Set([column, 'id']))
    if (!Object.hasOwn(after, name) || after[name] === null) refuse('after', `must have the ${name} of an entry`);
  const behind =
    column === 'id'
      ? { id: { [descending ? 'lt' : 'gt']: after.id } }
      : {
          [column]: { [descending ? 'lte' : 'gte']: after[column] },
          or: [{ [column]: { neq: after[column] } }, { id: { gt: after.id } }],
        };
  return { term: all([term, readWhere(behind, fields, loose, 'after').term]), near };
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

/** Reads the part of the shape that `fields` asks for: a name, a list of names, `{name: true}` or `{name: false}`. */
function readProjection(value: unknown, { shape, isStrict }: FilterFields, loose: boolean): TableShape {
  if (value === undefined || value === null || value === '') return shape;
  const names = typeof value === 'string' ? [value] : listOf(value, loose);
  if (names) {
    if (names.length > bounds.list) refuse('fields', `a list may have at most ${bounds.list} names`);
    for (const name of names) {
      if (typeof name !== 'string') refuse('fields', 'must be a list of names');
      checkKey('fields', name);
      if (isStrict) requireField(shape, name);
    }
    return names.length === 0 ? shape : shape.filter(({ name }) => names.includes(name));
  }
  if (!isObject(value)) refuse('fields', 'must be a list of names, or an object of names and true or false');
  const wanted = new Map(Object.keys(value).map((name) => [name, flagOf(value[name], `fields.${name.slice(0, 60)}`)]));
  if (isStrict) for (const name of wanted.keys()) requireField(shape, name);
  const some = [...wanted.values()].includes(true);
  return shape.filter(({ name }) => (some ? wanted.get(name) === true : wanted.get(name) !== false));
}

function requireField(shape: TableShape, name: string): void {
  const names = namesIn(shape);
  if (!names.includes(name)) refuseUnknown('fields', 'field', name, names);
}

/** Objects parsed from brackets have no prototype, so that `constructor` is an ordinary name. */
type Branch = { [key: string]: unknown };

const newBranch = (): Branch => Object.create(null) as Branch;

/**
 * Parses the object of keys like `filter[where][type]`. Every value is text. A repeated key creates a list, and `[]`
 * appends to one.
 */
function readBrackets(root: string, pairs: readonly (readonly [string, string])[]): Branch {
  const tree = newBranch();
  for (const [key, value] of pairs) {
    const segments = segmentsOf(root, key);
    let branch = tree;
    for (const [i, segment] of segments.entries()) {
      const here = segment === '' ? String(Object.keys(branch).length) : segment;
      const there = Object.hasOwn(branch, here) ? branch[here] : undefined;
      if (i === segments.length - 1) branch[here] = joined(root, there, value);
      else {
        if (there === undefined) branch[here] = newBranch();
        else if (!isBranch(there)) refuse(root, 'the same key has a value and brackets');
        branch = branch[here] as Branch;
      }
    }
  }
  return tree;
}

const isBranch = (value: unknown): value is Branch => typeof value === 'object' && !Array.isArray(value);

function joined(root: string, there: unknown, value: string): unknown {
  if (there === undefined) return value;
  if (isBranch(there)) refuse(root, 'the same key has a value and brackets');
  return Array.isArray(there) ? [...there, value] : [there, value];
}

function segmentsOf(root: string, key: string): string[] {
  const inside = key.slice(root.length);
  if (!/^(?:\[[^[\]]*\])+$/.test(inside)) refuse(root, 'its brackets are not balanced');
  const segments = inside.slice(1, -1).split('][');
  if (segments.length > bounds.brackets) refuse(root, `may be nested at most ${bounds.nesting} deep`);
  for (const segment of segments) checkKey(root, segment);
  if (segments[0] === '') refuse(root, 'its first brackets are empty');
  return segments;
}
