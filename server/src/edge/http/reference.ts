import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { openApi } from '@trackway/contract/openapi.ts';
import type { Version } from '@trackway/contract/operation.ts';
import { BASES } from '@trackway/contract/operations.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { StaticFile, staticFile } from './files/static-files.ts';
import { servePage } from './pages.ts';
import { readable } from './readable.ts';

/** Mounts the API reference: OpenAPI for programs, and a page for people that loads no files from other hosts. */
export function mountReference(server: FastifyInstance): void {
  for (const version of ['v1', 'v2'] as const) {
    readable(server, `${BASES[version]}/openapi.json`, (request, reply) => documentOf(version).send(request, reply));
  }
  readable(server, '/docs', (request, reply) => servePage(request, reply, 'docs.html'));
  readable(server, '/docs/start.js', (request, reply) => servePage(request, reply, 'docs.js'));
  for (const file of FILES) readable(server, `/docs/${file}`, (request, reply) => serveFile(request, reply, file));
}

const FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-standalone-preset.js'];

const made = new Map<Version, StaticFile>();
function documentOf(version: Version): StaticFile {
  const known = made.get(version);
  if (known) return known;
  const file = new StaticFile('application/json; charset=utf-8', Buffer.from(JSON.stringify(openApi(version))));
  made.set(version, file);
  return file;
}

async function serveFile(request: FastifyRequest, reply: FastifyReply, file: string): Promise<FastifyReply> {
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const found = await staticFile(join(folder, file));
  if (found) return found.send(request, reply.header('cache-control', 'max-age=86400'));
  reply.callNotFound();
  return reply;
}
