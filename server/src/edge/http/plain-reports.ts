import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { addressKey } from '../../platform/address-key.ts';
import { timeNow } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { authorizationRequired } from '../../refusals.ts';
import { refusalAnswer } from './answers/refusal-answer.ts';
import { deviceByKey, type IngestRouteOptions, keyIn, receiveBody } from './ingest.ts';
import type { Meter } from './meter.ts';
import { type Allowance, type RateLimit, refuseOverdrawn } from './rate-limit.ts';
import type { ReadJson } from './requests/body.ts';
import { requestIdOf } from './requests/request-id.ts';

export interface PlainReportOptions extends IngestRouteOptions {
  readonly meter: Meter;
  readonly log: Log;
  readonly readJson: ReadJson;
  /** Requests per minute of an address: those that are refused count. */
  readonly requests: RateLimit;
  /** Headers of every answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the server still takes requests. */
  readonly isOpen: () => boolean;
}

const URL = '/ingest/reports';
const OPERATION = 'ingest reports';
const JSON_TYPES: ReadonlySet<string | undefined> = new Set([
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=utf-8',
]);
/** What makes a request unusual: another party speaks for the caller, or the body is not simply there. */
const UNUSUAL = ['content-encoding', 'transfer-encoding', 'expect', 'x-forwarded-for', 'forwarded', 'origin'] as const;
const MOST_BYTES = 64 * 1024;

/**
 * Answers the usual report of a device without the framework, which costs as much as taking the report in. A request that
 * is unusual in any way goes the ordinary way, and gets the same answer there.
 */
export function plainReports(options: PlainReportOptions, otherwise: RequestListener): RequestListener {
  const most = Math.min(MOST_BYTES, options.bodyLimit);
  return (request, response) => {
    if (!isUsual(request, most) || !options.isOpen()) otherwise(request, response);
    else new PlainReport(options, request, response).begin();
  };
}

function isUsual({ method, url, headers }: IncomingMessage, mostBytes: number): boolean {
  if (url !== URL || method !== 'POST' || headers.authorization === undefined) return false;
  if (!JSON_TYPES.has(headers['content-type'])) return false;
  // Undefined is no number, and no number is less.
  if (!(Number(headers['content-length']) <= mostBytes)) return false;
  for (const name of UNUSUAL) if (headers[name] !== undefined) return false;
  return true;
}

class PlainReport {
  readonly #options: PlainReportOptions;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #startedAt = performance.now();
  #allowance: Allowance | undefined;

  constructor(options: PlainReportOptions, request: IncomingMessage, response: ServerResponse) {
    this.#options = options;
    this.#request = request;
    this.#response = response;
  }

  begin(): void {
    const chunks: Buffer[] = [];
    this.#request.on('data', (chunk: Buffer) => chunks.push(chunk));
    this.#request.once('end', () => {
      this.#serve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).catch((error) => this.#refuse(error));
    });
  }

  get #address(): string {
    return addressKey(this.#request.socket.remoteAddress ?? '');
  }

  async #serve(bytes: Buffer): Promise<void> {
    const { reception, failures, limit, maxItems, readJson } = this.#options;
    const key = keyIn(this.#request.headers)!;
    const address = this.#address;
    const identity = await deviceByKey({ reception, failures }, address, key);
    if (identity === undefined) throw authorizationRequired();
    const body = readJson(bytes);
    const now = timeNow();
    this.#count(limit.count(String(identity.deviceId), now), now);
    const received = await receiveBody(reception, identity, body, now, maxItems);
    if (received === undefined) {
      failures.failed(address, now);
      throw authorizationRequired();
    }
    failures.succeeded(address, key);
    this.#answer(200, JSON.stringify(received), this.#options.headers);
  }

  #count(allowance: Allowance, now: number): void {
    if (allowance.limit === 0) return;
    this.#allowance = allowance;
    refuseOverdrawn(allowance, now);
  }

  #refuse(error: unknown): void {
    const { log, headers, requests } = this.#options;
    const refused = { id: requestIdOf(this.#request), url: URL, method: 'POST', route: URL };
    const answer = refusalAnswer(error, refused, log);
    this.#allowance ??= requests.count(this.#address, timeNow());
    this.#answer(answer.status, answer.body, { ...headers, ...answer.headers }, refused.id);
  }

  #answer(
    status: number,
    body: string,
    headers: Readonly<Record<string, string>>,
    id = requestIdOf(this.#request),
  ): void {
    this.#options.meter.note(OPERATION, status, (performance.now() - this.#startedAt) / 1000);
    const all: Record<string, string | number> = { ...headers, 'x-request-id': id };
    if (this.#allowance) {
      all['x-ratelimit-limit'] = this.#allowance.limit;
      all['x-ratelimit-remaining'] = Math.max(0, this.#allowance.remaining);
      all['x-ratelimit-reset'] = this.#allowance.reset;
    }
    all['content-length'] = Buffer.byteLength(body);
    this.#response.writeHead(status, all).end(body);
  }
}
