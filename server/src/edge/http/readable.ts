import type { FastifyInstance, RouteHandlerMethod } from 'fastify';

/** A page or document that is only read: for GET, and for the HEAD of monitors and caches. */
export function readable(server: FastifyInstance, url: string, handler: RouteHandlerMethod): void {
  server.route({ method: ['GET', 'HEAD'], url, handler });
}
