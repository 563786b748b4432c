import type { TSchema } from 'typebox';
import { exampleOf } from '../examples/examples.ts';
import { isKeyed, type Operation, type Version } from '../operation.ts';
import { OPERATIONS } from '../operations.ts';
import { isList, isSingleRead, readOf, UNCOUNTED } from '../reads.ts';
import { type NamedSchemas, withoutDefaults } from './named-schemas.ts';

/** All response statuses of an operation, with headers and bodies. */

type Json = Record<string, unknown>;

/** Response headers. */
export const HEADERS = {
  'X-Request-Id': [
    'Id of the request, to quote in questions to the operator. If the request sent one, it is returned unchanged.',
    'string',
  ],
  'X-Ratelimit-Limit': ['Allowed requests per minute.', 'integer'],
  'X-Ratelimit-Remaining': ['Requests left in this minute.', 'integer'],
  'X-Ratelimit-Reset': ['When the next minute begins, in epoch seconds.', 'integer'],
  'Retry-After': ['Seconds to wait before a retry.', 'integer'],
  Link: ['Addresses of other pages of the list, such as `<…>; rel="next"`. Absent if there are none.', 'string'],
  'X-Total-Count': ['Total number of matching entries.', 'integer'],
  'X-Range-From': ['Start of the time range that was used, if the requested range was longer than 90 days.', 'string'],
  ETag: ['Version of the resource, for `If-Match` of a change.', 'string'],
  'Idempotency-Replayed': ['`true` if this is the response to an earlier request with the same key.', 'string'],
  'WWW-Authenticate': ['How to authenticate.', 'string'],
} as const satisfies Record<string, readonly [description: string, type: string]>;
type HeaderName = keyof typeof HEADERS;

export const describedHeaders = (): Json =>
  Object.fromEntries(
    Object.entries(HEADERS).map(([name, [description, type]]) => [name, { description, schema: { type } }]),
  );

const ALWAYS: readonly HeaderName[] = [
  'X-Request-Id',
  'X-Ratelimit-Limit',
  'X-Ratelimit-Remaining',
  'X-Ratelimit-Reset',
];

