import { MAP_FILES_PATH } from '@trackway/contract/resources/service/maps.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { timeNow } from '../../platform/clock.ts';
import { type OpenMapFile, openMapFile } from '../../platform/formats/map-files.ts';
import { authorizationRequired } from '../../refusals.ts';
import { identify, type RequestContext } from './mount.ts';
import { queryPairs } from './query.ts';
import type { RateLimit } from './rate-limit.ts';
import { tokenOf } from './request.ts';

export interface MapFileOptions {
  /** Folder of the files. */
  readonly folder: string;
  /**
   * Requests per minute of a user, or of an address without a user. A map requests many tiles, so it has its own limit.
   */
  readonly limit: RateLimit;
  /** The name of the one public file: the default map of this server, which viewers of links also see. */
  openFile(): Promise<string | undefined>;
}

const READ = { method: 'GET', access: 'user' } as const;
const OPEN = { method: 'GET', access: 'anyone' } as const;
/** Callers without a token may read tiles and directories, but not gigabytes in one request. */
const MOST_OPEN_BYTES = 4 * 1024 * 1024;
/** The address contains the version, so its content does not change. */
const KEPT_S = 86_400;

/**
 * Serves the map files of the data folder to signed-in users, by byte ranges, and small ranges of the default map to
 * anyone.
 */
export function mountMapFiles(server: FastifyInstance, context: RequestContext, options: MapFileOptions): void {
  const { folder, limit, openFile } = options;
  server.route({
    method: ['GET', 'HEAD'],
    url: `${MAP_FILES_PATH}/:name`,
    config: { operation: 'mapFile' },
    handler: async (request, reply) => {
      const query = queryPairs(request.raw.url!);
      const { name } = request.params as { name: string };
      const isUser = tokenOf(request, READ, query) !== undefined;
      await identify({ ...context, limit }, 'getMaps', isUser ? READ : OPEN, query, request, reply, timeNow());
      if (!isUser && (await openFile()) !== name) throw authorizationRequired();
      const file = await openMapFile(folder, name);
      return file === undefined
        ? reply.callNotFound()
        : send(file, request, reply, isUser ? undefined : MOST_OPEN_BYTES);
    },
  });
}

async function send(
  file: OpenMapFile,
  request: FastifyRequest,
  reply: FastifyReply,
  mostBytes = Number.POSITIVE_INFINITY,
): Promise<FastifyReply> {
  const { handle, bytes, changedAt } = file;
  const tag = `"${file.version}"`;
  const changed = changedAt.toUTCString();
  reply
    .header('etag', tag)
    .header('last-modified', changed)
    .header('accept-ranges', 'bytes')
    .header('cache-control', `private, max-age=${KEPT_S}`)
    .header('content-type', 'application/octet-stream');
  const { range, 'if-range': ifRange } = request.headers;
  if (isKnown(request, tag, changedAt)) {
    await handle.close();
    return reply.code(304).send();
  }
  if (request.method === 'HEAD') {
    await handle.close();
    return reply.header('content-length', bytes).send();
  }
  // A client with parts of another version gets the whole file.
  const isSame = ifRange === undefined || ifRange === tag || ifRange === changed;
  const part = rangeOf(isSame ? range : undefined, bytes);
  if (part === 'none') {
    await handle.close();
    return reply.code(416).header('content-range', `bytes */${bytes}`).removeHeader('cache-control').send();
  }
  const asked = part === 'whole' ? Number.POSITIVE_INFINITY : part.last - part.first + 1;
  if (asked > mostBytes) {
    await handle.close();
    reply.removeHeader('etag').removeHeader('last-modified').removeHeader('cache-control');
    throw authorizationRequired();
  }
  if (part === 'whole') {
    reply.header('content-length', bytes);
    if (bytes > 0) return reply.send(handle.createReadStream({ start: 0, end: bytes - 1 }));
    await handle.close();
    return reply.send();
  }
  const { first, last } = part;
  reply
    .code(206)
    .header('content-range', `bytes ${first}-${last}/${bytes}`)
    .header('content-length', last - first + 1);
  return reply.send(handle.createReadStream({ start: first, end: last }));
}

/** Whether the caller has this version (RFC 9110, 13.2.2: the tag has precedence over the time). */
function isKnown({ headers }: FastifyRequest, tag: string, changedAt: Date): boolean {
  const tags = headers['if-none-match'];
  if (tags !== undefined) return tags.split(',').some((one) => [tag, '*'].includes(one.trim().replace(/^W\//, '')));
  const since = Date.parse(headers['if-modified-since'] ?? '');
  return Math.floor(changedAt.getTime() / 1000) * 1000 <= since;
}

/** A requested part of a file: first and last byte, both inclusive. */
interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Parses a `Range` header for one part of a file (RFC 9110, 14.2).
 *
 * @returns `whole` if the header is absent, malformed, in another unit or lists several parts, because such a header
 * may be ignored; `none` if the range contains no byte of the file
 */
export function rangeOf(header: string | undefined, size: number): ByteRange | 'whole' | 'none' {
  const [, from, to] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '') ?? [];
  if (from === undefined || to === undefined || (from === '' && to === '')) return 'whole';
  if (from === '') {
    const length = Math.min(Number(to), size);
    return length === 0 ? 'none' : { first: size - length, last: size - 1 };
  }
  const first = Number(from);
  if (to !== '' && Number(to) < first) return 'whole';
  if (first >= size) return 'none';
  return { first, last: to === '' ? size - 1 : Math.min(Number(to), size - 1) };
}
