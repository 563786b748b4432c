import type { FastifyInstance, FastifyReply } from 'fastify';

const EXPOSED = 'Idempotency-Replayed, Retry-After, X-Ratelimit-Limit, X-Ratelimit-Remaining, X-Ratelimit-Reset';

/**
 * Opens the API to pages of any origin. This is safe because it uses no cookies, only a token that the page must hold.
 */
export function openToOrigins(server: FastifyInstance): void {
  server.addHook('onRequest', (request, reply, done) => {
    const { url } = request.raw;
    reply.header('x-content-type-options', 'nosniff');
    if (url!.startsWith('/api') || url!.startsWith('/v2')) {
      reply.header('cache-control', 'no-store');
      reply.header('access-control-allow-origin', '*');
      // Only a page of another origin needs permission to read these headers.
      if (request.headers.origin !== undefined) reply.header('access-control-expose-headers', EXPOSED);
    }
    done();
  });
}

export function answerPreflight(reply: FastifyReply): FastifyReply {
  return reply
    .code(204)
    .headers({
      'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers': 'Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-Access-Token',
      'access-control-max-age': '86400',
    })
    .send();
}