const headersNamed = (names: readonly HeaderName[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Error responses by status: name and meaning. */
const REFUSALS = {
  400: ['BadRequest', 'Bad request. The message names the invalid part.'],
  401: ['Unauthorized', 'The token or the password is missing, unknown or expired.'],
  403: ['Forbidden', 'Access denied.'],
  404: ['NotFound', 'The resource does not exist, or the caller may not see it.'],
  409: [
    'Conflict',
    'A request with the same `Idempotency-Key` is in progress. Retry after the number of seconds in `Retry-After`.',
  ],
  410: ['Gone', 'The resource already is in the requested state.'],
  412: ['PreconditionFailed', 'The resource was changed after the version in `If-Match`. Read it again.'],
  413: ['PayloadTooLarge', 'The body is too large.'],
  415: ['UnsupportedMediaType', 'The body is neither JSON nor a form.'],
  422: ['ValidationFailed', 'A field is missing or invalid. `details` names each of them.'],
  426: ['UpgradeRequired', 'The request is not a web socket handshake.'],
  429: ['TooManyRequests', 'Too many requests. Retry after the number of seconds in `Retry-After`.'],
  503: [
    'ServiceUnavailable',
    'The server cannot do this at the moment. Retry after the number of seconds in `Retry-After`.',
  ],
  507: ['InsufficientStorage', 'The disk of the server is full: nothing was stored.'],
} as const;
export type RefusalStatus = keyof typeof REFUSALS;
const RETRIED: readonly number[] = [409, 429, 503, 507];

const ERROR = { $ref: '#/components/schemas/Error' };

/** Version 2 returns 429 with plain text. */
const bodyOf = (status: number, version: Version) => (version === 'v2' && status === 429 ? { type: 'string' } : ERROR);

export function describedRefusals(version: Version): Json {
  return Object.fromEntries(
    Object.entries(REFUSALS).map(([status, [name, description]]) => [
      name,
      {
        description,
        headers: headersNamed([...ALWAYS, ...(RETRIED.includes(Number(status)) ? (['Retry-After'] as const) : [])]),
        content: { 'application/json': { schema: bodyOf(Number(status), version) } },
      },
    ]),
  );
}

export const refusals = (statuses: readonly RefusalStatus[]): Json =>
  Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/${REFUSALS[status][0]}` }]));

/** The error responses of an operation, ordered by status. */
export function statusesOf(operation: Operation, version: Version): RefusalStatus[] {
  const { access, body, query, guarded, method, changes, path } = operation;
  const isOpen = access === 'anyone';
  const isChange = method !== 'GET' || changes === true;
  const when: [RefusalStatus, boolean][] = [
    [400, true],
    [401, !isOpen || guarded === true],
    [403, !isOpen],
    [404, !isOpen && path.includes('{')],
    [409, isKeyed(operation)],
    [412, readOf(OPERATIONS, operation, version) !== undefined],
    [413, body !== undefined],
    [415, body !== undefined],
    // Version 2 returns 400 where version 1 returns 422.
    [422, version === 'v1' && (body !== undefined || query !== undefined || isKeyed(operation))],
    [429, true],
    [503, true],
    [507, isChange],
  ];
  const further = (operation.refuses ?? []).filter((status) => !(version === 'v2' && status === 422));
  const own = when.filter(([, holds]) => holds).map(([status]) => status);
  return [...new Set([...own, ...further])].sort((one, other) => one - other);
}

/** The success responses of an operation. */
export function successes(name: string, operation: Operation, schemas: NamedSchemas): Json {
  const { answer, status } = operation;
  const headers = headersNamed(headersOf(name, operation));
  if (answer === undefined) return { 204: { description: 'Success. The response has no body.', headers } };
  const body = { schema: schemas.named(withoutDefaults(answer)), example: exampleOf(operation).answer };
  const content = Object.fromEntries((operation.mediaTypes ?? ['application/json']).map((type) => [type, body]));
  const created = { description: 'Success. Something was created.', headers, content };
  if (status === 201) return { 201: created };
  return { 200: { description: 'Success.', headers, content }, ...(status !== undefined && { 201: created }) };
}

function headersOf(name: string, operation: Operation): HeaderName[] {
  const names: HeaderName[] = [...ALWAYS];
  if (isList(operation) || operation.paging !== undefined) names.push('Link');
  if ((isList(operation) && !UNCOUNTED.has(name)) || operation.paging !== undefined) names.push('X-Total-Count');
  if (isList(operation) && UNCOUNTED.has(name)) names.push('X-Range-From');
  if (isSingleRead(operation)) names.push('ETag');
  if (isKeyed(operation)) names.push('Idempotency-Replayed');
  return names;
}

const text = (description: string, more: object = {}) => ({ type: 'string', description, ...more });
const status = { type: 'integer', description: 'HTTP status.' };
const byField = (description: string) => ({
  type: 'object',
  description,
  additionalProperties: { type: 'array', items: { type: 'string' } },
});

const DETAILS = {
  title: 'error details',
  type: 'object',
  description: 'Details of the error, for programs.',
  properties: {
    context: text('Name of the resource.'),
    codes: byField('Of a 422: codes by field, such as `presence`, `type`, `range`, `length`, `inclusion`.'),
    messages: byField('Of a 422: messages by field.'),
    ways: { type: 'array', items: { type: 'string' }, description: 'Ways to prove a second factor.' },
  },
};

/** The error schema of a version. */
export function errorSchema(version: Version): TSchema {
  if (version === 'v2')
    return {
      title: 'error',
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: status,
        message: text('Message for people.'),
        reason: text('Stable code for programs, such as `FRESH_SIGN_IN_REQUIRED`.'),
      },
    } as TSchema;
  const error = {
    title: 'error body',
    type: 'object',
    description: 'The error.',
    required: ['statusCode', 'name', 'message'],
    properties: {
      statusCode: status,
      name: text('Name of the error, such as `ValidationError`.'),
      message: text('Message for people.'),
      code: text('Stable code for programs, such as `MODEL_NOT_FOUND`.'),
      details: DETAILS,
      requestId: text('Of a 5xx: the id of the request, as in `X-Request-Id`.'),
    },
  };
  return { title: 'error', type: 'object', required: ['error'], properties: { error } } as TSchema;
}
