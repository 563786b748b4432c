import type { FastifyInstance, FastifyReply } from 'fastify';

const EXPOSED = [
  'Allow',
  'ETag',
  'Idempotency-Replayed',
  'Link',
  'Preference-Applied',
  'Retry-After',
  'X-Range-From',
  'X-Ratelimit-Limit',
  'X-Ratelimit-Remaining',
  'X-Ratelimit-Reset',
  'X-Report-Complete',
  'X-Request-Id',
  'X-Total-Count',
].join(', ');
const ALLOWED = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'Last-Event-ID',
  'Prefer',
  'X-Access-Token',
  'X-Query',
  'X-Request-Id',
].join(', ');

/**
 * Allows pages of any origin to call the API. This is safe because the API uses no cookies, only a token that the page
 * must have.
 */
export function openToOrigins(server: FastifyInstance): void {
  server.addHook('onRequest', (request, reply, done) => {
    const { url } = request.raw;
    reply.header('x-content-type-options', 'nosniff');
    if (/^\/(api|v2)/i.test(url!)) {
      reply.header('cache-control', 'no-store');
      reply.header('access-control-allow-origin', '*');
      // Only a page of another origin needs permission to read these headers.
      if (request.headers.origin !== undefined) reply.header('access-control-expose-headers', EXPOSED);
    }
    done();
  });
}

/** @param allow the methods of the address, if the address exists */
export function answerPreflight(reply: FastifyReply, allow?: string): FastifyReply {
  return reply
    .code(204)
    .headers({
      ...(allow !== undefined && { allow }),
      'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers': ALLOWED,
      'access-control-max-age': '86400',
    })
    .send();
}
