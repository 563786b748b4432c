import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { timeNow } from '../../../platform/clock.ts';
import { addressKey } from '../../../platform/egress/ip.ts';
import { badRequest, Refusal } from '../../../platform/errors.ts';
import type { Log } from '../../../platform/log.ts';
import { pathOf } from '../known-paths.ts';
import type { Meter } from '../meter.ts';
import { queryPairs } from '../query.ts';
import type { RateLimit } from '../rate-limit.ts';
import { refusalAnswer } from '../refusal-answer.ts';
import { requestIdOf } from '../request.ts';
import { callerAddress, forwardedAddress, type Trust, type UntrustedProxies } from '../trust-proxy.ts';
import type { Endpoint, IngestAnswer, IngestRequest } from './endpoint.ts';

interface IngestListenerOptions {
  readonly meter: Meter;
  readonly log: Log;
  readonly trust: Trust | undefined;
  readonly proxies: UntrustedProxies;
  /** Requests per minute of an address; rejected ones count. */
  readonly requests: RateLimit;
  /** Headers of every response. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the server still accepts requests. */
  readonly isOpen: () => boolean;
}

const REPORTED = new Set(['id', 'deviceid', 'device_id', 'lat', 'location']);

/**
 * Many apps and boards let users configure only the host of a server, and send the OsmAnd protocol to its root. If they
 * received the console page, they would take it for success and delete their buffered positions.
 */
export function rootReport({ method, url = '' }: Pick<IncomingMessage, 'method' | 'url'>): string {
  if (!/^\/(\?|$)/.test(url) || (method !== 'POST' && method !== 'GET')) return url;
  return method === 'POST' || isReport(url) ? `/ingest/osmand${url.slice(1)}` : url;
}

function isReport(url: string): boolean {
  try {
    return queryPairs(url).some(([name]) => REPORTED.has(name));
  } catch {
    return false;
  }
}

/** The path of a request on a tracker port: only reports are allowed. */
export function reportUrl({ url = '' }: Pick<IncomingMessage, 'url'>): string {
  if (/^\/(\?|$)/.test(url)) return `/ingest/osmand${url.slice(1)}`;
  return url.startsWith('/ingest/') ? url : '/ingest/unknown';
}

/**
 * Serves all reports of devices. They are the great majority, and the framework of the API would take as
 * long for one as storing it.
 * @param endpoints by their paths below `/ingest/`
 * @param otherwise serves all other requests
 */
export function ingestListener(
  endpoints: ReadonlyMap<string, Endpoint>,
  options: IngestListenerOptions,
  otherwise: RequestListener,
): RequestListener {
  return (request, response) => {
    const found = endpointOf(endpoints, request);
    if (found === undefined) otherwise(request, response);
    else new Exchange(options, found, request, response).serve();
  };
}

interface Found {
  readonly endpoint: Endpoint;
  readonly key: string | undefined;
}

const PREFIX = '/ingest/';

function endpointOf(endpoints: ReadonlyMap<string, Endpoint>, request: IncomingMessage): Found | undefined {
  const { method = '', url = '' } = request;
  if (url.slice(0, PREFIX.length).toLowerCase() !== PREFIX) return undefined;
  const path = pathOf(url).slice(PREFIX.length).replace(/\/$/, '');
  const named = endpoints.get(path.toLowerCase());
  if (named) return named.methods.includes(method) ? { endpoint: named, key: undefined } : undefined;
  const slash = path.lastIndexOf('/');
  const endpoint = slash > 0 ? endpoints.get(path.slice(0, slash).toLowerCase()) : undefined;
  return endpoint?.mayHaveKey && endpoint.methods.includes(method)
    ? { endpoint, key: path.slice(slash + 1) }
    : undefined;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new Refusal(400, 'The address is not valid percent-encoding');
  }
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** A request and its answer. */
class Exchange {
  readonly #options: IngestListenerOptions;
  readonly #found: Found;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #startedAt = performance.now();
  readonly #id: string;

  constructor(options: IngestListenerOptions, found: Found, request: IncomingMessage, response: ServerResponse) {
    this.#options = options;
    this.#found = found;
    this.#request = request;
    this.#response = response;
    this.#id = requestIdOf(request);
  }

  async serve(): Promise<void> {
    const { trust, proxies, isOpen } = this.#options;
    const { endpoint, key } = this.#found;
    const raw = this.#request;
    const { headers, socket, method, url } = raw;
    const ip = forwardedAddress(raw, trust);
    const request: IngestRequest = { raw, headers, socket, method: method!, url: url!, ip, key: undefined };
    try {
      if (!isOpen()) throw stopping(raw);
      proxies.note(raw, timeNow());
      const identified = await endpoint.begin(
        key === undefined ? request : Object.assign(request, { key: decoded(key) }),
      );
      const answer = typeof identified === 'function' ? await identified(await this.#body()) : identified;
      this.#answer(answer, request);
    } catch (error) {
      this.#refuse(error, request);
    }
  }

  #body(): Promise<Buffer> | Buffer {
    return this.#request.method === 'GET'
      ? NOTHING
      : readBody(this.#request, this.#response, this.#found.endpoint.bodyLimit);
  }

  #refuse(error: unknown, request: IngestRequest): void {
    const { log, requests } = this.#options;
    const { bodyLimit, operation } = this.#found.endpoint;
    const refused = { id: this.#id, url: request.url, method: request.method, route: operation, bodyLimit };
    const { status, headers, body } = refusalAnswer(error, refused, log);
    // Requests refused before authentication count against the address.
    request.allowance ??= requests.count(addressKey(callerAddress(request)), timeNow());
    this.#answer({ status, headers, body }, request);
  }

  #answer({ status, contentType = JSON_TYPE, body = '', headers }: IngestAnswer, { allowance }: IngestRequest): void {
    const { meter, headers: always } = this.#options;
    meter.note(this.#found.endpoint.operation, status, (performance.now() - this.#startedAt) / 1000);
    const all: Record<string, string | number> = { 'x-request-id': this.#id, ...always, 'content-type': contentType };
    if (headers) Object.assign(all, headers);
    if (allowance) {
      all['x-ratelimit-limit'] = allowance.limit;
      all['x-ratelimit-remaining'] = Math.max(0, allowance.remaining);
      all['x-ratelimit-reset'] = allowance.reset;
    }
    if (status === 204) delete all['content-type'];
    else all['content-length'] = Buffer.byteLength(body);
    this.#response.writeHead(status, all).end(body);
  }
}

const NOTHING = Buffer.alloc(0);

const stopping = ({ httpVersionMajor }: IncomingMessage) =>
  new Refusal(503, 'The server is stopping', {
    headers: { 'retry-after': '2', ...(httpVersionMajor === 1 && { connection: 'close' }) },
  });

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
function readBody(request: IncomingMessage, response: ServerResponse, limit: number): Promise<Buffer> {
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
