import { extname, join } from 'node:path';
import { LINK_PATH } from '@trackway/contract/resources/link.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { timeNow } from '../../platform/clock.ts';
import { staticFile } from './files/static-files.ts';
import { TYPES } from './files/types.ts';
import { framedBy, type LinkFrames, NO_INDEX } from './link-page.ts';
import { servePage } from './pages.ts';
import { readable } from './readable.ts';

/** Output folder of `npm run build`. A build may replace it while the server runs. */
const BUILT = join(import.meta.dirname, '../../../../console/dist');

/** Addresses for programs: an unknown one gets a 404 even if the caller accepts HTML. */
const FOR_PROGRAMS = /^\/(api|v2|ingest|docs|pages|assets|map-files|session|healthz|readyz|metrics)(\/|$)/i;

/** Files under fixed names: the service worker, and what a browser needs to install the console. */
const AT_ROOT = [
  'push-worker.js',
  'manifest.webmanifest',
  'icon-192.png',
  'icon-512.png',
  'icon-maskable.png',
  'apple-touch-icon.png',
];

/** Address that serves the overlay of the map. */
export const OVERLAY = '/pages/map-overlay.json';

export interface ConsoleOptions {
  /** Addresses of other servers from which maps are loaded: the content security policy allows these, as they are now. */
  readonly mapAddresses: () => Promise<readonly string[]>;
  /** Path of a GeoJSON file to draw on the map; empty for none. */
  readonly mapOverlay?: string;
  /** Finds the sites that may show the page of a link in a frame; no page may where it is absent. */
  readonly linkFrames?: LinkFrames;
  /** Folder of the built console; defaults to that of this checkout. */
  readonly folder?: string;
}

export interface Console {
  /**
   * Sends the console's page for an address that only the console knows; undefined if the address is not one of its
   * pages.
   */
  serveUnknown(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> | undefined;
}

/** Serves the web console: one page for all of its addresses, and files whose names change with their content. */
export function mountConsole(
  server: FastifyInstance,
  { mapAddresses, mapOverlay, linkFrames, folder = BUILT }: ConsoleOptions,
): Console {
  let addresses: readonly string[] = [];
  const policyNow = async () => {
    // The console is there to say that the database is in trouble, so it is served all the same.
    addresses = await mapAddresses().catch(() => addresses);
    return policyOf(addresses);
  };
  const serveConsole = async (request: FastifyRequest, reply: FastifyReply) => {
    reply.header('content-security-policy', await policyNow()).header('referrer-policy', 'no-referrer');
    reply.header('cache-control', 'no-cache');
    const sent = await sendBuilt(request, reply, folder, 'index.html');
    return sent ?? servePage(request, reply.code(404), 'not-built.html');
  };
  readable(server, '/', serveConsole);
  readable(server, '/assets/:file', async (request, reply) => {
    const { file } = request.params as { file: string };
    // The folder is flat and the pattern allows no slash, so no name leads out of it.
    if (/^[\w-][\w.-]*$/.test(file) && TYPES[extname(file)] !== undefined) {
      reply.header('cache-control', 'public, max-age=31536000, immutable');
      const sent = await sendBuilt(request, reply, folder, join('assets', file));
      if (sent) return sent;
      reply.removeHeader('cache-control');
    }
    return reply.callNotFound();
  });
  readable(server, `${LINK_PATH}:handle`, async (request, reply) => {
    const { handle } = request.params as { handle: string };
    const sites = (await linkFrames?.(handle, timeNow())) ?? [];
    const policy = framedBy(await policyNow(), sites);
    reply.header('content-security-policy', policy).header('referrer-policy', 'no-referrer');
    reply.header('x-robots-tag', NO_INDEX).header('cache-control', 'no-cache');
    const sent = await sendBuilt(request, reply, folder, 'link.html');
    return sent ?? servePage(request, reply.code(404), 'not-built.html');
  });
  // A service worker controls only its own folder and those below, so it is served from the root under a fixed name.
  for (const file of AT_ROOT)
    readable(server, `/${file}`, async (request, reply) => {
      reply.header('cache-control', 'no-cache').header('content-security-policy', policyOf([]));
      return (await sendBuilt(request, reply, folder, file)) ?? reply.callNotFound();
    });
  if (mapOverlay) {
    readable(server, OVERLAY, async (request, reply) => {
      const file = await staticFile(mapOverlay, TYPES['.json']);
      if (file === undefined) return reply.callNotFound();
      return file.send(request, reply.header('cache-control', 'no-cache'));
    });
  }
  return {
    serveUnknown(request, reply) {
      const path = (request.raw.url ?? '').split('?', 1)[0]!;
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      const wantsPage = /\btext\/html\b/.test(request.headers.accept ?? '');
      return isRead && wantsPage && !FOR_PROGRAMS.test(path) ? serveConsole(request, reply) : undefined;
    },
  };
}

/** Sends a file of the build; undefined if there is no such file. */
async function sendBuilt(
  request: FastifyRequest,
  reply: FastifyReply,
  folder: string,
  file: string,
): Promise<FastifyReply | undefined> {
  return (await staticFile(join(folder, file)))?.send(request, reply);
}

/** Allows nothing from other hosts except the map, and no inline script. */
function policyOf(mapAddresses: readonly string[]): string {
  const origins = mapAddresses
    .map((address) => address.trim())
    .filter((address) => /^https?:/i.test(address) && URL.canParse(address))
    .map((address) => new URL(address).origin);
  const map = [...new Set(origins)].map((origin) => ` ${origin}`).join('');
  return [
    "default-src 'self'",
    "script-src 'self'",
    "worker-src 'self'",
    "style-src 'self'",
    `img-src 'self' data: blob:${map}`,
    `connect-src 'self'${map}`,
    "object-src 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join('; ');
}
