import type { TSchema } from 'typebox';
import { NamedSchemas, plain } from './named-schemas.ts';
import { bodySchemaOf, CALLERS, isKeyed, type Operation, type SentBody, type Version } from './operation.ts';
import { aboutParameter, BASES, CHAPTERS, isTextual, OPERATIONS, parametersOf } from './operations.ts';
import { isList } from './query-values.ts';
import { LIVE_EVENTS, LIVE_PATH } from './resources/live.ts';
import { isDateRange, isRequired } from './schema.ts';

/** Generates the OpenAPI 3.1 document of a version from the table of operations. */

const TITLES: Record<Version, string> = { v1: 'Trackway API, version 1', v2: 'Trackway API, version 2' };

const ABOUT = `Trackway is a device-tracking platform. Devices report positions, readings and messages; this API reads
them and manages devices, geofences, triggers and notifications.

**Authentication.** Log in to get a token, or create a personal access token. Send it with each request as
\`Authorization: <token>\`.

**Requests.** Bodies are JSON. An update changes only the fields that are sent, and \`null\` clears an optional field.
Unknown fields are ignored.

**Times** are ISO 8601 in UTC with milliseconds. In requests, any offset, a date, or epoch milliseconds are accepted too.

**Lists** accept a \`filter\` and return at most 10 000 entries:
\`{"where": {"type": "temp", "timestamp": {"gt": "2026-01-01"}}, "order": "timestamp DESC", "limit": 100}\`.

**Errors** are JSON. Validation errors (422) name each invalid field.

**Repeats.** A client that does not know whether its POST request was carried out repeats it with the same
\`Idempotency-Key\` header. It is carried out once; a repeat within 24 hours gets the first answer, in which secrets are
null. The same key with another body is refused with 422 \`IDEMPOTENCY_KEY_REUSED\`. While the first request is under
way, the repeat gets 409. Refused and failed requests are not kept, so they can be repeated with the same key.

**Rate limits.** The response headers \`X-Ratelimit-Limit\`, \`X-Ratelimit-Remaining\` and \`X-Ratelimit-Reset\` (epoch
seconds) show the current limit. A 429 response has a \`Retry-After\` header, in seconds.`;

type Json = Record<string, unknown>;

export function openApi(version: Version): Json {
  const paths: Record<string, Json> = {};
  const schemas = new NamedSchemas();
  for (const [name, operation] of Object.entries(OPERATIONS) as [string, Operation][]) {
    if (!operation.versions.includes(version)) continue;
    paths[operation.path] ??= {};
    paths[operation.path]![operation.method.toLowerCase()] = described(name, operation, version, schemas);
  }
  if (version === 'v1') paths[LIVE_PATH] = { get: describedLive(schemas) };
  return {
    openapi: '3.1.0',
    info: {
      title: TITLES[version],
      version: version === 'v1' ? '1.0.0' : '2.0.0',
      description: ABOUT,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: BASES[version] }],
    tags: [...Object.keys(CHAPTERS), ...(version === 'v1' ? [LIVE] : [])].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        ApiKeyAuth: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: 'Token from a login, or a personal access token.',
        },
      },
      schemas: { Error: errorSchema(version), ...schemas.all() },
    },
  };
}

function described(name: string, operation: Operation, version: Version, schemas: NamedSchemas): Json {
  return {
    operationId: name,
    tags: [chapterOf(name)],
    summary: operation.summary,
    description: [
      ...(operation.description ? [operation.description] : []),
      `Access: ${CALLERS[operation.access]}.`,
    ].join('\n\n'),
    security: operation.access === 'anyone' ? [] : [{ ApiKeyAuth: [] }],
    parameters: [...pathParameters(operation), ...queryParameters(operation), ...headerParameters(operation)],
    ...(operation.body && {
      requestBody: {
        required: operation.body.mode === 'create' && operation.body.noun.required.length > 0,
        content: {
          'application/json': { schema: bodySchema(operation.body, schemas), ...exampleOf(operation.example?.body) },
        },
      },
    }),
    responses: { ...successes(operation, schemas), ...errors(operation, version) },
  };
}

const exampleOf = (example: unknown) => (example === undefined ? {} : { example });

/** Where a bare array is taken, the body is that, or the object with the array in its field. */
function bodySchema(body: SentBody, schemas: NamedSchemas): unknown {
  const schema = bodySchemaOf(body);
  if (body.list === undefined) return schemas.named(schema);
  return { anyOf: [schemas.named(body.noun.fields[body.list]!), schemas.named(schema)] };
}

function successes({ answer, status, media, example }: Operation, schemas: NamedSchemas): Json {
  if (answer === undefined) return { 204: { description: 'Success. The response has no body.' } };
  const type = media === 'text' ? 'text/plain' : 'application/json';
  const content = { [type]: { schema: schemas.named(answer), ...exampleOf(example?.answer) } };
  const created = { description: 'Success. Something was created.', content };
  if (status === 201) return { 201: created };
  return { 200: { description: 'Success.', content }, ...(status !== undefined && { 201: created }) };
}

const LIVE = 'Live';

