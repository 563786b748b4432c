import { ERRORS, type ErrorBody } from '@trackway/contract/errors.ts';
import type { Version } from '@trackway/contract/operation.ts';
import { Refusal } from '../../platform/errors.ts';
import { StoreTrouble, type TroubleKind } from '../../platform/storage/trouble.ts';
import { unsupportedType } from './body.ts';

/** Maps errors of the framework and of inner layers to the error format of the contract. */

const FASTIFY: Record<string, (message: string) => Refusal> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: unsupportedType,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => new Refusal(400, 'The length of the body does not match Content-Length'),
  FST_ERR_CTP_INVALID_JSON_BODY: () => new Refusal(400, 'The body is not valid JSON', { name: 'SyntaxError' }),
  FST_ERR_BAD_URL: () => new Refusal(400, 'The address is not valid percent-encoding'),
};

/** @param bodyLimit maximum size of a body at this address, in bytes */
export function refusalOf(error: unknown, bodyLimit?: number): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof StoreTrouble) return storeRefusal(error);
  const { code, statusCode, name, message } = error as {
    code?: string;
    statusCode?: number;
    name?: string;
    message?: string;
  };
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    const most = bodyLimit === undefined ? '' : `: a body may have at most ${bodyLimit} bytes here`;
    return new Refusal(413, `request entity too large${most}`, { name: 'PayloadTooLargeError' });
  }
  const known = code === undefined ? undefined : FASTIFY[code];
  if (known) return known(message ?? '');
  if (name === 'SyntaxError' && statusCode === 400)
    return new Refusal(400, 'The body is not acceptable JSON: it has a forbidden key such as __proto__', { name });
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new Refusal(statusCode, message ?? 'Bad Request');
  return new Refusal(500, 'Internal Server Error', { name: 'InternalServerError', cause: error });
}

/** Codes that clients of version 2 evaluate; its published error format has no other codes. */
const REASONS: ReadonlySet<string | undefined> = new Set([
  ERRORS.freshSignInRequired.code,
  ERRORS.secondFactorMissing.code,
  ERRORS.outOfScope.code,
  ERRORS.idempotencyKeyReused.code,
  ERRORS.idempotencyKeyInUse.code,
]);

/** The status of an error response: version 2 has no 422. */
export const statusIn = (version: Version, { statusCode }: Refusal): number =>
  version === 'v2' && statusCode === 422 ? 400 : statusCode;

export function errorBody(
  version: Version,
  refusal: Refusal,
  requestId?: string,
): ErrorBody | { code: number; message: string; reason?: string } | string {
  const { statusCode, name, message, code, details } = refusal;
  if (version === 'v1') {
    const more = { ...(code && { code }), ...(details !== undefined && { details }) };
    return { error: { statusCode, name, message, ...more, ...(statusCode >= 500 && requestId && { requestId }) } };
  }
  // Published format: the body is plain text.
  if (statusCode === 429) return message;
  const status = statusIn(version, refusal);
  if (status === 500) return { code: 500, message: 'internal server error' };
  return { code: status, message, ...(REASONS.has(code) && { reason: code }) };
}

/** Responses for database problems: no internals, but whether and when to retry. */
const ANSWERS: Record<TroubleKind, { status: 503 | 507; afterSeconds: number; message: string }> = {
  full: {
    status: 507,
    afterSeconds: 60,
    message: 'The disk of the server is full: nothing was stored. Send it again later.',
  },
  damaged: {
    status: 503,
    afterSeconds: 300,
    message: 'The database of the server is damaged: nothing is stored until its operator has restored it.',
  },
  gone: {
    status: 503,
    afterSeconds: 60,
    message: 'The server has lost the files of its database: nothing is stored until its operator has restored them.',
  },
  readOnly: {
    status: 503,
    afterSeconds: 60,
    message: 'The database of the server cannot be written at the moment. Send it again later.',
  },
  disk: { status: 503, afterSeconds: 60, message: 'The disk of the server has a fault. Try again later.' },
  unavailable: {
    status: 503,
    afterSeconds: 5,
    message: 'The database of the server does not answer at the moment. Try again soon.',
  },
  busy: { status: 503, afterSeconds: 5, message: 'The database of the server is busy. Try again soon.' },
};

function storeRefusal(trouble: StoreTrouble): Refusal {
  const { status, afterSeconds, message } = ANSWERS[trouble.kind];
  return new Refusal(status, message, {
    name: 'ServiceUnavailableError',
    code: `STORE_${trouble.kind.replace('readOnly', 'read_only').toUpperCase()}`,
    headers: { 'retry-after': String(afterSeconds) },
    cause: trouble,
  });
}
