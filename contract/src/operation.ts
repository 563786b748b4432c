import { type Static, type TSchema, type TUnsafe, Type } from 'typebox';
import { type PageQuery, type Paging, pageQuery, pageSchema } from './page.ts';
import {
  asSent,
  type Fields,
  isNeverNull,
  isReadOnly,
  isRequired,
  type Noun,
  type RequiredField,
  type Sent,
  type Shown,
} from './schema.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
export type Version = 'v1' | 'v2';

/**
 * Who may call an operation.
 * - `anyone`: no token is needed.
 * - `user`: every signed-in user.
 * - `admin`: admins.
 * - `self`: under `/users/{id}`, that user or an admin.
 * - `view`, `manage`, `own`: under `/devices/{id}`, users with at least that right on the device, or an admin.
 */
export type Access = 'anyone' | 'user' | 'admin' | 'self' | 'view' | 'manage' | 'own';

/** The same as text, for the reference and the command line. */
export const CALLERS: Record<Access, string> = {
  anyone: 'everyone, without a token',
  user: 'every signed-in user',
  admin: 'admins',
  self: 'the user, and admins',
  view: 'users who may view the device, and admins',
  manage: 'users who may manage the device, and admins',
  own: 'the owner of the device, and admins',
};

/** How the caller can narrow a result: `filter` for lists, `where` for counts. */
export type Narrowing = 'filter' | 'where';

export type Where = Readonly<Record<string, unknown>>;

export interface Filter {
  readonly where?: Where;
  readonly order?: string | readonly string[];
  readonly limit?: number;
  readonly skip?: number;
  readonly offset?: number;
  /** The entry to continue after: its id and, in an order by time, its time. */
  readonly after?: Readonly<Record<string, unknown>>;
  readonly fields?: readonly string[] | Readonly<Record<string, boolean>>;
  readonly include?: unknown;
}

/** The resource in a body. `create` creates a new one, `update` merges into an existing one. */
export interface SentBody<N extends Noun = Noun> {
  readonly noun: N;
  readonly mode: 'create' | 'update';
  /** The field that a bare JSON array is assigned to. Absent if the body must be an object. */
  readonly list?: string;
}

export interface Operation<Body = unknown, Answer = unknown, Path extends string = string, Query = unknown> {
  readonly method: Method;
  /** Appended to the base path of the version. Parameters are in braces. */
  readonly path: Path;
  readonly versions: readonly Version[];
  readonly summary: string;
  readonly description?: string;
  readonly access: Access;
  readonly query?: Fields;
  readonly narrowing?: Narrowing;
  readonly body?: SentBody;
  /** The response body. Absent for a 204 response, which has none. */
  readonly answer?: TSchema;
  /** The success status if it is not 200: always 201, or 200 or 201 as the handler decides. */
  readonly status?: 201 | readonly [200, 201];
  /** Names of the path parameters that are texts. All others are ids. */
  readonly texts?: readonly string[];
  /** Set if the path accepts any identifier of the device: `7`, `id:7`, `imei:…` or `serial:…`. */
  readonly byIdentifier?: true;
  /** Set if the response is a page of a version 2 list. */
  readonly paging?: Paging;
  /** An example of body and response. */
  readonly example?: { readonly body?: unknown; readonly answer?: unknown };
  /** Set if the response is a text stream of any length, or a binary file, instead of JSON. */
  readonly media?: 'text' | 'file';
  /** The media types of such a response. */
  readonly mediaTypes?: readonly string[];
  /** Additional error statuses, compared with similar operations. */
  readonly refuses?: readonly (403 | 404 | 409 | 410 | 422 | 503)[];
  /**
   * Set for a POST whose body contains the previous state, so that a repeated request changes nothing and needs no key.
   */
  readonly isRepeatable?: true;
  /** Set for a GET that changes data. Such an operation accepts its token only in a header. */
  readonly changes?: boolean;
  /** Rate-limited per IP address, to slow down the guessing of passwords. */
  readonly guarded?: boolean;
  /** Types only, never set at run time. */
  readonly bodyType?: Body;
  readonly answerType?: Answer;
  readonly queryType?: Query;
}

/**
 * Whether repeated requests are recognised by their `Idempotency-Key`: every POST, creating PUT and changing GET of a
 * user, unless a repeated request changes nothing anyway.
 */
