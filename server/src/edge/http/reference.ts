import { openApi } from '@trackway/contract/openapi.ts';
import type { Version } from '@trackway/contract/operation.ts';
import { BASES } from '@trackway/contract/operations.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { StaticFile, staticFile } from './files/static-files.ts';
import { setPagePolicy } from './pages.ts';
import { readable } from './readable.ts';
import { addresses, contentAt } from './reference/content.ts';
import { layout } from './reference/layout.ts';
import { chapters } from './reference/model.ts';
import { PageFiles } from './reference/page-files.ts';
import { searchIndex } from './reference/search-index.ts';

/** Mounts the API reference: OpenAPI for programs, and pages for people that load no files from other hosts. */
export function mountReference(server: FastifyInstance): void {
  const made = new MadeOnce();
  for (const version of ['v1', 'v2'] as const) {
    readable(server, `${BASES[version]}/openapi.json`, (request, reply) =>
      made.json(`openapi ${version}`, () => openApi(version satisfies Version)).send(request, reply),
    );
  }
  readable(server, '/docs/search.json', (request, reply) => {
    reply.header('cache-control', 'no-cache');
    return made.json('search', searchIndex).send(request, reply);
  });
  for (const path of ['/docs', '/docs/guides/:name', '/docs/api/:name'])
    readable(server, path, (request, reply) => made.page(request, reply));
  readable(server, '/docs/files/:folder/:file', (request, reply) => made.file(request, reply));
  // A name is enough to find an operation: for links from elsewhere.
  readable(server, '/docs/operations/:name', (request, reply) => {
    const { name } = request.params as { name: string };
    const chapter = chapters().find(({ operations }) => operations.some((one) => one.name === name));
    return chapter ? reply.redirect(`/docs/api/${chapter.slug}#${name}`) : reply.callNotFound();
  });
}

/** Pages and documents are made when they are first asked for, since most starts of a server need none of them. */
class MadeOnce {
  readonly #made = new Map<string, StaticFile>();
  #files: PageFiles | undefined;

  json(name: string, make: () => unknown): StaticFile {
    return this.#once(name, 'application/json; charset=utf-8', () => JSON.stringify(make()));
  }

  async page(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const address = addressOf(request);
    if (!addresses().includes(address)) return notFound(reply);
    const page = this.#once(address, 'text/html; charset=utf-8', () => {
      this.#files ??= new PageFiles();
      return layout({ ...contentAt(address)!, at: address, files: this.#files.folder });
    });
    return page.send(request, setPagePolicy(reply).header('cache-control', 'no-cache'));
  }

  async file(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    this.#files ??= new PageFiles();
    const { folder, file } = request.params as { folder: string; file: string };
    const path = this.#files.pathOf(file);
    const found = path && (await staticFile(path));
    if (!found) return notFound(reply);
    const isCurrent = this.#files.folder.endsWith(`/${folder}`);
    reply.header('cache-control', isCurrent ? 'public, max-age=31536000, immutable' : 'no-cache');
    return found.send(request, setPagePolicy(reply));
  }

  #once(name: string, type: string, make: () => string): StaticFile {
    const known = this.#made.get(name);
    if (known) return known;
    const file = new StaticFile(type, Buffer.from(make()));
    this.#made.set(name, file);
    return file;
  }
}

function notFound(reply: FastifyReply): FastifyReply {
  reply.callNotFound();
  return reply;
}

/** Addresses are the same in small and large letters, and with a slash at their end. */
const addressOf = (request: FastifyRequest) => request.raw.url!.split('?', 1)[0]!.toLowerCase().replace(/\/+$/, '');
