import type { TSchema } from 'typebox';
import { NAMED_SCHEMAS } from './prices.ts';
import { type DateRange, isDateRange, isNeverNull, isReadOnly, type Noun } from './schema.ts';
import { isStorable, isStorableText, parseTime } from './values.ts';

/**
 * Validates request bodies. All bodies use the same rules: unknown and read-only fields are dropped, safe coercions are
 * made, a new resource gets its defaults, and all violations are reported together.
 */

export interface Violation {
  readonly field: string;
  /** A stable code for programs: presence, type, date, range, length, inclusion, … */
  readonly code: string;
  readonly message: string;
}

export interface Accepted {
  readonly values: Record<string, unknown>;
  readonly violations: readonly Violation[];
}

type Json = Record<string, unknown>;
interface Limits {
  type?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minItems?: number;
  maxItems?: number;
  enum?: readonly unknown[];
  anyOf?: readonly TSchema[];
  items?: TSchema;
  properties?: Record<string, TSchema>;
  required?: readonly string[];
  default?: unknown;
  /** A number that devices send for "unknown". */
  'x-unknown'?: number;
  /** The named schema that this one refers to, and its maximum recursion depth. */
  'x-same-as'?: string;
  'x-depth'?: number;
}

export function accept(noun: Noun, mode: 'create' | 'update', body: Json): Accepted {
  const values: Json = {};
  const violations: Violation[] = [];
  for (const [field, schema] of Object.entries(noun.fields)) {
    if (isReadOnly(schema)) continue;
    const sent = Object.hasOwn(body, field) ? body[field] : undefined;
    if (sent === undefined || (sent === null && mode === 'create')) {
      if (mode === 'update') continue;
      const defaultValue = (schema as Limits).default;
      if (defaultValue !== undefined) values[field] = defaultValue;
      else if (noun.required.includes(field)) violations.push(blank(field));
      continue;
    }
    if (sent === null) {
      if (isNeverNull(noun, field)) violations.push(blank(field));
      else values[field] = null;
      continue;
    }
    const taken = take(schema, sent);
    if (taken instanceof Wrong) violations.push({ field, code: taken.code, message: taken.message });
    else values[field] = taken;
  }
  return { values, violations };
}

const blank = (field: string): Violation => ({ field, code: 'presence', message: "can't be blank" });

/** Why a value is invalid. `message` completes a sentence that starts with the field's name. */
export class Wrong {
  readonly code: string;
  readonly message: string;
  constructor(code: string, message: string) {
    this.code = code;
    this.message = message;
  }
}

/** Validates one value against its schema. Returns the coerced value, or what is wrong with it. */
export function take(schema: TSchema, sent: unknown, depth = 0): unknown | Wrong {
  const limits = schema as Limits;
  if (limits['x-same-as'] !== undefined) return takeNamed(limits, sent, depth + 1);
  if (limits.enum !== undefined) return takeMember(limits.enum, sent);
  if (limits.anyOf !== undefined) return takeFirst(limits.anyOf, sent);
  switch (limits.type) {
    case 'integer':
      return takeNumber(limits, sent, true);
    case 'number':
      return takeNumber(limits, sent, false);
    case 'boolean':
      return takeFlag(sent);
    case 'string':
      return limits.format === 'date-time' ? takeTime(sent) : takeText(limits, sent);
    case 'array':
      return isDateRange(schema) ? takeRange(sent) : takeList(limits, sent);
    case 'object':
      return takeObject(limits, sent, depth);
    default:
      return isStorable(sent)
        ? sent
        : new Wrong('type', 'contains a character that cannot be stored, or is nested too deeply');
  }
}

const NUMERAL = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$/;

function takeNumber(limits: Limits, sent: unknown, whole: boolean): number | null | Wrong {
  const value =
    typeof sent === 'number' ? sent : typeof sent === 'string' && NUMERAL.test(sent.trim()) ? Number(sent) : Number.NaN;
  if (!Number.isFinite(value)) return new Wrong('type', 'is not a number');
  if (value === limits['x-unknown']) return null;
  if (whole && !Number.isInteger(value)) return new Wrong('integer', 'is not an integer');
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = limits;
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum)
    return new Wrong('range', `must be greater than ${exclusiveMinimum}`);
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum)
    return new Wrong('range', `must be less than ${exclusiveMaximum}`);
  if (maximum === Number.MAX_SAFE_INTEGER && value > maximum) return new Wrong('range', 'is too large');
  if ((minimum !== undefined && value < minimum) || (maximum !== undefined && value > maximum)) {
    return new Wrong(
      'range',
      maximum === undefined || maximum === Number.MAX_SAFE_INTEGER
        ? `must be at least ${minimum}`
        : minimum === undefined
          ? `must be at most ${maximum}`
          : `must be between ${minimum} and ${maximum}`,
    );
  }
  return value;
}

function takeFlag(sent: unknown): boolean | Wrong {
  if (typeof sent === 'boolean') return sent;
  const word = typeof sent === 'string' ? sent.toLowerCase() : sent;
  if (word === 'true' || word === '1' || word === 1) return true;
  if (word === 'false' || word === '0' || word === 0) return false;
  return new Wrong('type', 'must be true or false');
}

function takeText(limits: Limits, sent: unknown): string | Wrong {
  if (typeof sent !== 'string' && typeof sent !== 'number' && typeof sent !== 'boolean')
    return new Wrong('type', 'is not a string');
  const value = String(sent);
  if (!isStorableText(value)) return new Wrong('type', 'contains a character that cannot be stored');
  if (limits.minLength !== undefined && value.trim() === '') return new Wrong('presence', "can't be blank");
  if (limits.minLength !== undefined && charactersIn(value, limits.minLength) < limits.minLength)
    return new Wrong('length', `must have at least ${limits.minLength} characters`);
  if (limits.maxLength !== undefined && charactersIn(value, limits.maxLength) > limits.maxLength)
    return new Wrong('length', `must have at most ${limits.maxLength} characters`);
  return value;
}

