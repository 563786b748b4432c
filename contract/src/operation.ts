import { type TSchema, Type } from 'typebox';
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

export interface Operation<Body = unknown, Answer = unknown> {
  readonly method: Method;
  /** Appended to the base of its version; parameters in braces. */
  readonly path: string;
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
  /** A GET that changes something takes its token from a header only. */
  readonly changes?: boolean;
  /** Counted per address, against guessing. */
  readonly guarded?: boolean;
  /** Carry the types; there is nothing behind them at run time. */
  readonly bodyType?: Body;
  readonly answerType?: Answer;
}

export type Operations = Readonly<Record<string, Operation>>;

/** A noun as answers show it: every field there, null where unset, but for those that are never null. */
export function answerOf(noun: Noun, without: readonly string[] = []): TSchema {
  const shown: Fields = {};
  for (const [name, schema] of Object.entries(noun.fields)) {
    if (without.includes(name)) continue;
    shown[name] = isNeverNull(noun, name) ? schema : nullable(schema);
  }
  return Type.Object(shown, { title: noun.name });
}

export function nullable(schema: TSchema): TSchema {
  const { type } = schema as { type?: string };
  return type === undefined ? schema : ({ ...schema, type: [type, 'null'] } as TSchema);
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
  readonly query?: Fields;
  readonly versions?: readonly Version[];
}

const v1 = { versions: ['v1'] as const };

export function operation<Body = unknown, Answer = unknown>(
  method: Method,
  path: string,
  access: Access,
  more: Omit<Operation<Body, Answer>, 'method' | 'path' | 'access' | 'versions'> & { versions?: readonly Version[] },
): Operation<Body, Answer> {
  return { ...v1, method, path, access, ...more };
}

/** The members that every family of things has, each a line in its noun's file. */

export const list = <N extends Noun>(
  noun: N,
  path: string,
  access: Access,
  more: More = {},
): Operation<undefined, Shown<N>[]> =>
  operation('GET', path, access, {
    summary: `List the ${noun.name}s`,
    narrowing: 'filter',
    answer: Type.Array(answerOf(noun)),
    ...more,
  });

export const count = <N extends Noun>(noun: N, path: string, access: Access): Operation<undefined, { count: number }> =>
  operation('GET', `${path}/count`, access, {
    summary: `Count the ${noun.name}s`,
    narrowing: 'where',
    answer: Type.Object({ count: Type.Integer() }),
  });

export const create = <N extends Noun>(
  noun: N,
  path: string,
  access: Access,
  more: More & { answer?: TSchema } = {},
): Operation<Sent<N>, Shown<N>> =>
  operation('POST', path, access, {
    summary: `Create a ${noun.name}`,
    body: { noun, mode: 'create' },
    answer: answerOf(noun),
    ...more,
  });

export const read = <N extends Noun>(
  noun: N,
  path: string,
  access: Access,
  more: More = {},
): Operation<undefined, Shown<N>> =>
  operation('GET', path, access, { summary: `Get one ${noun.name}`, answer: answerOf(noun), ...more });

export const update = <N extends Noun>(
  noun: N,
  path: string,
  access: Access,
  more: More & { answer?: TSchema } = {},
): Operation<Sent<N>, Shown<N>> =>
  operation('PUT', path, access, {
    summary: `Update a ${noun.name}`,
    description: 'Only the fields sent change; null clears an optional one.',
    body: { noun, mode: 'update' },
    answer: answerOf(noun),
    ...more,
  });

export const remove = (noun: Noun, path: string, access: Access, more: More = {}): Operation<undefined, undefined> =>
  operation('DELETE', path, access, { summary: `Delete a ${noun.name}`, ...more });

export const removeAll = (noun: Noun, path: string, access: Access): Operation<undefined, undefined> =>
  operation('DELETE', path, access, { summary: `Delete all ${noun.name}s of this collection` });
