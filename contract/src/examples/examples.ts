import type { TSchema } from 'typebox';
import { bodySchemaOf, type Operation } from '../operation.ts';
import { parametersOf } from '../operations.ts';
import { NAMED_SCHEMAS } from '../prices.ts';
import { isRequired } from '../schema.ts';
import { recent } from './recent.ts';
import { ANY_ID, ASKED, IDS, SENT, VALUES } from './values.ts';

/** An example request of an operation and its response. Each is valid by the schemas of the operation. */
export interface Example {
  readonly path: Readonly<Record<string, string | number>>;
  /** Objects and time ranges are sent as JSON. */
  readonly query: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly status: number;
  readonly answer?: unknown;
}

export function exampleOf(operation: Operation): Example {
  const { query, body, answer, status, example } = operation;
  return recent({
    path: Object.fromEntries(parametersOf(operation).map((name) => [name, exampleOfParameter(operation, name)])),
    query: {
      ...Object.fromEntries(
        Object.entries(query ?? {})
          .filter(([name, schema]) => isRequired(schema) || (ASKED.has(name) && body === undefined))
          .map(([name, schema]) => [name, valueFor(schema, '?', name)]),
      ),
      ...(operation.narrowing !== undefined && { [operation.narrowing]: narrowingOf(operation) }),
    },
    ...(body !== undefined && { body: example?.body ?? bodyOf(operation) }),
    status: answer === undefined ? 204 : status === 201 ? 201 : 200,
    ...(answer !== undefined && { answer: example?.answer ?? valueFor(answer, '', '') }),
  });
}

/** A path parameter. */
export function exampleOfParameter(operation: Operation, name: string): string | number {
  const [, collection = ''] = new RegExp(`(\\w+)/\\{${name}\\}`).exec(operation.path) ?? [];
  if (operation.byIdentifier === true && collection === 'devices') return 'serial:A1-00042';
  return IDS[collection] ?? ANY_ID;
}

export const exampleOfQuery = (name: string, schema: TSchema): unknown => recent(valueFor(schema, '?', name));

export const exampleOfNarrowing = (operation: Operation): object => recent(narrowingOf(operation));

/** Newest first; for resources with a time, since a certain time. */
function narrowingOf({ narrowing, answer }: Operation): object {
  const { items } = answer as { items?: { properties?: object } };
  if (narrowing === 'where') return { id: { gt: 100 } };
  if (items === undefined) return { include: ['config'] };
  return items.properties !== undefined && 'timestamp' in items.properties
    ? { where: { timestamp: { gt: '2026-06-01T00:00:00.000Z' } }, order: 'timestamp DESC', limit: 100 }
    : { order: 'id DESC', limit: 100 };
}

/** Fields that would be null are left out. */
function bodyOf({ body }: Operation): object {
  const { title = '', properties } = bodySchemaOf(body!) as TSchema as Required<Pick<Shape, 'title' | 'properties'>>;
  return Object.fromEntries(
    (SENT[title] ?? Object.keys(properties))
      .filter((name) => properties[name] !== undefined)
      .map((name) => [name, valueFor(properties[name]!, body!.noun.name, name)])
      .filter(([, value]) => value !== null),
  );
}

interface Shape {
  readonly title?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly TSchema[];
  readonly items?: TSchema;
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly description?: string;
  readonly 'x-same-as'?: string;
}

/** The example value of a field: the declared one, or one derived from its schema. */
export function valueFor(schema: TSchema, model: string, field: string): unknown {
  const shape = schema as Shape;
  const declared = declaredFor(shape, model, field);
  if (declared !== undefined) return declared;
  if (shape.properties !== undefined) return objectOf(shape, model);
  if (shape.items !== undefined) return [valueFor(shape.items, model, field)];
  if (shape['x-same-as'] !== undefined) return valueFor(NAMED_SCHEMAS[shape['x-same-as']]!, model, field);
  if (shape.anyOf !== undefined) return valueFor(shape.anyOf[0]!, model, field);
  if (shape.default !== undefined) return shape.default;
  if (shape.enum !== undefined) return shape.enum[0];
  return simplest(shape);
}

function objectOf(shape: Shape, model: string): object {
  const name = shape.title === undefined ? model : shape.title.replace(/ page$/, '');
  return Object.fromEntries(
    Object.entries(shape.properties!).map(([field, inner]) => [field, valueFor(inner, name, field)]),
  );
}

function declaredFor(shape: Shape, model: string, field: string): unknown {
  const candidates = [VALUES[`${model}.${field}`], VALUES[field]];
  return candidates.find((value) => value !== undefined && fits(shape, value));
}

/** Whether a value has the type of a schema. Tests check that it is within the limits. */
function fits({ type, enum: members, anyOf, ...rest }: Shape, value: unknown): boolean {
  if (members !== undefined) return members.includes(value);
  if (anyOf !== undefined) return anyOf.some((one) => fits(one as Shape, value));
  if (rest['x-same-as'] !== undefined) return typeof value === 'object';
  if (type === undefined) return true;
  return [type].flat().includes(typeOf(value)) || (typeOf(value) === 'integer' && [type].flat().includes('number'));
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

/** A text with a single allowed word has it in its description. */
function simplest({ type, minimum, description }: Shape): unknown {
  const types = [type].flat();
  if (types.includes('boolean')) return false;
  if (types.includes('integer') || types.includes('number')) return minimum ?? 0;
  if (types.includes('string')) return /^`(\w+)`/.exec(description ?? '')?.[1] ?? '';
  return types.includes('null') ? null : {};
}
