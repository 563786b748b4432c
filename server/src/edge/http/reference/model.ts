import { exampleOf } from '@trackway/contract/examples/examples.ts';
import { recent } from '@trackway/contract/examples/recent.ts';
import { openApi } from '@trackway/contract/openapi.ts';
import type { Operation, Version } from '@trackway/contract/operation.ts';
import { BASES, CHAPTERS, OPERATIONS } from '@trackway/contract/operations.ts';
import type { Filled } from '../pages/reference/samples.js';
import { asksFirst } from './asks-first.ts';
import {
  aboutField,
  type DescribedField,
  fieldsOf,
  membersOf,
  NamedObjects,
  opened,
  type Schema,
  typeOf,
} from './fields.ts';
import { slugOf } from './markdown.ts';

/** The reference by chapters, generated from the OpenAPI documents of both versions. Texts are Markdown. */

/** How a value is written to and read from a form field. */
type ValueKind = 'text' | 'number' | 'boolean' | 'json' | 'list';

export interface DescribedParameter extends DescribedField {
  readonly place: 'path' | 'query' | 'header';
  readonly kind: ValueKind;
  /** Empty if any value is allowed. */
  readonly choices: readonly string[];
}

export interface DescribedContent {
  readonly type: string;
  /** The fields, if the type has no name. */
  readonly fields: readonly DescribedField[];
  readonly example?: unknown;
}

export interface DescribedAnswer {
  readonly status: string;
  readonly about: string;
  /** Absent if there is no body. */
  readonly content?: DescribedContent;
}

export interface DescribedOperation {
  readonly name: string;
  /** Streams and sockets have no single response. */
  readonly kind: 'call' | 'text' | 'stream' | 'socket';
  readonly method: string;
  /** Including the base path of its first version. */
  readonly path: string;
  /** The path in version 2, if it is in both versions. */
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
  /** Example values. */
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
  /** The objects that the operations of the chapter return. */
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
  // In the order of the contract; some chapters have operations of one version only.
  const order = [...Object.keys(CHAPTERS), ...documents.v1.tags.map(({ name }) => name)];
  const tags = new Map([...documents.v2.tags, ...documents.v1.tags].map((tag) => [tag.name, tag]));
  return [...new Set(order)]
    .flatMap((name) => tags.get(name) ?? [])
    .map(({ name, description: about = '' }) => {
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

/** PATCH is the same as PUT on the same path. */
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

/** The last paragraph of a description states who may call the operation. */
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

/** Documents with details about a parameter, as links from docs/api. */
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

/** Request bodies are described in place; responses by their name, if they have one. */
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

/** If a bare list is accepted too, the object describes its content. */
function bodyFields(schema: Schema, named: Names): DescribedField[] {
  const forms = (schema.anyOf as readonly Schema[] | undefined) ?? [schema];
  return forms.flatMap((form) => fieldsOf(opened(form, named), named));
}

/** One row per event of a stream. */
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

const KEY = 'dk_8Qm2Zr5Yt7Uw9Xv1Bc3Nf6Lp';
const TIME = '2026-06-01T12:00:00Z';

/** Streams, sockets and protocols of apps are not operations of the contract. */
const OTHERS: Readonly<Record<string, Filled>> = {
  live: { values: { devices: '7,8' } },
  socket: { values: { devices: '7,8' } },
  deviceSocket: { values: { device: '7' } },
  reportByOsmand: {
    values: { key: KEY },
    body: { location: { timestamp: TIME, coords: { latitude: 46.4983, longitude: 11.3548, accuracy: 8, speed: 12 } } },
  },
  reportByOwntracks: {
    values: { key: KEY },
    body: { _type: 'location', lat: 46.4983, lon: 11.3548, acc: 8, vel: 42, tst: 1_780_315_200 },
  },
  reportByOverland: {
    values: { key: KEY },
    body: {
      locations: [
        {
          type: 'Feature',
          geometry: { type: 'Point', coordinates: [11.3548, 46.4983] },
          properties: { timestamp: TIME, horizontal_accuracy: 8, speed: 12 },
        },
      ],
    },
  },
  reportByTheThingsStack: {
    values: {},
    body: {
      end_device_ids: { device_id: 'probe', dev_eui: '70B3D57ED0012ABC' },
      uplink_message: { f_port: 2, f_cnt: 42, frm_payload: 'AWcA4Q==', received_at: TIME },
    },
  },
  reportByChirpStack: {
    values: {},
    body: { deviceInfo: { devEui: '70b3d57ed0012abc' }, time: TIME, fCnt: 42, fPort: 2, data: 'AWcA4Q==' },
  },
  reportBySigfox: { values: {}, body: { device: 'C1A2B3', time: 1_780_315_200, data: '0a1b2c', seqNumber: 77 } },
  reportByFrame: { values: { protocol: 'h02' }, body: { data: 'KkhRLDEyMzQ1Njc4OTAsSFRCVCM=', device: '1234567890' } },
};

const operationOf = (name: string): Operation | undefined => (OPERATIONS as Record<string, Operation>)[name];

/**
 * The parameter values and the body of an operation's example.
 * @param described the body in its description, if it is not an operation of the contract
 */
export function filledOf(name: string, described?: unknown): Filled {
  const operation = operationOf(name);
  if (operation === undefined) return recent(OTHERS[name]) ?? { values: {}, body: described };
  const { path, query, body } = exampleOf(operation);
  const { list } = operation.body ?? {};
  // The client accepts only the object, not the bare list that the API also accepts.
  const sent = Array.isArray(body) && list !== undefined ? { [list]: body } : body;
  return { values: { ...path, ...query }, ...(sent !== undefined && { body: sent }) };
}
