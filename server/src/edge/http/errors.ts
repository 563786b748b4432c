import { ERRORS, type ErrorBody } from '@trackway/contract/errors.ts';
import type { Version } from '@trackway/contract/operation.ts';
import { Refusal } from '../../platform/errors.ts';
import { StoreTrouble } from '../../platform/storage/trouble.ts';
import { storeRefusal } from './store-trouble.ts';

/** Translates errors of the framework and of the code below into the error format of the contract. */

const FASTIFY: Record<string, (message: string) => Refusal> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new Refusal(415, 'Unsupported content type: send application/json or application/x-www-form-urlencoded', {
      name: 'UnsupportedMediaTypeError',
    }),
  FST_ERR_CTP_BODY_TOO_LARGE: () => new Refusal(413, 'request entity too large', { name: 'PayloadTooLargeError' }),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => new Refusal(400, 'The length of the body does not match Content-Length'),
  FST_ERR_CTP_INVALID_JSON_BODY: () => new Refusal(400, 'The body is not valid JSON', { name: 'SyntaxError' }),
  FST_ERR_BAD_URL: () => new Refusal(400, 'The address is not valid percent-encoding'),
};

export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof StoreTrouble) return storeRefusal(error);
  const { code, statusCode, name, message } = error as {
    code?: string;
    statusCode?: number;
    name?: string;
    message?: string;
  };
  const known = code === undefined ? undefined : FASTIFY[code];
  if (known) return known(message ?? '');
  if (name === 'SyntaxError' && statusCode === 400)
    return new Refusal(400, 'The body is not acceptable JSON: it has a forbidden key such as __proto__', { name });
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new Refusal(statusCode, message ?? 'Bad Request');
  return new Refusal(500, 'Internal Server Error', { name: 'InternalServerError', cause: error });
}

/** Codes that a client of version 2 acts on; its published errors have no place for others. */
const REASONS: ReadonlySet<string | undefined> = new Set([ERRORS.freshSignInRequired.code, ERRORS.outOfScope.code]);

/** The status of a refusal: version 2 knows no 422. */
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
  // Published so: the body is a bare text.
  if (statusCode === 429) return message;
  const status = statusIn(version, refusal);
  if (status === 500) return { code: 500, message: 'internal server error' };
  return { code: status, message, ...(REASONS.has(code) && { reason: code }) };
}
