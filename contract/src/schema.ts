import { type Static, type TSchema, type TSchemaOptions, Type } from 'typebox';

/**
 * The vocabulary of fields. A field is a TypeBox schema; what a caller may not set is `readOnly`, what it is when unset
 * is `default`, units and meaning are its `description`.
 */

export const MAX_ID = Number.MAX_SAFE_INTEGER;
const MAX_INT = 2_147_483_647;

export type Fields = Record<string, TSchema>;

/** The service's own key of a thing. */
export const id = () =>
  Type.Integer({ minimum: 1, maximum: MAX_ID, readOnly: true, description: 'Assigned by the service.' });

/** The key of another thing. */
export const key = (description: string, more: TSchemaOptions = {}) =>
  Type.Integer({ minimum: 1, maximum: MAX_ID, description, 'x-key': true, ...more });

export const integer = (description: string, more: TSchemaOptions = {}) =>
  Type.Integer({ minimum: -MAX_INT, maximum: MAX_INT, description, ...more });

export const number = (description: string, more: TSchemaOptions = {}) => Type.Number({ description, ...more });

export const text = (description: string, more: TSchemaOptions = {}) =>
  Type.String({ maxLength: 1000, description, ...more });

export const flag = (description: string, more: TSchemaOptions = {}) => Type.Boolean({ description, ...more });

/** Out as ISO 8601 UTC with milliseconds; in as that, with any offset, as a date, or as epoch milliseconds. */
export const time = (description: string, more: TSchemaOptions = {}) =>
  Type.String({ format: 'date-time', description, ...more });

export const place = (description: string, more: TSchemaOptions = {}) =>
  Type.Object(
    { lat: Type.Number({ minimum: -90, maximum: 90 }), lng: Type.Number({ minimum: -180, maximum: 180 }) },
    { description, ...more },
  );

/** A free JSON object of the caller's. */
export const object = (description: string, more: TSchemaOptions = {}) =>
  Type.Record(Type.String(), Type.Unknown(), { description, ...more });

export const list = <T extends TSchema>(items: T, description: string, more: TSchemaOptions = {}) =>
  Type.Array(items, { description, maxItems: 2000, ...more });

export const anything = (description: string, more: TSchemaOptions = {}) => Type.Unknown({ description, ...more });

/** A thing of the API: its fields, which of them a new one needs, and which are never null in an answer. */
export interface Noun<Shown = object, Sent = object> {
  readonly name: string;
  readonly fields: Fields;
  readonly required: readonly string[];
  readonly always: readonly string[];
  /** Carry the types; there is nothing behind them at run time. */
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
  more: { required?: readonly (keyof F & string)[]; always?: readonly A[] } = {},
): Noun<ShownOf<F, A | 'id'>, SentOf<F>> {
  return { name, fields, required: more.required ?? [], always: ['id', ...(more.always ?? [])] };
}

export type Shown<N> = N extends Noun<infer S, object> ? S : never;
export type Sent<N> = N extends Noun<object, infer S> ? S : never;

/** Whether a caller's null or absence is refused for this field. */
export const isNeverNull = (noun: Noun, name: string) => noun.always.includes(name);

export const isReadOnly = (schema: TSchema) => (schema as { readOnly?: boolean }).readOnly === true;
