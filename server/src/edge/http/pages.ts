import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { readable } from './readable.ts';

/** The file types that are served, with their content types. */
export const TYPES: Readonly<Record<string, string | undefined>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

/**
 * Allows nothing from other hosts and no inline script. Inline styles are allowed because the reference page sets them.
 */
const POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

/** Mounts the few files that are served without a build. */
export function mountPages(server: FastifyInstance): void {
  for (const file of ['pages.css', 'docs.css', 'icon.svg']) {
    readable(server, `/pages/${file}`, (_request, reply) => servePage(reply, file));
  }
  readable(server, '/favicon.ico', (_request, reply) => servePage(reply, 'icon.svg'));
}

export async function servePage(reply: FastifyReply, file: string): Promise<FastifyReply> {
  const text = await readFile(join(import.meta.dirname, 'pages', file), 'utf8');
  return reply
    .header('content-type', TYPES[extname(file)])
    .header('content-security-policy', POLICY)
    .header('referrer-policy', 'no-referrer')
    .send(text);
}
