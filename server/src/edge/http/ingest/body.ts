import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { badRequest, Refusal } from '../../../platform/errors.ts';

const DECODERS: Readonly<Record<string, (() => Transform) | undefined>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

const EMPTY = Buffer.alloc(0);

/**
 * Reads the body of a report. Devices often pay for every byte, so it may be compressed. The limit applies to the
 * decompressed size, and reading stops there, to prevent decompression bombs.
 */
export function readBody(request: IncomingMessage, response: ServerResponse, limit: number): Promise<Buffer> {
  if (Number(request.headers['content-length']) > limit) return Promise.reject(tooLarge(request, limit));
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity' || encoding === '') return collect(request, request, limit, 'The body ended early');
  const decoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding]!() : undefined;
  if (decoder === undefined) {
    const headers = { 'accept-encoding': 'gzip, br, zstd, deflate' };
    const refusal = new Refusal(415, 'Unsupported content encoding: use gzip, br, zstd or deflate', { headers });
    return Promise.reject(refusal);
  }
  request.once('error', (error) => decoder.destroy(error));
  // A rejected request is not decompressed further.
  response.once('close', () => decoder.destroy());
  const body = collect(request, request.pipe(decoder), limit, `The body is not valid ${encoding}`);
  return body.catch((error) => {
    request.unpipe(decoder);
    decoder.destroy();
    throw error;
  });
}

/** @param problem why it cannot be read to its end */
function collect(request: IncomingMessage, from: Readable, limit: number, problem: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const take = (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limit) {
        chunks.push(chunk);
        return;
      }
      from.off('data', take);
      reject(tooLarge(request, limit));
    };
    from.on('data', take);
    from.once('end', () =>
      resolve(chunks.length === 1 ? chunks[0]! : chunks.length === 0 ? EMPTY : Buffer.concat(chunks)),
    );
    from.on('error', () => reject(badRequest(problem)));
  });
}

/** The connection is closed after the response, because the client would send the rest. HTTP/2 does not allow the header. */
const tooLarge = ({ httpVersionMajor }: IncomingMessage, limit: number) =>
  new Refusal(413, `request entity too large: a body may have at most ${limit} bytes here`, {
    name: 'PayloadTooLargeError',
    ...(httpVersionMajor === 1 && { headers: { connection: 'close' } }),
  });
