import { openApi } from '@trackway/contract/openapi.ts';
import type { Version } from '@trackway/contract/operation.ts';
import { BASES, OPERATIONS } from '@trackway/contract/operations.ts';
import type { Filled } from '../pages/reference/samples.js';
import { asksFirst } from './asks-first.ts';
import { aboutField, type DescribedField, fieldsOf, membersOf, opened, type Schema, typeOf } from './fields.ts';
import { filledOf } from './filled.ts';
import { slugOf } from './markdown.ts';
import { NamedObjects } from './named-objects.ts';

/** The reference by chapters, made from the OpenAPI documents of both versions. Texts are Markdown. */

/** How a value is written into a field of a form, and read from it. */
export type ValueKind = 'text' | 'number' | 'boolean' | 'json' | 'list';

export interface DescribedParameter extends DescribedField {
  readonly place: 'path' | 'query' | 'header';
  readonly kind: ValueKind;
  /** Empty: any value. */
  readonly choices: readonly string[];
}

export interface DescribedContent {
  readonly type: string;
  /** The fields, if the type has no name of its own. */
  readonly fields: readonly DescribedField[];
  readonly example?: unknown;
}

export interface DescribedAnswer {
  readonly status: string;
  readonly about: string;
  /** Absent: no body. */
  readonly content?: DescribedContent;
}

export interface DescribedOperation {
  readonly name: string;
  /** Streams and sockets do not end with an answer. */
  readonly kind: 'call' | 'text' | 'stream' | 'socket';
  readonly method: string;
  /** With the base of its first version. */
  readonly path: string;
  /** The same in version 2, if it is in both. */
  readonly alsoAt?: string;
  readonly version: Version;
  readonly summary: string;
  readonly about: string;
  /** Who may call it. */
  readonly access: string;
  readonly auth: 'none' | 'token' | 'deviceKey';
  /** Whether the client has a method for it. */
  readonly isInClient: boolean;
  readonly asksFirst: boolean;
  readonly parameters: readonly DescribedParameter[];
  /** Values with which it can be tried. */
  readonly filled: Filled;
  readonly body?: DescribedContent & { readonly isRequired: boolean };
  readonly answers: readonly DescribedAnswer[];
  readonly errors: readonly { readonly status: string; readonly about: string }[];
}

export interface DescribedObject {
  readonly id: string;
  readonly name: string;
  readonly about: string;
  readonly fields: readonly DescribedField[];
}

export interface Chapter {
  readonly name: string;
  readonly slug: string;
  readonly about: string;
  readonly operations: readonly DescribedOperation[];
  /** Those that the operations of the chapter answer. */
  readonly objects: readonly DescribedObject[];
}

interface Document {
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, RawResponse>>;
  };
}
interface RawOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly object[];
  readonly servers?: readonly { readonly url: string }[];
  readonly parameters?: readonly RawParameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: RawContent };
  readonly responses: Readonly<Record<string, RawResponse | { readonly $ref: string }>>;
}
interface RawResponse {
  readonly description: string;
  readonly content?: RawContent;
}
interface RawParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
  readonly content?: RawContent;
}
type RawContent = Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;

let made: readonly Chapter[] | undefined;

/** All chapters, in the order of the contract. */
export function chapters(): readonly Chapter[] {
  made ??= makeChapters();
  return made;
}

function makeChapters(): Chapter[] {
  const documents = { v1: openApi('v1') as unknown as Document, v2: openApi('v2') as unknown as Document };
  const objects = new NamedObjects(documents.v1.components.schemas, documents.v2.components.schemas);
  const found = (['v1', 'v2'] as const).flatMap((version) => operationsIn(documents[version], version));
  return documents.v1.tags.map(({ name, description: about = '' }) => {
    const own = found.filter(({ raw }) => raw.tags.includes(name));
    objects.begin();
    const operations = own
      .filter(({ raw, version }) => version === 'v1' || !own.some((other) => isFirst(other, raw)))
      .map((one) => described(one, objects, own));
    return { name, slug: slugOf(name.replaceAll(',', '')), about, operations, objects: objects.described() };
  });
}

interface Found {
  readonly raw: RawOperation;
  readonly version: Version;
  readonly method: string;
  readonly path: string;
  readonly responses: readonly (readonly [status: string, response: RawResponse])[];
}

/** PATCH does the same as PUT, under the same path. */
const operationsIn = ({ paths, components }: Document, version: Version): Found[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => !(method === 'patch' && 'put' in methods))
      .map(([method, raw]) => ({
        raw,
        version,
        method: method.toUpperCase(),
        path: (raw.servers?.[0]?.url === '/' ? '' : BASES[version]) + path,
        responses: Object.entries(raw.responses).map(([status, response]) => [
          status,
          '$ref' in response ? components.responses[response.$ref.replace('#/components/responses/', '')]! : response,
        ]),
      })),
  );

const isFirst = (other: Found, { operationId }: RawOperation) =>
  other.version === 'v1' && other.raw.operationId === operationId;

