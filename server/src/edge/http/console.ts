import { extname, join } from 'node:path';
import { LINK_PATH, ORIGIN } from '@trackway/contract/resources/link.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { timeNow } from '../../platform/clock.ts';
import { readable, servePage } from './pages.ts';
import { staticFile, TYPES } from './static-files.ts';

/** Output folder of `npm run build`. A build may replace it while the server runs. */
const BUILT = join(import.meta.dirname, '../../../../console/dist');

/** Addresses for programs: an unknown one returns 404 even if the caller accepts HTML. */
const FOR_PROGRAMS = /^\/(api|v2|ingest|docs|pages|assets|map-files|session|healthz|readyz|metrics)(\/|$)/i;

/** Files with fixed names: the service worker, and the files needed to install the console as an app. */
const AT_ROOT = [
  'push-worker.js',
  'manifest.webmanifest',
  'track.webmanifest',
  'icon-192.png',
  'icon-512.png',
  'icon-maskable.png',
  'apple-touch-icon.png',
];

/** Address that serves the overlay of the map. */
export const OVERLAY = '/pages/map-overlay.json';

export interface ConsoleOptions {
  /** Other hosts that maps are currently loaded from. The content security policy allows them. */
  readonly mapAddresses: () => Promise<readonly string[]>;
  /** Path of a GeoJSON file to draw on the map; empty for none. */
  readonly mapOverlay?: string;
  /** Returns the sites that may embed the page of a link in a frame. If absent, no site may. */
  readonly linkFrames?: LinkFrames;
  /** Folder of the built console; defaults to that of this checkout. */
  readonly folder?: string;
}

interface Console {
  /** Sends the page of the console for one of its addresses; undefined for any other address. */
  serveUnknown(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> | undefined;
}

/** Serves the web console: one page for all its addresses, and files whose names change with their content. */
export function mountConsole(
  server: FastifyInstance,
  { mapAddresses, mapOverlay, linkFrames, folder = BUILT }: ConsoleOptions,
): Console {
  let addresses: readonly string[] = [];
  const policyNow = async () => {
    // The console also reports problems of the database, so it must be served despite them.
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
    // The folder is flat and the pattern allows no slash, so path traversal is impossible.
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
  // A service worker controls only its own folder and the folders below, so it is served from the root with a fixed
  // name.
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

/** Returns the sites that may embed the page of a link in a frame. */
type LinkFrames = (handle: string, now: number) => Promise<readonly string[]>;

/** The page is for people who received the link, not for search engines. */
const NO_INDEX = 'noindex, nofollow, noarchive';

const SITE = new RegExp(ORIGIN);

/** The policy of the console, except that these sites may embed the page. Invalid sites are left out. */
function framedBy(policy: string, sites: readonly string[]): string {
  const allowed = sites.filter((site) => SITE.test(site));
  return allowed.length === 0
    ? policy
    : policy.replace("frame-ancestors 'none'", `frame-ancestors ${allowed.join(' ')}`);
}