/** The live stream is described by hand because its response never ends, unlike that of any operation. */
function describedLive(schemas: NamedSchemas): Json {
  const events = Object.entries(LIVE_EVENTS).map(([event, data]) => ({
    type: 'object',
    title: event,
    properties: {
      id: { type: 'string', description: 'Id of the event.' },
      event: { const: event, description: 'Name of the event.' },
      data: schemas.named(data),
    },
  }));
  const query = (name: string, description: string) => ({
    name,
    in: 'query',
    required: false,
    description,
    schema: { type: 'string' },
  });
  return {
    operationId: 'live',
    tags: [LIVE],
    summary: 'Subscribe to live events',
    description:
      'Streams positions, readings, messages, notifications and state changes of the devices visible to the caller, as server-sent events.\n\nTo resume, send the id of the last event received: events of the last 24 hours are delivered without gaps and without duplicates. For an older id, one `reset` event is sent first.\n\nComments keep the connection alive. A client that cannot keep up receives only the newest positions, and is disconnected if it still falls behind.\n\nAccess: every signed-in user.',
    security: [{ ApiKeyAuth: [] }],
    parameters: [
      query('devices', 'Comma-separated device ids. Only events of these devices are sent, at most 1000.'),
      query('lastEventId', 'Id of the last event received, for clients that cannot send the header `Last-Event-ID`.'),
      query('access_token', 'Token, for clients that cannot send headers.'),
    ],
    responses: {
      200: {
        description: 'The stream. Each event has an id, a name, and JSON data.',
        content: { 'text/event-stream': { schema: { oneOf: events } } },
      },
      ...errors({ access: 'user' } as Operation, 'v1'),
    },
  };
}

const chapterOf = (name: string) => Object.keys(CHAPTERS).find((chapter) => Object.hasOwn(CHAPTERS[chapter]!, name));

function pathParameters(operation: Operation): Json[] {
  return parametersOf(operation).map((name) => {
    const isText = operation.path.startsWith(`/users/{${name}}`) || isTextual(operation, name);
    const schema = isText ? { type: 'string' } : { type: 'integer', minimum: 1 };
    return { name, in: 'path', required: true, description: aboutParameter(operation, name), schema };
  });
}

function queryParameters(operation: Operation): Json[] {
  const declared = Object.entries(operation.query ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: isRequired(schema),
    description: (schema as { description?: string }).description,
    ...shapedAs(schema),
  }));
  if (operation.narrowing === undefined) return declared;
  const description =
    operation.narrowing === 'filter'
      ? 'JSON object with `where`, `order`, `limit`, `skip` and `fields`.'
      : 'JSON object of conditions on fields.';
  return [
    ...declared,
    {
      name: operation.narrowing,
      in: 'query',
      required: false,
      description,
      schema: { type: 'string', contentMediaType: 'application/json' },
    },
  ];
}

/** A list may be repeated; a range of time is JSON. */
function shapedAs(schema: TSchema): Json {
  const shape = plain(schema);
  if (isDateRange(schema)) return { content: { 'application/json': { schema: shape } } };
  return isList(schema) ? { style: 'form', explode: true, schema: shape } : { schema: shape };
}

const headerParameters = (operation: Operation): Json[] => [
  ...(operation.paging
    ? [
        {
          name: 'X-Query',
          in: 'header',
          required: false,
          description: 'JSON object of the query parameters. Its values win over those of the query.',
          schema: { type: 'string', contentMediaType: 'application/json', maxLength: 16_384 },
        },
      ]
    : []),
  ...(isKeyed(operation)
    ? [
        {
          name: 'Idempotency-Key',
          in: 'header',
          required: false,
          description:
            'A text of your own, new for each intended change. Within 24 hours, a repeat with the same key and body gets the first answer again, with `Idempotency-Replayed: true`, and changes nothing.',
          schema: { type: 'string', minLength: 1, maxLength: 255 },
        },
      ]
    : []),
];

const MEANINGS: Record<number, string> = {
  400: 'Bad request. The message names the invalid part.',
  401: 'The token is missing, unknown or expired.',
  403: 'Access denied.',
  404: 'The resource does not exist, or the caller may not see it.',
  409: 'A request with the same `Idempotency-Key` is under way. Retry after the number of seconds in `Retry-After`.',
  422: 'A field is missing or invalid.',
  429: 'Too many requests. Retry after the number of seconds in `Retry-After`.',
};

function errors(operation: Operation, version: Version): Json {
  const statuses = [
    400,
    ...(operation.access === 'anyone' && !operation.guarded ? [] : [401]),
    ...(operation.access === 'anyone' ? [] : [403, 404]),
    ...(isKeyed(operation) ? [409] : []),
    // Version 2 says 400 to what is 422 in version 1.
    ...(version === 'v1' && (operation.body || operation.query || isKeyed(operation)) ? [422] : []),
    429,
  ];
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
  const text = { 'application/json': { schema: { type: 'string' } } };
  const contentOf = (status: number) => (version === 'v2' && status === 429 ? text : content);
  return Object.fromEntries(
    statuses.map((status) => [status, { description: MEANINGS[status], content: contentOf(status) }]),
  );
}

function errorSchema(version: Version): Json {
  if (version === 'v2')
    return {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { type: 'integer', description: 'HTTP status.' },
        message: { type: 'string', description: 'Message for people.' },
        reason: { type: 'string', description: 'Stable code for programs, such as `FRESH_SIGN_IN_REQUIRED`.' },
      },
    };
  const error = {
    type: 'object',
    required: ['statusCode', 'name', 'message'],
    properties: {
      statusCode: { type: 'integer', description: 'HTTP status.' },
      name: { type: 'string', description: 'Name of the error, such as `ValidationError`.' },
      message: { type: 'string', description: 'Message for people.' },
      code: { type: 'string', description: 'Stable code for programs, such as `MODEL_NOT_FOUND`.' },
      details: { type: 'object', description: 'For validation errors: `codes` and `messages` by field.' },
    },
  };
  return { type: 'object', required: ['error'], properties: { error } };
}
