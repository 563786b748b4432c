import { type FieldTarget, type FilterFields, resolve } from './fields.ts';
import { bounds, checkKey, flagOf, isObject, listOf, named, refuse } from './value.ts';

/** The clauses `order` and `include` of a filter. */

export interface OrderTerm {
  readonly target: Extract<FieldTarget, { to: 'column' } | { to: 'json' }>;
  readonly descending: boolean;
}

/** Reads `"field ASC"`, `"a, b DESC"`, or a list of such; no order if absent or empty. */
export function readOrder(value: unknown, fields: FilterFields, loose: boolean): OrderTerm[] {
  if (value === undefined || value === null) return [];
  const texts = typeof value === 'string' ? [value] : listOf(value, loose);
  if (!texts) refuse('order', 'must be a string or a list of strings');
  const terms: OrderTerm[] = [];
  const seen = new Set<string>();
  for (const text of texts) {
    if (typeof text !== 'string') refuse('order', 'must be a string or a list of strings');
    for (const part of text.split(',')) {
      const words = part.trim().split(/\s+/);
      const name = words[0]!;
      if (name === '') continue;
      if (terms.length >= bounds.orderFields) refuse('order', `may have at most ${bounds.orderFields} fields`);
      const term = readTerm(name, words.slice(1), fields);
      // A repeated field cannot change the order.
      if (!seen.has(name)) terms.push(term);
      seen.add(name);
    }
  }
  return terms;
}

function readTerm(name: string, remaining: string[], fields: FilterFields): OrderTerm {
  checkKey('order', name);
  const direction = remaining[0]?.toUpperCase() ?? 'ASC';
  if (remaining.length > 1 || (direction !== 'ASC' && direction !== 'DESC')) {
    refuse('order', `the direction of ${named(name)} must be ASC or DESC`);
  }
  const target = /["\\\0]/.test(name) || !name.isWellFormed() ? undefined : resolve(fields, name);
  if (!target) refuse('order', `unknown field ${named(name)}`);
  if (target.to !== 'column' && target.to !== 'json') refuse('order', `${named(name)} has no order`);
  return { target, descending: direction === 'DESC' };
}

/** A relation to include in each row. Its scope is a filter of the related table that is not parsed yet. */
export interface Include {
  readonly relation: string;
  readonly scope: unknown;
  /** The scope was parsed from brackets, which `parseFilterObject` must know. */
  readonly loose: boolean;
}

/**
 * Reads `"config"`, `["config", "points"]`, `{relation, scope}`, `{config: true}`, `{points: {scope}}`, or a list of
 * these.
 */
export function readInclude(value: unknown, relations: readonly string[], loose: boolean): Include[] {
  const found = new Map<string, Include>();
  const add = (relation: unknown, scope: unknown) => {
    if (typeof relation !== 'string') refuse('include', 'a relation must be a name');
    if (!relations.includes(relation)) refuse('include', `unknown relation ${named(relation)}`);
    if (scope !== undefined && scope !== null && !isObject(scope)) {
      refuse('include', `the scope of ${named(relation)} must be an object`);
    }
    found.set(relation, { relation, scope: scope ?? undefined, loose });
  };
  const addEach = (one: unknown, depth: number): void => {
    if (typeof one === 'string') {
      for (const name of one.split(',')) if (name.trim() !== '') add(name.trim(), undefined);
      return;
    }
    const list = listOf(one, loose && isObject(one));
    if (list) {
      if (depth > 1) refuse('include', 'must be a name, a list, or {relation, scope}');
      for (const inside of list) addEach(inside, depth + 1);
    } else if (!isObject(one)) refuse('include', 'must be a name, a list, or {relation, scope}');
    else if (Object.hasOwn(one, 'relation')) add(one.relation, one.scope);
    else for (const key of Object.keys(one)) addNamed(key, one[key]);
  };
  const addNamed = (relation: string, wish: unknown) => {
    if (isObject(wish)) add(relation, Object.hasOwn(wish, 'scope') ? wish.scope : wish);
    else if (flagOf(wish, `include.${named(relation)}`)) add(relation, undefined);
  };
  if (value !== undefined && value !== null) addEach(value, 0);
  return [...found.values()];
}
