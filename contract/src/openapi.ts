import { LIVE_EVENTS, LIVE_PATH } from './live.ts';
import { bodySchemaOf, type Operation, type Version } from './operation.ts';
import { BASES, CHAPTERS, OPERATIONS, parametersOf } from './operations.ts';

/** The OpenAPI 3.1 document of a version, made from the table of operations. */

const TITLES: Record<Version, string> = { v1: 'Trackway API, version 1', v2: 'Trackway API, version 2' };

const ABOUT = `Devices report, Trackway keeps, watches and tells. Log in to get a token and send it as
\`Authorization: <token>\`. Times are ISO 8601 in UTC; lists take a \`filter\`:
\`{"where": {"type": "temp", "timestamp": {"gt": "2026-01-01"}}, "order": "timestamp DESC", "limit": 100}\`.`;

type Json = Record<string, unknown>;

export function openApi(version: Version): Json {
  const paths: Record<string, Json> = {};
  for (const [name, operation] of Object.entries(OPERATIONS) as [string, Operation][]) {
    if (!operation.versions.includes(version)) continue;
    paths[operation.path] ??= {};
    paths[operation.path]![operation.method.toLowerCase()] = described(name, operation, version);
  }
  if (version === 'v1') paths[LIVE_PATH] = { get: describedLive() };
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
          description: 'A token from log-in, or a personal access token.',
        },
      },
      schemas: { Error: errorSchema(version) },
    },
  };
}

function described(name: string, operation: Operation, version: Version): Json {
  return {
    operationId: name,
    tags: [chapterOf(name)],
    summary: operation.summary,
    ...(operation.description && { description: operation.description }),
    security: operation.access === 'anyone' ? [] : [{ ApiKeyAuth: [] }],
    parameters: [...pathParameters(operation), ...queryParameters(operation)],
    ...(operation.body && {
      requestBody: {
        required: operation.body.mode === 'create' && operation.body.noun.required.length > 0,
        content: { 'application/json': { schema: plain(bodySchemaOf(operation.body)) } },
      },
    }),
    responses: {
      ...(operation.answer
        ? {
            200: {
              description: 'Done.',
              content: {
                [operation.media === 'text' ? 'text/plain' : 'application/json']: { schema: plain(operation.answer) },
              },
            },
          }
        : { 204: { description: 'Done.' } }),
      ...errors(operation, version),
    },
  };
}

const LIVE = 'Live';

/** The one answer that does not end, so no operation like the others. */
function describedLive(): Json {
  const events = Object.entries(LIVE_EVENTS).map(([event, data]) => ({
    type: 'object',
    title: event,
    properties: { id: { type: 'string' }, event: { const: event }, data: plain(data) },
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
    summary: 'What happens, as it happens: server-sent events',
    description:
      'Positions, readings, messages, notifications and states of the devices that the caller may see. A client that comes back with the id of the last event it had misses nothing of the last 24 hours and gets nothing twice; beyond that it gets one `reset`. Comments keep the connection alive. A reader that stays behind gets only the newest positions, and is let go if that does not help.',
    security: [{ ApiKeyAuth: [] }],
    parameters: [
      query('devices', 'Ids of devices with commas between them: only these.'),
      query('lastEventId', 'Like the header Last-Event-ID, for clients that can not send it.'),
      query('access_token', 'The token, for clients that can not send headers.'),
    ],
    responses: {
      200: {
        description: 'The stream. Each event has an id, a name, and JSON as its data.',
        content: { 'text/event-stream': { schema: { oneOf: events } } },
      },
      ...errors({ access: 'user' } as Operation, 'v1'),
    },
  };
}

const chapterOf = (name: string) => Object.keys(CHAPTERS).find((chapter) => Object.hasOwn(CHAPTERS[chapter]!, name));

function pathParameters(operation: Operation): Json[] {
  return parametersOf(operation).map((name, index) => {
    const ofUser = index === 0 && operation.path.startsWith('/users/{');
    const schema = ofUser ? { type: 'string' } : { type: 'integer', minimum: 1 };
    const description = ofUser ? 'The user: an id, or me.' : index === 0 ? 'Its id.' : 'The id of the child.';
    return { name, in: 'path', required: true, description, schema };
  });
}

function queryParameters(operation: Operation): Json[] {
  const declared = Object.entries(operation.query ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: false,
    description: (schema as { description?: string }).description,
    schema: plain(schema),
  }));
  if (operation.narrowing === undefined) return declared;
  const description =
    operation.narrowing === 'filter'
      ? 'A JSON object: where, order, limit, skip, fields.'
      : 'A JSON object of conditions on fields.';
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

const MEANINGS: Record<number, string> = {
  400: 'The request can not be understood.',
  401: 'No valid token.',
  403: 'Not allowed.',
  404: 'Not there, or not for the caller to see.',
  422: 'A field is missing or wrong; details name it.',
  429: 'Too many requests; Retry-After tells when to try again.',
};

function errors(operation: Operation, _version: Version): Json {
  const statuses = [
    400,
    ...(operation.access === 'anyone' && !operation.guarded ? [] : [401]),
    ...(operation.access === 'anyone' ? [] : [403, 404]),
    ...(operation.body || operation.query ? [422] : []),
    429,
  ];
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
  return Object.fromEntries(statuses.map((status) => [status, { description: MEANINGS[status], content }]));
}

function errorSchema(version: Version): Json {
  if (version === 'v2')
    return {
      type: 'object',
      required: ['code', 'message'],
      properties: { code: { type: 'integer' }, message: { type: 'string' } },
    };
  const error = {
    type: 'object',
    required: ['statusCode', 'name', 'message'],
    properties: {
      statusCode: { type: 'integer' },
      name: { type: 'string' },
      message: { type: 'string' },
      code: { type: 'string' },
      details: { type: 'object' },
    },
  };
  return { type: 'object', required: ['error'], properties: { error } };
}

/** A schema without what only we read in it. */
function plain(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(plain);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => !key.startsWith('x-') && !key.startsWith('~'))
      .map(([key, value]) => [key, plain(value)]),
  );
}
