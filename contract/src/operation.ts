import { type Static, type TSchema, type TUnsafe, Type } from 'typebox';
import { type Fields, isNeverNull, isReadOnly, type Noun, type Sent, type Shown } from './schema.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
export type Version = 'v1' | 'v2';

/**
 * Who may call.
 * - `anyone`: no token.
 * - `user`: whoever is signed in.
 * - `admin`: admins.
 * - `self`: under `/users/{id}`, that user, or an admin.
 * - `view`, `manage`, `own`: under `/devices/{id}`, whoever has at least that right on the device, or an admin.
 */
export type Access = 'anyone' | 'user' | 'admin' | 'self' | 'view' | 'manage' | 'own';

/** How the caller may narrow an answer: a filter on lists, a where on counts. */
export type Narrowing = 'filter' | 'where';

export type Where = Readonly<Record<string, unknown>>;

export interface Filter {
  readonly where?: Where;
  readonly order?: string | readonly string[];
  readonly limit?: number;
  readonly skip?: number;
  readonly offset?: number;
  readonly fields?: readonly string[] | Readonly<Record<string, boolean>>;
  readonly include?: unknown;
}

export interface Operation<Body = unknown, Answer = unknown, Path extends string = string, Query = unknown> {
  readonly method: Method;
  /** Appended to the base of its version; parameters in braces. */
  readonly path: Path;
  readonly versions: readonly Version[];
  readonly summary: string;
  readonly description?: string;
  readonly access: Access;
  readonly query?: Fields;
  readonly narrowing?: Narrowing;
  /** The thing that the body is about; `create` makes one, `update` merges into one. */
  readonly body?: { readonly noun: Noun; readonly mode: 'create' | 'update' };
  /** Absent where the answer is 204 without a body. */
  readonly answer?: TSchema;
  /** A text of any length, streamed, instead of JSON. */
  readonly media?: 'text';
  /** A GET that changes something takes its token from a header only. */
  readonly changes?: boolean;
  /** Counted per address, against guessing. */
  readonly guarded?: boolean;
  /** Carry the types; there is nothing behind them at run time. */
  readonly bodyType?: Body;
  readonly answerType?: Answer;
  readonly queryType?: Query;
}

export type Operations = Readonly<Record<string, Operation>>;

/** A noun as answers show it: every field there, null where unset, but for those that are never null. */
export function answerOf<N extends Noun>(noun: N, without: readonly string[] = []): TUnsafe<Shown<N>> {
  const shown: Fields = {};
  for (const [name, schema] of Object.entries(noun.fields)) {
    if (without.includes(name)) continue;
    shown[name] = isNeverNull(noun, name) ? schema : nullable(schema);
  }
  return Type.Object(shown, { title: noun.name }) as TSchema as TUnsafe<Shown<N>>;
}

export function nullable(schema: TSchema): TSchema {
  const { type, anyOf, enum: members } = schema as { type?: string; anyOf?: TSchema[]; enum?: unknown[] };
  if (type !== undefined) return { ...schema, type: [type, 'null'] } as TSchema;
  if (anyOf !== undefined) return { ...schema, anyOf: [...anyOf, Type.Null()] } as TSchema;
  return members === undefined ? schema : ({ ...schema, enum: [...members, null] } as TSchema);
}

/** A noun as a body carries it: only what a caller may set. */
export function bodySchemaOf(body: NonNullable<Operation['body']>): TSchema {
  const taken: Fields = {};
  for (const [name, schema] of Object.entries(body.noun.fields)) {
    if (isReadOnly(schema)) continue;
    const required = body.mode === 'create' && body.noun.required.includes(name);
    const field = isNeverNull(body.noun, name) ? schema : nullable(schema);
    taken[name] = required ? field : Type.Optional(field);
  }
  return Type.Object(taken, { title: body.mode === 'create' ? `new ${body.noun.name}` : `${body.noun.name} update` });
}

interface More {
  readonly summary?: string;
  readonly description?: string;
  readonly versions?: readonly Version[];
}

const v1 = { versions: ['v1'] as const };

type Absent = Record<never, never>;
type Taken<N> = [N] extends [never] ? undefined : Sent<N>;
type Given<A> = [A] extends [never] ? undefined : A extends TSchema ? Static<A> : never;
type Asked<Q extends Fields> = { [K in keyof Q]?: Static<Q[K]> };

/** Everything about an operation is said once: its types follow from its path, its body's noun and its schemas. */
export function operation<
  const P extends string,
  N extends Noun = never,
  A extends TSchema = never,
  Q extends Fields = Absent,
>(
  method: Method,
  path: P,
  access: Access,
  more: Omit<Operation, 'method' | 'path' | 'access' | 'versions' | 'query' | 'body' | 'answer'> & {
    readonly versions?: readonly Version[];
    readonly query?: Q;
    readonly body?: { readonly noun: N; readonly mode: 'create' | 'update' };
    readonly answer?: A;
  },
): Operation<Taken<N>, Given<A>, P, Asked<Q>> {
  return { ...v1, method, path, access, ...more } as Operation<Taken<N>, Given<A>, P, Asked<Q>>;
}

/** The members that every family of things has, each a line in its noun's file. */

export const list = <N extends Noun, const P extends string>(
  noun: N,
  path: P,
  access: Access,
  more: More = {},
): Operation<undefined, Shown<N>[], P, { filter?: Filter }> =>
  operation('GET', path, access, {
    summary: `List the ${noun.name}s`,
    narrowing: 'filter',
    answer: Type.Array(answerOf(noun)) as TSchema as TUnsafe<Shown<N>[]>,
    ...more,
  });

export const count = <const P extends string>(
  noun: Noun,
  path: P,
  access: Access,
): Operation<undefined, { count: number }, `${P}/count`, { where?: Where }> =>
  operation('GET', `${path}/count`, access, {
    summary: `Count the ${noun.name}s`,
    narrowing: 'where',
    answer: Type.Object({ count: Type.Integer() }),
  });

/** The answer is the thing itself, unless another is given. */
export const create = <N extends Noun, const P extends string, A extends TSchema = TUnsafe<Shown<N>>>(
  noun: N,
  path: P,
  access: Access,
  more: More & { answer?: A } = {},
) =>
  operation('POST', path, access, {
    summary: `Create a ${noun.name}`,
    body: { noun, mode: 'create' },
    answer: answerOf(noun) as TSchema as A,
    ...more,
  });

export const read = <N extends Noun, const P extends string, Q extends Fields = Absent>(
  noun: N,
  path: P,
  access: Access,
  more: More & { query?: Q } = {},
) => operation('GET', path, access, { summary: `Get one ${noun.name}`, answer: answerOf(noun), ...more });

export const update = <N extends Noun, const P extends string, A extends TSchema = TUnsafe<Shown<N>>>(
  noun: N,
  path: P,
  access: Access,
  more: More & { answer?: A } = {},
) =>
  operation('PUT', path, access, {
    summary: `Update a ${noun.name}`,
    description: 'Only the fields sent change; null clears an optional one.',
    body: { noun, mode: 'update' },
    answer: answerOf(noun) as TSchema as A,
    ...more,
  });

export const remove = <const P extends string>(noun: Noun, path: P, access: Access, more: More = {}) =>
  operation('DELETE', path, access, { summary: `Delete a ${noun.name}`, ...more });

export const removeAll = <const P extends string>(noun: Noun, path: P, access: Access) =>
  operation('DELETE', path, access, { summary: `Delete all ${noun.name}s of this collection` });
