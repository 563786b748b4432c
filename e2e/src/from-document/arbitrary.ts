import fc, { type Arbitrary } from 'fast-check';

/** Values that are valid by a schema of a document, as a program that knows only the document would make them. */

type Json = Record<string, unknown>;

interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly not?: Schema;
  readonly minProperties?: number;
  readonly maxProperties?: number;
}

/** How deep a model may hold itself here. */
const DEEPEST = 4;
const MOST_ITEMS = 4;
const MOST_CHARACTERS = 40;

export function arbitraryOf(document: Json, schema: unknown, depth = 0): Arbitrary<unknown> {
  const of = (inner: Schema, more = 1) => arbitraryOf(document, inner, depth + more);
  const known = schema as Schema;
  if (known.$ref !== undefined) return of(resolve(document, known.$ref) as Schema);
  const choices = known.anyOf ?? known.oneOf;
  if (choices !== undefined) return fc.oneof(...choices.map((one) => of(one, 0)));
  if (known.enum !== undefined) return fc.constantFrom(...known.enum);
  if (known.const !== undefined) return fc.constant(known.const);
  const types = [known.type].flat().filter((type) => type !== undefined);
  const any = types.length === 0 ? anything() : fc.oneof(...types.map((type) => ofType(type, known, of, depth)));
  return known.not === undefined ? any : any.filter((value) => !isWithin(known.not!, value));
}

/** What documents here say not to send: null, and some counts and amounts. */
function isWithin({ type, minItems, maxItems, minimum, maximum }: Schema, value: unknown): boolean {
  if (type === 'null') return value === null;
  if (Array.isArray(value)) return value.length >= (minItems ?? 0) && value.length <= (maxItems ?? value.length);
  return typeof value === 'number' && value >= (minimum ?? value) && value <= (maximum ?? value);
}

type Inner = (schema: Schema) => Arbitrary<unknown>;

function ofType(type: string, schema: Schema, of: Inner, depth: number): Arbitrary<unknown> {
  const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = schema;
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.oneof(fc.integer({ min: minimum, max: maximum }), fc.constantFrom(minimum, maximum));
    case 'number':
      return numbers(schema);
    case 'array':
      return fc.array(of(schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.max(schema.minItems ?? 0, Math.min(schema.maxItems ?? MOST_ITEMS, MOST_ITEMS)),
      });
    case 'object':
      return objects(schema, of, depth);
    default:
      return texts(schema);
  }
}

const numbers = ({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Schema) =>
  fc
    .double({
      min: minimum ?? exclusiveMinimum ?? -1e9,
      max: maximum ?? exclusiveMaximum ?? 1e9,
      noNaN: true,
      noDefaultInfinity: true,
      minExcluded: exclusiveMinimum !== undefined,
      maxExcluded: exclusiveMaximum !== undefined,
    })
    // JSON has no negative zero.
    .map((value) => value + 0);

function texts({ format, pattern, minLength = 0, maxLength = MOST_CHARACTERS }: Schema): Arbitrary<string> {
  const isFit = (text: string) => [...text].length >= minLength && [...text].length <= maxLength;
  if (format === 'date-time') return times();
  if (format === 'date') return times().map((time) => time.slice(0, 10));
  if (format === 'email') return fc.emailAddress();
  // Nothing outside this machine is ever called.
  if (format === 'uri') return fc.webPath().map((path) => `http://127.0.0.1:1025${path}`);
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern, 'u')).filter(isFit);
  const most = Math.max(minLength, Math.min(maxLength, MOST_CHARACTERS));
  const of = (unit: 'grapheme-ascii' | 'binary') => fc.string({ unit, minLength, maxLength: most });
  // The longest text of the longest characters.
  const longest = fc.constant('😀'.repeat(Math.min(maxLength, 400)));
  return fc.oneof(
    { weight: 6, arbitrary: of('grapheme-ascii') },
    { weight: 2, arbitrary: of('binary').map((text) => text.replaceAll('\u0000', ' ')) },
    { weight: 1, arbitrary: longest },
  );
}

const times = () =>
  fc
    .date({ min: new Date('1971-01-01T00:00:00Z'), max: new Date('2099-12-31T00:00:00Z'), noInvalidDate: true })
    .map((date) => date.toISOString());

function objects(schema: Schema, of: Inner, depth: number): Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties } = schema;
  const names = Object.keys(properties).filter((name) => required.includes(name) || depth < DEEPEST);
  const own = fc.record(Object.fromEntries(names.map((name) => [name, of(properties[name]!)])), {
    requiredKeys: [...required],
  });
  if (Object.keys(properties).length > 0 || additionalProperties === undefined) return own;
  const values = typeof additionalProperties === 'object' ? of(additionalProperties) : anything();
  return fc.dictionary(fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 20 }), values, {
    minKeys: schema.minProperties ?? 0,
    maxKeys: Math.min(schema.maxProperties ?? MOST_ITEMS, MOST_ITEMS),
  });
}

const anything = () => fc.jsonValue({ maxDepth: 2, stringUnit: 'grapheme-ascii' });

export function resolve(document: Json, ref: string): unknown {
  return ref
    .slice(2)
    .split('/')
    .reduce<unknown>((value, key) => (value as Json)[key], document);
}
