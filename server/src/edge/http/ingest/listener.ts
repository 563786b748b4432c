import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { addressKey } from '../../../platform/address-key.ts';
import { timeNow } from '../../../platform/clock.ts';
import { Refusal } from '../../../platform/errors.ts';
import type { Log } from '../../../platform/log.ts';
import { pathOf } from '../known-paths.ts';
import type { Meter } from '../meter.ts';
import { queryPairs } from '../query.ts';
import type { RateLimit } from '../rate-limit.ts';
import { refusalAnswer } from '../refusal-answer.ts';
import { requestIdOf } from '../request-id.ts';
import { callerAddress, forwardedAddress, type Trust, type UntrustedProxies } from '../trust-proxy.ts';
import { readBody } from './body.ts';
import type { Endpoint, IngestAnswer, IngestRequest } from './endpoint.ts';

export interface IngestListenerOptions {
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

const IDENTIFIERS = new Set(['id', 'deviceid', 'device_id']);

/**
 * Many apps and boards let users configure only the host of a server, and send the OsmAnd protocol to its root. If they
 * received the console page, they would take it for success and delete their buffered positions.
 */
export function rootReport({ method, url = '' }: Pick<IncomingMessage, 'method' | 'url'>): string {
  if (!/^\/(\?|$)/.test(url) || (method !== 'POST' && method !== 'GET')) return url;
  return method === 'POST' || hasIdentifier(url) ? `/ingest/osmand${url.slice(1)}` : url;
}

function hasIdentifier(url: string): boolean {
  try {
    return queryPairs(url).some(([name]) => IDENTIFIERS.has(name));
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
