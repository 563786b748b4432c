import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { openApi } from '@trackway/contract/openapi.ts';
import type { Version } from '@trackway/contract/operation.ts';
import { BASES } from '@trackway/contract/operations.ts';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { servePage } from './pages.ts';
import { readable } from './readable.ts';

/** Mounts the API reference: OpenAPI for programs, and a page for people that loads no files from other hosts. */
export function mountReference(server: FastifyInstance): void {
  for (const version of ['v1', 'v2'] as const) {
    readable(server, `${BASES[version]}/openapi.json`, (_request, reply) => {
      reply.header('content-type', 'application/json; charset=utf-8');
      return reply.send(documentOf(version));
    });
  }
  readable(server, '/docs', (_request, reply) => servePage(reply, 'docs.html'));
  readable(server, '/docs/start.js', (_request, reply) => servePage(reply, 'docs.js'));
  for (const [file, type] of Object.entries(FILES)) {
    readable(server, `/docs/${file}`, (_request, reply) => serveFile(reply, file, type));
  }
}

const FILES = {
  'swagger-ui.css': 'text/css',
  'swagger-ui-bundle.js': 'text/javascript',
  'swagger-ui-standalone-preset.js': 'text/javascript',
};

const made = new Map<Version, string>();
function documentOf(version: Version): string {
  const known = made.get(version);
  if (known) return known;
  const text = JSON.stringify(openApi(version));
  made.set(version, text);
  return text;
}

async function serveFile(reply: FastifyReply, file: string, type: string): Promise<FastifyReply> {
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const text = await readFile(join(folder, file), 'utf8');
  return reply.header('content-type', `${type}; charset=utf-8`).header('cache-control', 'max-age=86400').send(text);
}