export const isKeyed = ({ method, changes, access, media, status, isRepeatable }: Operation) =>
  !isRepeatable &&
  (method === 'POST' || changes === true || (method === 'PUT' && status !== undefined)) &&
  access !== 'anyone' &&
  media === undefined;

/** Fields that may contain a secret. They are null in a repeated response for an `Idempotency-Key`. */
export const SECRET_FIELD = /(key|keys|secret|secrets|token|password|passwords|codes|link|url|uri)$/i;
/** Documents such a field as nullable. */
export const SHOWN_ONCE = { 'x-document': { type: ['string', 'null'] } } as const;

export type Operations = Readonly<Record<string, Operation>>;

/** The schema of a resource in responses: all fields are present, and unset fields are null unless never null. */
export function answerOf<N extends Noun>(noun: N, without: readonly string[] = []): TUnsafe<Shown<N>> {
  const shown: Fields = {};
  for (const [name, schema] of Object.entries(noun.fields)) {
    if (without.includes(name)) continue;
    shown[name] = isNeverNull(noun, name) ? schema : nullable(schema);
  }
  return Type.Object(shown, { title: noun.shownAs ?? noun.name }) as TSchema as TUnsafe<Shown<N>>;
}

export function nullable(schema: TSchema): TSchema {
  const { type, anyOf, enum: members } = schema as { type?: string; anyOf?: TSchema[]; enum?: unknown[] };
  if (type !== undefined) return { ...schema, type: [type, 'null'] } as TSchema;
  if (anyOf !== undefined) return { ...schema, anyOf: [...anyOf, Type.Null()] } as TSchema;
  return members === undefined ? schema : ({ ...schema, enum: [...members, null] } as TSchema);
}

/** Any JSON value includes null, unless excluded. */
function neverNull(schema: TSchema): TSchema {
  const { type, anyOf, enum: members } = schema as { type?: string; anyOf?: TSchema[]; enum?: unknown[] };
  const isAnything = type === undefined && anyOf === undefined && members === undefined;
  return isAnything ? ({ ...schema, not: { type: 'null' } } as TSchema) : schema;
}

/** The schema of a resource in request bodies: only the fields a caller can set. */
export function bodySchemaOf(body: SentBody): TSchema {
  const settable: Fields = {};
  for (const [name, schema] of Object.entries(body.noun.fields)) {
    if (isReadOnly(schema)) continue;
    const required = body.mode === 'create' && (body.noun.required.includes(name) || isRequired(schema));
    const { 'x-sent': sentAs } = schema as { 'x-sent'?: object };
    const sent = asSent((sentAs === undefined ? schema : { ...schema, 'x-document': sentAs }) as TSchema);
    const field = required || isNeverNull(body.noun, name) ? neverNull(sent) : nullable(sent);
    settable[name] = required ? field : Type.Optional(field);
  }
  return Type.Object(settable, {
    title: body.noun.sentAs ?? (body.mode === 'create' ? `new ${body.noun.name}` : `${body.noun.name} update`),
  });
}

interface Texts extends Pick<Operation, 'refuses'> {
  readonly summary?: string;
  readonly description?: string;
  readonly versions?: readonly Version[];
  readonly example?: Operation['example'];
}

const v1 = { versions: ['v1'] as const };

type Absent = Record<never, never>;
type BodyOfNoun<N> = [N] extends [never] ? undefined : Sent<N>;
type AnswerOfSchema<A> = [A] extends [never] ? undefined : A extends TSchema ? Static<A> : never;
type RequiredKeys<Q extends Fields> = { [K in keyof Q]: Q[K] extends RequiredField ? K : never }[keyof Q];
type QueryOfFields<Q extends Fields> = { [K in Exclude<keyof Q, RequiredKeys<Q>>]?: Static<Q[K]> } & {
  [K in RequiredKeys<Q>]: Static<Q[K]>;
};

/** Declares an operation. Its TypeScript types follow from its path, its noun and its schemas. */
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
    readonly body?: SentBody<N>;
    readonly answer?: A;
  },
): Operation<BodyOfNoun<N>, AnswerOfSchema<A>, P, QueryOfFields<Q>> {
  return { ...v1, method, path, access, ...more } as Operation<BodyOfNoun<N>, AnswerOfSchema<A>, P, QueryOfFields<Q>>;
}

/** A noun's name in words: `gatewayReading` is "gateway reading". */
export const inWords = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

