import type { TSchema } from 'typebox';
import { type Accepted, take, type Violation, Wrong } from './accept.ts';
import { type Fields, isDateRange, isRequired } from './schema.ts';

/**
 * Parses the declared parameters of a query. Published clients send values as JSON text, as plain text, or a number
 * with `.0`, and lists in several notations: `a=1&a=2`, `a[]=1`, `a[0]=1`, `a=1,2`, `a=["1","2"]`.
 */

type Pairs = ReadonlyArray<readonly [string, string]>;

export class GivenTwice extends Error {}

export function acceptQuery(fields: Fields, pairs: Pairs): Accepted {
  const values: Record<string, unknown> = {};
  const violations: Violation[] = [];
  for (const [field, schema] of Object.entries(fields)) {
    // The contract declares this parameter as ignored, so its value is not validated.
    if (field === 'refresh') continue;
    const given = givenIn(pairs, field, schema);
    if (given === undefined) {
      if (isRequired(schema)) violations.push({ field, code: 'presence', message: "can't be blank" });
      continue;
    }
    const taken = take(schema, given);
    if (taken instanceof Wrong) violations.push({ field, code: taken.code, message: taken.message });
    else values[field] = atMost(schema, taken);
  }
  return { values, violations };
}

const typeOf = (schema: TSchema) => (schema as { type?: string }).type;
export const isList = (schema: TSchema) => typeOf(schema) === 'array' && !isDateRange(schema);

function givenIn(pairs: Pairs, field: string, schema: TSchema): unknown {
  if (isList(schema)) return listIn(pairs, field);
  return (isDateRange(schema) ? rangeIn(pairs, field) : undefined) ?? scalarIn(pairs, field, schema);
}

/** The two ends of a range as separate values, in the notations of a list. An empty end is open. */
function rangeIn(pairs: Pairs, field: string): unknown[] | undefined {
  const ends = pairs.filter(([name]) => isNamed(name, field));
  if (ends.length < 2 && ends[0]?.[0] === field) return undefined;
  return ends.length === 0
    ? undefined
    : ends.map(([, text]) => (text === '' || text === 'null' ? null : unquoted(text)));
}

function scalarIn(pairs: Pairs, field: string, schema: TSchema): unknown {
  const given = pairs.filter(([name]) => name === field);
  if (given.length > 1) throw new GivenTwice(`${field} is given more than once`);
  const text = given[0]?.[1];
  if (text === undefined) return undefined;
  if (text === '') return takesEmpty(schema) ? text : undefined;
  const { type, enum: members, anyOf } = schema as { type?: string; enum?: unknown; anyOf?: unknown };
  // A parameter of any JSON value: a value that is not JSON is text.
  if (type === undefined && members === undefined && anyOf === undefined) {
    const value = parsed(text);
    return value === undefined ? text : value;
  }
  return type === 'array' || type === 'object' ? text : unquoted(text);
}

/** An empty value counts as absent, unless it is meaningful. An empty enum value is an error. */
function takesEmpty(schema: TSchema): boolean {
  const { enum: members, 'x-empty': empty } = schema as { enum?: unknown; 'x-empty'?: boolean };
  return members !== undefined || empty === true;
}

function listIn(pairs: Pairs, field: string): unknown[] | undefined {
  const texts = pairs.filter(([name, text]) => text !== '' && isNamed(name, field));
  return texts.length === 0 ? undefined : texts.flatMap(([, text]) => listed(text));
}

/** `a`, `a[]` and `a[0]`. */
function isNamed(name: string, field: string): boolean {
  return name === field || (name.startsWith(`${field}[`) && /^\[\d{0,6}\]$/.test(name.slice(field.length)));
}

function listed(text: string): unknown[] {
  const value = text.startsWith('[') ? parsed(text) : undefined;
  if (Array.isArray(value)) return value;
  return unquoted(text)
    .split(',')
    .map((item) => unquoted(item.trim()))
    .filter((item) => item !== '');
}

/** `"5"` is 5: a JSON string means its content. */
function unquoted(text: string): string {
  const value = text.startsWith('"') && text.endsWith('"') ? parsed(text) : undefined;
  return typeof value === 'string' ? value : text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function atMost(schema: TSchema, value: unknown): unknown {
  const most = (schema as { 'x-most'?: number })['x-most'];
  return most === undefined ? value : Math.min(value as number, most);
}
