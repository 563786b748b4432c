import { type FieldTarget, type FilterFields, resolve } from './fields.ts';
import { bounds, checkKey, listOf, named, refuse } from './value.ts';

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
