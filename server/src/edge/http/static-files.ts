import { readFile, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A build may replace files while the server runs, so each file is checked again after this time. */
const FRESH_MS = 1000;
/** Compressing smaller files saves nothing. */
const SMALL_BYTES = 1024;
/** Maximum size of all cached files. */
const MOST_BYTES = 64 * 1024 * 1024;

const ENCODINGS = [
  {
    name: 'br',
    suffix: '.br',
    accepted: /\bbr\b(?!\s*;\s*q=0(\.0*)?\b)/,
    compress: quickly(promisify(brotliCompress)),
  },
  { name: 'gzip', suffix: '.gz', accepted: /\bgzip\b(?!\s*;\s*q=0(\.0*)?\b)/, compress: promisify(gzip) },
] as const;

/** Brotli at its highest quality takes seconds for a large file. */
function quickly(compress: (bytes: Buffer, options: object) => Promise<Buffer>): (bytes: Buffer) => Promise<Buffer> {
  return (bytes) => compress(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
}

type Compressed = Partial<Record<'br' | 'gzip', Promise<Buffer | undefined>>>;

/** A file that is served unchanged: cached once uncompressed, and once per requested encoding. */
export class StaticFile {
  readonly #type: string;
  readonly #plain: Buffer;
  readonly #compressed: Compressed = {};
  /** Path of the file. Precompressed variants may exist next to it. */
  readonly #path: string | undefined;

  constructor(type: string, plain: Buffer, path?: string) {
    this.#type = type;
    this.#plain = plain;
    this.#path = path;
  }

  get size(): number {
    return this.#plain.length;
  }

  /** Sends the smallest encoding that the caller accepts. All responses share the same bytes. */
  async send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    reply.header('content-type', this.#type).header('vary', 'accept-encoding');
    const accepted = String(request.headers['accept-encoding'] ?? '');
    for (const encoding of ENCODINGS) {
      if (!encoding.accepted.test(accepted)) continue;
      this.#compressed[encoding.name] ??= this.#compress(encoding);
      const bytes = await this.#compressed[encoding.name];
      if (bytes !== undefined) return reply.header('content-encoding', encoding.name).send(bytes);
    }
    return reply.send(this.#plain);
  }

  async #compress({ suffix, compress }: (typeof ENCODINGS)[number]): Promise<Buffer | undefined> {
    const built = this.#path && (await readFile(this.#path + suffix).catch(() => undefined));
    if (built) return built;
    return this.#plain.length < SMALL_BYTES ? undefined : compress(this.#plain);
  }
}

interface Known {
  readonly file: StaticFile;
  readonly version: string;
  checkedAt: number;
}

const known = new Map<string, Known>();
let bytesKnown = 0;

/** The file at a path, from memory if it has not changed; undefined if it does not exist. */
export async function staticFile(path: string, type = TYPES[extname(path)]): Promise<StaticFile | undefined> {
  const now = performance.now();
  const found = known.get(path);
  if (found !== undefined && now - found.checkedAt < FRESH_MS) return found.file;
  const status = await stat(path).catch(() => undefined);
  const version = status?.isFile() ? `${status.mtimeMs} ${status.size} ${status.ino}` : undefined;
  if (found !== undefined && found.version === version) {
    found.checkedAt = now;
    return found.file;
  }
  if (found !== undefined) {
    known.delete(path);
    bytesKnown -= found.file.size;
  }
  const plain = version === undefined ? undefined : await readFile(path).catch(() => undefined);
  if (plain === undefined || version === undefined) return undefined;
  const file = new StaticFile(type ?? 'application/octet-stream', plain, path);
  // Two requests may read the file concurrently; the first result is cached.
  const meanwhile = known.get(path);
  if (meanwhile?.version === version) return meanwhile.file;
  if (bytesKnown + plain.length > MOST_BYTES) {
    known.clear();
    bytesKnown = 0;
  }
  known.set(path, { file, version, checkedAt: now });
  bytesKnown += plain.length;
  return file;
}

/** Served file types and their content types. */
export const TYPES: Readonly<Record<string, string | undefined>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};
