import { type Static, type TSchema, type TSchemaOptions, Type } from 'typebox';
import { FIRST_INSTANT, LAST_INSTANT, MAILED } from './values.ts';

/**
 * Builders for fields. A field is a TypeBox schema: `readOnly` if a caller cannot set it, `default` for its value in a
 * new resource, `description` for its meaning and unit.
 */

export const MAX_ID = Number.MAX_SAFE_INTEGER;
const MAX_INT = 2_147_483_647;

export type Fields = Record<string, TSchema>;

/** The id of the resource itself. */
export const id = () =>
  Type.Integer({ minimum: 1, maximum: MAX_ID, readOnly: true, description: 'Id, assigned by the service.' });

/** The id of another resource. */
export const key = (description: string, more: TSchemaOptions = {}) =>
  Type.Integer({ minimum: 1, maximum: MAX_ID, description, 'x-key': true, ...more });

export const integer = (description: string, more: TSchemaOptions = {}) =>
  Type.Integer({ minimum: -MAX_INT, maximum: MAX_INT, description, ...more });

export const number = (description: string, more: TSchemaOptions = {}) => Type.Number({ description, ...more });

export const text = (description: string, more: TSchemaOptions = {}) =>
  Type.String({ maxLength: 1000, description, ...more });

/**
 * The schema of a text in requests: with its documented pattern, and at least one visible character if it is required.
 * Values that were stored under other rules are still returned.
 */
export function asSent(schema: TSchema): TSchema {
  const { 'x-pattern': own, 'x-members': words, minLength = 0 } = schema as Spoken;
  const pattern = own ?? (minLength > 0 && words === undefined ? '\\S' : undefined);
  return pattern === undefined ? schema : ({ ...schema, pattern } as TSchema);
}

interface Spoken {
  readonly 'x-pattern'?: string;
  readonly 'x-members'?: readonly string[];
  readonly minLength?: number;
}

/** An e-mail address. */
export const email = (description: string, more: TSchemaOptions = {}) =>
  text(description, { minLength: 3, maxLength: 320, 'x-pattern': MAILED.source, ...more });

/** A text whose values are all documented. The resource itself validates it. */
export const word = (members: readonly string[], description: string, more: TSchemaOptions = {}) =>
  text(description, { 'x-members': members, ...more });

/** A time of day, such as `22:00`. */
export const timeOfDay = (description: string) =>
  Type.String({ maxLength: 5, pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', description });

export const flag = (description: string, more: TSchemaOptions = {}) => Type.Boolean({ description, ...more });

/** A time: ISO 8601 in UTC with milliseconds. Requests may also use any offset, a date, or epoch milliseconds. */
export const time = (description: string, more: TSchemaOptions = {}) =>
  Type.String({ format: 'date-time', description, ...more });

export const place = (description: string, more: TSchemaOptions = {}) =>
  Type.Object(
    {
      lat: Type.Number({ minimum: -90, maximum: 90, description: 'Latitude in degrees.' }),
      lng: Type.Number({ minimum: -180, maximum: 180, description: 'Longitude in degrees.' }),
    },
    { title: 'location', description, ...more },
  );

/** A JSON object of any content. */
export const object = (description: string, more: TSchemaOptions = {}) =>
  Type.Record(Type.String(), Type.Unknown(), { description, ...more });

export const list = <T extends TSchema>(items: T, description: string, more: TSchemaOptions = {}) =>
  Type.Array(items, { description, maxItems: 2000, ...more });

export const anything = (description: string, more: TSchemaOptions = {}) => Type.Unknown({ description, ...more });

/** Marks a required query parameter or field of a body. */
export interface RequiredField {
  readonly 'x-required': true;
}
export const required = <T extends TSchema>(schema: T): T & RequiredField => ({ ...schema, 'x-required': true });
export const isRequired = (schema: TSchema) => (schema as Partial<RequiredField>)['x-required'] === true;

/** A time range, both ends inclusive, in epoch milliseconds. Null is open: at the end, it means now. */
export type DateRange = readonly [from: number | null, to: number | null];

/** A time range: `[from, to]`, in a query as JSON, or as two times with a comma between them. */
export const dateRange = (description = 'Range of time: `[from, to]`, both inclusive. Null means no bound.') =>
  Type.Unsafe<DateRange>({
    type: 'array',
    items: {
      anyOf: [
        { type: 'string', format: 'date-time' },
        { type: 'integer', minimum: FIRST_INSTANT, maximum: LAST_INSTANT },
        { type: 'null' },
      ],
      description: 'ISO 8601, epoch milliseconds, or null.',
    },
    minItems: 2,
    maxItems: 2,
    description,
    'x-range': true,
  });
export const isDateRange = (schema: TSchema) => (schema as { 'x-range'?: boolean })['x-range'] === true;

/** A resource of the API: its fields, which of them a new one requires, and which are never null in a response. */
export interface Noun<Shown = object, Sent = object> {
  readonly name: string;
  readonly fields: Fields;
  readonly required: readonly string[];
  readonly always: readonly string[];
  /** Its names in documents for responses and for requests, if they differ from its name. */
  readonly shownAs?: string;
  readonly sentAs?: string;
  /** Types only, never set at run time. */
  readonly shown?: Shown;
  readonly sent?: Sent;
}

type ShownOf<F extends Fields, A extends keyof F> = {
  [K in keyof F]: K extends A ? Static<F[K]> : Static<F[K]> | null;
};
type SentOf<F extends Fields> = { [K in keyof F]?: Static<F[K]> | null };

export function noun<const F extends Fields, A extends keyof F & string = never>(
  name: string,
  fields: F,
  more: {
    required?: readonly (keyof F & string)[];
    always?: readonly A[];
    shownAs?: string;
    sentAs?: string;
  } = {},
): Noun<ShownOf<F, A | 'id'>, SentOf<F>> {
  return { name, fields, ...more, required: more.required ?? [], always: ['id', ...(more.always ?? [])] };
}

export type Shown<N> = N extends Noun<infer S, object> ? S : never;
export type Sent<N> = N extends Noun<object, infer S> ? S : never;

/** Whether this field is never null, so that a request with null is rejected. */
export const isNeverNull = (noun: Noun, name: string) => noun.always.includes(name);

export const isReadOnly = (schema: TSchema) => (schema as { readOnly?: boolean }).readOnly === true;
