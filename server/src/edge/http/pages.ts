import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { staticFile } from './files/static-files.ts';
import { readable } from './readable.ts';

/** Allows nothing from other hosts, and neither inline scripts nor inline styles. */
const POLICY =
  "default-src 'self'; img-src 'self' data:; object-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

/** Mounts the few files that are served without a build. */
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
