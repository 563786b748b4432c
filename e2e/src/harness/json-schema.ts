/**
 * The subset of JSON Schema that the contract's answers use, checked strictly: a field that the schema does not name is
 * a mismatch, and a time must have the format of answers.
 */

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** `partial`: fields may be missing at the top level; `extra`: there may be additional ones. */
export interface Looseness {
  readonly partial: boolean;
  readonly extra: boolean;
}

const STRICT: Looseness = { partial: false, extra: false };
const ANSWER_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/** Describes the first mismatch of a value; undefined if it matches the schema. */
export function mismatch(of: object, value: unknown, looseness = STRICT, at = 'answer'): string | undefined {
  const schema = of as Schema;
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (value === null && types.includes('null')) return undefined;
  if (schema.anyOf) {
    const found = schema.anyOf.map((choice) => mismatch(choice, value, STRICT, at));
    return found.includes(undefined) ? undefined : found.join(', and ');
  }
  if (schema.enum) return schema.enum.includes(value) ? undefined : `${at} is ${JSON.stringify(value)}`;
  if (types.length > 0 && !types.some((type) => isOfType(type, value)))
    return `${at} is ${JSON.stringify(value)}, not ${types.join(' or ')}`;
  if (schema.format === 'date-time' && !ANSWER_TIME.test(value as string)) return `${at} is ${value}, no time`;
  if (typeof value === 'number' && (value < (schema.minimum ?? value) || value > (schema.maximum ?? value)))
    return `${at} is ${value}, out of range`;
  if (Array.isArray(value) && schema.items) return ofItems(schema.items, value, looseness, at);
  if (schema.properties) return ofFields(schema, value as Record<string, unknown>, looseness, at);
  return undefined;
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case 'integer':
      return Number.isSafeInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'null':
      return value === null;
    default:
      return typeof value === type;
  }
}

function ofItems(items: Schema, values: unknown[], looseness: Looseness, at: string): string | undefined {
  for (const [index, value] of values.entries()) {
    const wrong = mismatch(items, value, looseness, `${at}[${index}]`);
    if (wrong) return wrong;
  }
  return undefined;
}

function ofFields(
  { properties, required }: Schema,
  value: Record<string, unknown>,
  looseness: Looseness,
  at: string,
): string | undefined {
  if (!looseness.partial) {
    for (const name of required ?? []) if (!Object.hasOwn(value, name)) return `${at}.${name} is missing`;
  }
  for (const [name, inner] of Object.entries(value)) {
    const schema = Object.hasOwn(properties!, name) ? properties![name] : undefined;
    if (schema === undefined) {
      if (looseness.extra) continue;
      return `${at}.${name} is not in the contract`;
    }
    const wrong = mismatch(schema, inner, STRICT, `${at}.${name}`);
    if (wrong) return wrong;
  }
  return undefined;
}
