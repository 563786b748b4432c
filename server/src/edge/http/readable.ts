import type { FastifyInstance, RouteHandlerMethod } from 'fastify';

/** Mounts a read-only page or document for GET, and for the HEAD requests of monitors and caches. */
export function readable(server: FastifyInstance, url: string, handler: RouteHandlerMethod): void {
  server.route({ method: ['GET', 'HEAD'], url, handler });
}
