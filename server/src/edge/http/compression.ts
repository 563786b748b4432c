import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createGzip, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { isOfApi } from './known-paths.ts';

/** Compressing shorter responses saves nothing. */
const SMALL = 1024;
const BR = /\bbr\b(?!\s*;\s*q=0(\.0*)?\b)/;
const GZIP = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\b)/;
/** The fastest level takes half the time on long texts, and the result is hardly longer. */
const LEAST = { level: constants.Z_BEST_SPEED };
const QUICK = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

const brotli = promisify(brotliCompress) as (text: string, options: object) => Promise<Buffer>;
const zipped = promisify(gzip) as (text: string, options: object) => Promise<Buffer>;

/** Compresses API responses for callers that accept it. Short responses are sent uncompressed. */
export function compressAnswers(server: FastifyInstance): void {
  server.addHook('onSend', (request, reply, payload: unknown, done) => {
    const isLong = (typeof payload === 'string' && payload.length > SMALL) || payload instanceof Readable;
    const isPacked = reply.getHeader('content-type') === 'application/zip';
    if (!isLong || isPacked || reply.hasHeader('content-encoding') || !isOfApi(request.raw.url!))
      return done(null, payload);
    reply.header('vary', 'accept-encoding');
    const compressed = compress(reply, String(request.headers['accept-encoding'] ?? ''), payload);
    if (!(compressed instanceof Promise)) return done(null, compressed);
    compressed.then((bytes) => done(null, bytes), done);
  });
}

function compress(reply: FastifyReply, accepted: string, payload: string | Readable): unknown {
  if (typeof payload === 'string' && BR.test(accepted)) {
    reply.header('content-encoding', 'br').removeHeader('content-length');
    return brotli(payload, QUICK);
  }
  if (!GZIP.test(accepted)) return payload;
  reply.header('content-encoding', 'gzip').removeHeader('content-length');
  // An error ends both streams and closes the connection.
  return typeof payload === 'string' ? zipped(payload, LEAST) : pipeline(payload, createGzip(LEAST), () => {});
}