/**
 * As JSON Schema counts them: a character outside the basic plane counts as one. A text that is far too long is not
 * counted.
 */
function charactersIn(text: string, limit: number): number {
  return text.length > 2 * limit ? text.length : [...text].length;
}

/** 1973, in milliseconds. Smaller numbers are rejected, since they are probably seconds. */
const FIRST_MS = 1e11;
const isInSeconds = (sent: unknown) =>
  typeof sent === 'number' ? sent < FIRST_MS : typeof sent === 'string' && /^-?\d{5,}$/.test(sent) && +sent < FIRST_MS;
const IN_SECONDS = new Wrong('date', 'is not a time in milliseconds: did you send seconds?');

function takeTime(sent: unknown): string | Wrong {
  if (isInSeconds(sent)) return IN_SECONDS;
  const at = parseTime(sent);
  return at === undefined ? new Wrong('date', 'is not a date') : new Date(at).toISOString();
}

/** `[from, to]`, also as JSON text; or both in one text with a comma between them. */
function takeRange(sent: unknown): DateRange | Wrong {
  const value = parsedIfText(sent);
  const ends = typeof value === 'string' ? value.split(',').map((end) => end.trim() || null) : value;
  if (!Array.isArray(ends) || ends.length !== 2) return new Wrong('type', 'must have two entries: [from, to]');
  const [from, to] = ends.map((end) => (end === null || end === 'null' ? null : parseTime(end)));
  if (from === undefined || to === undefined) return new Wrong('date', 'must have two times: [from, to]');
  if (from !== null && to !== null && from > to) return new Wrong('range', 'must not begin after its end');
  return [from, to];
}

function takeMember(members: readonly unknown[], sent: unknown): unknown | Wrong {
  return members.includes(sent) ? sent : new Wrong('inclusion', `is not one of ${members.join(', ')}`);
}

function takeFirst(choices: readonly TSchema[], sent: unknown): unknown | Wrong {
  let wrong: unknown;
  for (const choice of choices) {
    const taken = take(choice, sent);
    if (!(taken instanceof Wrong)) return taken;
    wrong ??= taken;
  }
  return wrong;
}

/** Form-encoded bodies contain only strings, so an object or an array may arrive as JSON text. */
function parsedIfText(sent: unknown): unknown {
  if (typeof sent !== 'string') return sent;
  try {
    return JSON.parse(sent);
  } catch {
    return sent;
  }
}

function takeList(limits: Limits, sent: unknown): unknown[] | Wrong {
  const value = parsedIfText(sent);
  if (!Array.isArray(value)) return new Wrong('type', 'is not an array');
  if (limits.minItems !== undefined && value.length < limits.minItems)
    return new Wrong('length', `must have at least ${limits.minItems} entries`);
  if (limits.maxItems !== undefined && value.length > limits.maxItems)
    return new Wrong('length', `must have at most ${limits.maxItems} entries`);
  const taken: unknown[] = [];
  for (const [index, item] of value.entries()) {
    const one = limits.items === undefined ? item : take(limits.items, item);
    if (one instanceof Wrong) return new Wrong(one.code, `entry ${index + 1}: ${one.message}`);
    if (!isLike(limits.items as Limits | undefined, one))
      return new Wrong('format', `entry ${index + 1}: does not have the expected structure`);
    taken.push(one);
  }
  return isStorable(taken) ? taken : new Wrong('type', 'is nested too deeply');
}

/** Whether a text in a list matches the pattern of its schema. */
const isLike = (limits: Limits | undefined, value: unknown): boolean =>
  limits?.pattern === undefined || typeof value !== 'string' || new RegExp(limits.pattern).test(value);

/** Limits the depth of a recursive schema. */
function takeNamed(limits: Limits, sent: unknown, depth: number): unknown | Wrong {
  if (depth > limits['x-depth']!) return new Wrong('depth', `may be nested at most ${limits['x-depth']} deep`);
  return take(NAMED_SCHEMAS[limits['x-same-as']!]!, sent, depth);
}

function takeObject(limits: Limits, sent: unknown, depth: number): Json | Wrong {
  const value = parsedIfText(
    typeof sent === 'string' && isLocation(limits) && !sent.trim().startsWith('{') ? locationOf(sent) : sent,
  );
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return new Wrong('type', 'is not an object');
  if (limits.properties === undefined) {
    return isStorable(value)
      ? (value as Json)
      : new Wrong('type', 'contains a character that cannot be stored, or is nested too deeply');
  }
  return takeProperties(limits, value as Json, depth);
}

/** A location may also be given as the string "lat,lng". */
const isLocation = (limits: Limits) => limits.properties?.lat !== undefined && limits.properties.lng !== undefined;
function locationOf(sent: string): unknown {
  const [lat, lng, ...rest] = sent.split(',');
  return rest.length === 0 && lng !== undefined ? { lat: lat?.trim(), lng: lng.trim() } : sent;
}

function takeProperties(limits: Limits, value: Json, depth: number): Json | Wrong {
  const taken: Json = {};
  for (const [name, schema] of Object.entries(limits.properties ?? {})) {
    const given = Object.hasOwn(value, name) ? value[name] : undefined;
    if (given === undefined || given === null) {
      if (limits.required?.includes(name)) return new Wrong('presence', `${name} can't be blank`);
      continue;
    }
    const one = take(schema, given, depth);
    if (one instanceof Wrong) return new Wrong(one.code, `${name} ${one.message}`);
    taken[name] = one;
  }
  return taken;
}