function described(
  { raw, version, method, path, responses }: Found,
  objects: NamedObjects,
  all: readonly Found[],
): DescribedOperation {
  const named = objects.in(version);
  const { about, access } = textsOf(raw);
  const other = all.find((one) => one.version === 'v2' && version === 'v1' && one.raw.operationId === raw.operationId);
  const content = raw.requestBody && contentOf(raw.requestBody.content, named, true);
  return {
    name: raw.operationId,
    kind: kindOf(responses),
    method,
    path,
    ...(other && { alsoAt: other.path }),
    version,
    summary: raw.summary,
    about,
    access,
    auth: authOf(raw),
    isInClient: Object.hasOwn(OPERATIONS, raw.operationId),
    asksFirst: asksFirst(raw.operationId),
    parameters: (raw.parameters ?? []).map((parameter) => parameterOf(parameter, named)),
    filled: filledOf(raw.operationId, content?.example),
    ...(content && { body: { ...content, isRequired: raw.requestBody?.required === true } }),
    answers: responses
      .filter(([status]) => Number(status) < 400)
      .map(([status, { description, content: answered }]) => ({
        status,
        about: description,
        ...(answered && { content: contentOf(answered, named, false) }),
      })),
    errors: responses
      .filter(([status]) => Number(status) >= 400)
      .map(([status, { description }]) => ({ status, about: description })),
  };
}

/** The last paragraph of a description says who may call the operation. */
function textsOf({ description = '' }: RawOperation): { about: string; access: string } {
  const [, about = '', access = ''] = /^([\s\S]*?)(?:^|\n\n)Access: ([\s\S]+)$/.exec(description) ?? ['', description];
  return { about, access };
}

function kindOf(responses: Found['responses']): DescribedOperation['kind'] {
  const answerOf = (wanted: string) => responses.find(([status]) => status === wanted)?.[1];
  if (answerOf('101')) return 'socket';
  const types = Object.keys(answerOf('200')?.content ?? {});
  if (types.includes('text/event-stream')) return 'stream';
  return types.length > 0 && types.every((type) => type.startsWith('text/')) ? 'text' : 'call';
}

function authOf({ security }: RawOperation): DescribedOperation['auth'] {
  if (security.length === 0) return 'none';
  return security.some((scheme) => 'DeviceKey' in scheme) ? 'deviceKey' : 'token';
}

/** Where more is said about a parameter, as seen from docs/api. */
const MORE: Readonly<Record<string, string>> = {
  filter: ' See [Filters](../guides/filters.md).',
  where: ' See [Filters](../guides/filters.md).',
};

type Names = ReturnType<NamedObjects['in']>;

function parameterOf(
  { name, in: place, required, description, schema, content }: RawParameter,
  named: Names,
): DescribedParameter {
  const json = content?.['application/json'];
  const shape = schema ?? json?.schema ?? {};
  return {
    name,
    place,
    isRequired: required === true,
    type: json ? `JSON, ${typeOf(shape, named)}` : typeOf(shape, named),
    about: aboutField({ ...shape, description: description ?? shape.description }) + (MORE[name] ?? ''),
    kind: json ? 'json' : valueKindOf(shape),
    choices: membersOf(shape).map(String),
  };
}

function valueKindOf(schema: Schema): ValueKind {
  if (schema.contentMediaType === 'application/json') return 'json';
  const types = [schema.type].flat().filter((type) => type !== 'null');
  if (types.length !== 1) return 'text';
  if (types[0] === 'integer' || types[0] === 'number') return 'number';
  if (types[0] === 'array') return 'list';
  if (types[0] === 'object') return 'json';
  return types[0] === 'boolean' ? 'boolean' : 'text';
}

/** A body is described where it is sent; what is answered by its name, if it has one. */
function contentOf(content: RawContent, named: Names, isSent: boolean): DescribedContent {
  const [media, { schema, example }] = Object.entries(content)[0]!;
  if (isSent) return { type: bodyType(schema), fields: bodyFields(schema, named), example };
  const type = media === 'application/json' ? typeOf(schema, named) : media;
  if (media === 'text/event-stream') return { type, fields: eventFields(schema, named), example };
  return { type, fields: fieldsOf(listed(schema), named), example };
}

const listed = (schema: Schema): Schema =>
  schema.$ref ? {} : schema.type === 'array' ? listed((schema.items ?? {}) as Schema) : schema;

const bodyType = (schema: Schema) => (schema.anyOf ? 'object, or the bare list in it' : 'object');

/** Where a bare list is taken too, the object says what it holds. */
function bodyFields(schema: Schema, named: Names): DescribedField[] {
  const forms = (schema.anyOf as readonly Schema[] | undefined) ?? [schema];
  return forms.flatMap((form) => fieldsOf(opened(form, named), named));
}

/** One row for each event of a stream. */
const eventFields = (schema: Schema, named: Names): DescribedField[] =>
  ((schema.oneOf ?? []) as readonly Schema[]).map((event) => {
    const { properties } = opened(event, named) as { properties: { event: Schema; data: Schema } };
    return {
      name: String(properties.event.const),
      type: typeOf(properties.data, named),
      isRequired: false,
      about: aboutField(properties.data),
    };
  });
