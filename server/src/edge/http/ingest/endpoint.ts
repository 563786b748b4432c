import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type Allowance, type RateLimit, refuseOverdrawn } from '../rate-limit.ts';

/** A request of a device. */
export interface IngestRequest {
  readonly raw: IncomingMessage;
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly socket: Socket;
  /** The address of the caller, behind trusted proxies. */
  readonly ip: string;
  /** The segment after the name of the endpoint: some apps drop the query string, so it may contain the key. */
  readonly key: string | undefined;
  /** What remains of the limit of the device, once it was counted. */
  allowance?: Allowance;
}

export interface IngestAnswer {
  readonly status: number;
  readonly contentType?: string;
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An address for reports of devices. */
export interface Endpoint {
  /** In metrics. */
  readonly operation: string;
  readonly methods: readonly string[];
  /** The largest body, in bytes. */
  readonly bodyLimit: number;
  /** Whether a key may follow in the path. */
  readonly mayHaveKey?: true;
  /**
   * Identifies the caller before the body is read.
   * @returns a function that handles the body, or the answer if the body is not needed
   */
  begin(request: IngestRequest): Promise<((body: Buffer) => Promise<IngestAnswer>) | IngestAnswer>;
}

export const NO_CONTENT: IngestAnswer = { status: 204 };

export const jsonAnswer = (content: unknown): IngestAnswer => ({ status: 200, body: JSON.stringify(content) });

/** Counts a report of a device. Each device has its own limit, if the operator set one; that of its owner is not used. */
export function countReport(limit: RateLimit, deviceId: number, request: IngestRequest, now: number): void {
  const allowance = limit.count(String(deviceId), now);
  if (allowance.limit === 0) return;
  request.allowance = allowance;
  refuseOverdrawn(allowance, now);
}
