import type { Operation } from '@trackway/contract/operation.ts';
import { type AnswerOf, OPERATIONS, type OperationName } from '@trackway/contract/operations.ts';
import { addressOf } from './address.ts';
import { errorOf } from './api-error.ts';
import type { CallOptions, Input } from './input.ts';
import { retrying } from './retry.ts';

export interface ClientOptions {
  /** The URL of the server, such as `https://track.example.com`. Empty in a page that the server itself delivered. */
  readonly url: string;
  /** A login token or a personal access token. A function is called for each request, so that the token can change. */
  readonly token?: string | (() => string | undefined | Promise<string | undefined>);
  /** The timeout of a call, with its retries. Defaults to 30 s. 0 means no timeout. */
  readonly timeoutMs?: number;
  /**
   * Number of retries of a call after a temporary failure: no connection, 429, 502, 503 or 504. Defaults to 0. A POST
   * is repeated with an idempotency key, so that it takes effect once.
   */
  readonly retries?: number;
}

type Method<K extends OperationName> =
  Record<never, never> extends Input<K>
    ? (input?: Input<K>, options?: CallOptions) => Promise<AnswerOf<K>>
    : (input: Input<K>, options?: CallOptions) => Promise<AnswerOf<K>>;

/** One method per operation of the contract, by its name. */
export type Client = { readonly [K in OperationName]: Method<K> };

const TIMEOUT_MS = 30_000;

/**
 * Creates a client of the API: `await client.createGeofence({ id: 'me', body: { name: 'Yard' } })`. An error response
 * rejects with `ApiError`. If the server cannot be reached, the call rejects as `fetch` does.
 */
export function createClient(options: ClientOptions): Client {
  const methods = Object.entries(OPERATIONS).map(([name, operation]) => [
    name,
    (input: object = {}, more: CallOptions = {}) => call(options, operation, input as Given, more),
  ]);
  return Object.fromEntries(methods) as Client;
}

export type Given = Readonly<Record<string, unknown>>;

async function call(client: ClientOptions, operation: Operation, input: Given, more: CallOptions): Promise<unknown> {
  const signal = signalOf(client, more);
  return retrying(client.retries ?? 0, operation, more, signal, async (options) => {
    const response = await request(client, operation, input, options, signal);
    if (operation.media === 'file') return new Uint8Array(await response.arrayBuffer());
    const text = await response.text();
    if (text === '') return undefined;
    return operation.media === 'text' ? text : JSON.parse(text);
  });
}

/** Sends a request. An error response rejects with `ApiError`. */
export async function request(
  client: ClientOptions,
  operation: Operation,
  input: Given,
  more: CallOptions,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const address = addressOf(operation, more.version ?? operation.versions[0]!, input);
  return fetchFrom(client, address, {
    method: operation.method,
    headers: await headersOf(client, operation, more),
    body: operation.body ? JSON.stringify(input.body ?? {}) : undefined,
    signal,
  });
}

export async function fetchFrom({ url }: ClientOptions, address: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url.replace(/\/+$/, '') + address, init);
  if (!response.ok) throw await errorOf(response);
  return response;
}

export const tokenOf = async ({ token }: ClientOptions): Promise<string | undefined> =>
  typeof token === 'function' ? token() : token;

async function headersOf(
  client: ClientOptions,
  operation: Operation,
  more: CallOptions,
): Promise<Record<string, string>> {
  const token = operation.access === 'anyone' ? undefined : await tokenOf(client);
  return {
    accept: 'application/json',
    // A name that the server does not know is a bug of this program and must not be ignored.
    prefer: 'handling=strict',
    ...(operation.body && { 'content-type': 'application/json' }),
    ...(more.idempotencyKey !== undefined && { 'idempotency-key': more.idempotencyKey }),
    ...(token && { authorization: token }),
  };
}

function signalOf(client: ClientOptions, more: CallOptions): AbortSignal | undefined {
  const timeoutMs = more.timeoutMs ?? client.timeoutMs ?? TIMEOUT_MS;
  const signals = [...(more.signal ? [more.signal] : []), ...(timeoutMs > 0 ? [AbortSignal.timeout(timeoutMs)] : [])];
  return signals.length > 0 ? AbortSignal.any(signals) : undefined;
}
