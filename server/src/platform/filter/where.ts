import { type FieldTarget, type FilterFields, namesIn, resolve } from './fields.ts';
import { isOperator, nearKeys, type ParseContext, parseNear, parseOperator } from './operator.ts';
import { all, always, any, type Near, never, not, type Term } from './term.ts';
import { bounds, checkKey, isObject, listOf, named, refuse, refuseUnknown } from './value.ts';

export interface Where {
  readonly term: Term;
  /** The place to sort by distance from. */
  readonly near: Near | undefined;
}

export const everything: Where = { term: always, near: undefined };

export function readWhere(value: unknown, fields: FilterFields, loose: boolean, at = 'where'): Where {
  if (value === undefined || value === null) return everything;
  const reading: ParseContext = { fields, loose, terms: 0, values: 0, near: undefined };
  const term = readClause(reading, value, at, 0, true);
  return { term, near: reading.near };
}

/** All entries of one object must be true. `conjunctive` is false inside `or` and `nor`. */
function readClause(reading: ParseContext, value: unknown, at: string, depth: number, conjunctive: boolean): Term {
  if (!isObject(value)) refuse(at, 'must be an object');
  const keys = Object.keys(value);
  if (keys.length === 0) countTerm(reading);
  return all(
    keys.map((key) => {
      checkKey(at, key);
      const inside = value[key];
      if (key === 'and' || key === 'or' || key === 'nor') {
        return readGroup(reading, key, inside, `${at}.${key}`, depth + 1, conjunctive && key === 'and');
      }
      return readField(reading, key, inside, `${at}.${named(key)}`, conjunctive);
    }),
  );
}

function readGroup(
  reading: ParseContext,
  key: 'and' | 'or' | 'nor',
  value: unknown,
  at: string,
  depth: number,
  conjunctive: boolean,
): Term {
  if (depth > bounds.nesting) refuse(at, `and, or and nor may be nested at most ${bounds.nesting} deep`);
  const clauses = listOf(value, reading.loose);
  if (!clauses) refuse(at, 'must be a list');
  if (clauses.length > bounds.list) refuse(at, `a list may have at most ${bounds.list} entries`);
  const terms = clauses.map((clause, i) => readClause(reading, clause, `${at}[${i}]`, depth, conjunctive));
  if (key === 'and') return all(terms);
  return key === 'or' ? any(terms) : not(any(terms));
}

function readField(reading: ParseContext, name: string, value: unknown, at: string, conjunctive: boolean): Term {
  if (/["\\]/.test(name)) refuse(at, 'a name must not contain " or \\');
  const target = resolve(reading.fields, name);
  if (!target || !name.isWellFormed() || name.includes('\0')) {
    const { isStrict, shape } = reading.fields;
    if (isStrict) refuseUnknown(at, 'field', name, namesIn(shape));
    countTerm(reading);
    return never;
  }
  if (!isClause(value)) return operator(reading, target, 'eq', value, at);
  const keys = Object.keys(value);
  if (!keys.some(isOperator)) {
    if (target.to === 'json' || target.to === 'place') return operator(reading, target, 'eq', value, at);
    refuse(at, keys.length === 0 ? 'an empty clause' : `unknown operator ${named(keys[0]!)}`);
  }
  const terms: Term[] = [];
  for (const key of keys) {
    if (Object.hasOwn(value, 'near') && nearKeys.includes(key)) {
      if (key === 'near') terms.push(near(reading, target, value, at, conjunctive));
    } else if (isOperator(key)) terms.push(operator(reading, target, key, value[key], `${at}.${key}`));
    else refuse(at, `unknown operator ${named(key)}`);
  }
  return all(terms);
}

function isClause(value: unknown): value is Record<string, unknown> {
  return isObject(value);
}

function operator(reading: ParseContext, target: FieldTarget, key: string, value: unknown, at: string): Term {
  countTerm(reading);
  return parseOperator(reading, target, key, value, at);
}

function near(
  reading: ParseContext,
  target: FieldTarget,
  clause: Record<string, unknown>,
  at: string,
  conjunctive: boolean,
): Term {
  countTerm(reading);
  if (target.to !== 'place') refuse(at, 'near needs a location field');
  if (!conjunctive) refuse(at, 'near can only be used at the top level or inside and');
  if (reading.near) refuse(at, 'near can be used only once');
  reading.near = parseNear(target.name, clause, at);
  return { term: 'within', near: reading.near };
}

function countTerm(reading: ParseContext): void {
  reading.terms++;
  if (reading.terms > bounds.terms) refuse('where', `may have at most ${bounds.terms} terms`);
}
