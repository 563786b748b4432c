import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { staticFile } from './static-files.ts';

/** Allows nothing from other hosts, and neither inline scripts nor inline styles. */
const POLICY =
  "default-src 'self'; img-src 'self' data:; object-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

/** Mounts the few static files that need no build. */
export function mountPages(server: FastifyInstance): void {
  for (const file of ['pages.css', 'icon.svg']) {
    readable(server, `/pages/${file}`, (request, reply) => servePage(request, reply, file));
  }
  readable(server, '/favicon.ico', (request, reply) => servePage(request, reply, 'icon.svg'));
}

export async function servePage(request: FastifyRequest, reply: FastifyReply, file: string): Promise<FastifyReply> {
  return (await staticFile(join(import.meta.dirname, 'pages', file)))!.send(request, setPagePolicy(reply));
}

export const setPagePolicy = (reply: FastifyReply): FastifyReply =>
  reply.header('content-security-policy', POLICY).header('referrer-policy', 'no-referrer');

/** Mounts a read-only page or document for GET, and for HEAD requests of monitors and caches. */
export function readable(server: FastifyInstance, url: string, handler: RouteHandlerMethod): void {
  server.route({ method: ['GET', 'HEAD'], url, handler });
}