function pluralOf({ name }: Noun): string {
  const words = inWords(name);
  return words.endsWith('y') ? `${words.slice(0, -1)}ies` : `${words}s`;
}

/** The parent that a path names: `device` for `/devices/{id}/messages`, undefined for `/devices`. */
const parentIn = (path: string): string | undefined => /^\/(\w+)s\/\{\w+\}\/./.exec(path)?.[1];

/** "a device's messages" for `/devices/{id}/messages`, "devices" for `/devices`. */
function collectionIn(path: string, noun: Noun): string {
  const parent = parentIn(path);
  return parent === undefined ? pluralOf(noun) : `a ${parent}'s ${pluralOf(noun)}`;
}

/** The empty response body: `{}`. */
export const nothing = Type.Object({}, { title: 'empty object' });

/** Operations that most resources have. */

export const list = <N extends Noun, const P extends string>(
  noun: N,
  path: P,
  access: Access,
  more: Texts = {},
): Operation<undefined, Shown<N>[], P, { filter?: Filter }> =>
  operation('GET', path, access, {
    summary: `List ${collectionIn(path, noun)}`,
    narrowing: 'filter',
    answer: Type.Array(answerOf(noun)) as TSchema as TUnsafe<Shown<N>[]>,
    ...more,
  });

/** A paged list of version 2. `item` is the schema of an entry, if that is not just the noun. */
export const page = <
  N extends Noun,
  const P extends string,
  Q extends Fields = Absent,
  I extends TSchema = TUnsafe<Shown<N>>,
>(
  noun: N,
  path: P,
  access: Access,
  { paging, query, item, ...more }: Texts & { readonly paging: Paging; readonly query?: Q; readonly item?: I },
) =>
  operation('GET', path, access, {
    versions: ['v2'],
    summary: `List ${collectionIn(path, noun)}`,
    query: { ...query, ...pageQuery(paging) } as Q & PageQuery,
    answer: pageSchema(noun.name, item ?? (answerOf(noun) as TSchema as I)),
    paging,
    ...more,
  });

export const count = <const P extends string>(
  noun: Noun,
  path: P,
  access: Access,
  more: Texts = {},
): Operation<undefined, { count: number }, `${P}/count`, { where?: Where }> =>
  operation('GET', `${path}/count`, access, {
    summary: `Count ${collectionIn(path, noun)}`,
    narrowing: 'where',
    answer: Type.Object({ count: Type.Integer({ description: 'Number of matching entries.' }) }, { title: 'count' }),
    ...more,
  });

/** Responds with the new resource, unless another response is given. */
export const create = <N extends Noun, const P extends string, A extends TSchema = TUnsafe<Shown<N>>>(
  noun: N,
  path: P,
  access: Access,
  more: Texts & { answer?: A } = {},
) =>
  operation('POST', path, access, {
    summary: `Create a ${inWords(noun.name)}`,
    body: { noun, mode: 'create' },
    answer: answerOf(noun) as TSchema as A,
    ...more,
  });

export const read = <N extends Noun, const P extends string, Q extends Fields = Absent>(
  noun: N,
  path: P,
  access: Access,
  more: Texts & { query?: Q } = {},
) => operation('GET', path, access, { summary: `Get a ${inWords(noun.name)}`, answer: answerOf(noun), ...more });

export const update = <N extends Noun, const P extends string, A extends TSchema = TUnsafe<Shown<N>>>(
  noun: N,
  path: P,
  access: Access,
  more: Texts & { answer?: A } = {},
) =>
  operation('PUT', path, access, {
    summary: `Update a ${inWords(noun.name)}`,
    description: 'Changes only the fields that are sent. `null` clears an optional field.',
    body: { noun, mode: 'update' },
    answer: answerOf(noun) as TSchema as A,
    ...more,
  });

/** Responds with 204 and no body, unless a response is given. */
export const remove = <const P extends string, A extends TSchema = never>(
  noun: Noun,
  path: P,
  access: Access,
  more: Texts & { answer?: A } = {},
) => operation('DELETE', path, access, { summary: `Delete a ${inWords(noun.name)}`, ...more });

export const removeAll = <const P extends string>(noun: Noun, path: P, access: Access, more: Texts = {}) =>
  operation('DELETE', path, access, {
    summary: `Delete all ${pluralOf(noun)} of a ${parentIn(path)}`,
    ...more,
  });
