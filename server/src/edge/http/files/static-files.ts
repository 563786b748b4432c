import { readFile, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { TYPES } from './types.ts';

/** A build may replace files while the server runs, so each is looked at again after this long. */
const FRESH_MS = 1000;
/** Below this, compressing gains nothing. */
const SMALL_BYTES = 1024;
/** The most bytes of files in memory. */
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

/** The highest quality of Brotli takes seconds for a large file. */
function quickly(compress: (bytes: Buffer, options: object) => Promise<Buffer>): (bytes: Buffer) => Promise<Buffer> {
  return (bytes) => compress(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
}

type Compressed = Partial<Record<'br' | 'gzip', Promise<Buffer | undefined>>>;

/** Something that is served as it is: once in memory, and once in each encoding that was asked for. */
export class StaticFile {
  readonly #type: string;
  readonly #plain: Buffer;
  readonly #compressed: Compressed = {};
  /** Where it was read, beside which compressed forms may lie. */
  readonly #path: string | undefined;

  constructor(type: string, plain: Buffer, path?: string) {
    this.#type = type;
    this.#plain = plain;
    this.#path = path;
  }

  get size(): number {
    return this.#plain.length;
  }

  /** In the smallest form that the caller accepts. All answers share the same bytes. */
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

/** The file at a path, from memory where it has not changed; undefined if there is none. */
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
  // Two requests may have read it at once: the first is kept.
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
