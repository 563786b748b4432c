import { isKeyed, type Operation } from '@trackway/contract/operation.ts';
import { ApiError } from './api-error.ts';
import type { CallOptions } from './input.ts';

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 10_000;
/** Temporary failures: too many requests, a proxy without its server, a server that is starting or full. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/**
 * Repeats a call after a temporary failure. Changes are repeated only if the server can recognise the repetition by an
 * idempotency key, or if a repetition changes nothing.
 */
export async function retrying<T>(
  retries: number,
  operation: Operation,
  more: CallOptions,
  signal: AbortSignal | undefined,
  run: (more: CallOptions) => Promise<T>,
): Promise<T> {
  if (retries <= 0) return run(more);
  const options = isKeyed(operation) ? { ...more, idempotencyKey: more.idempotencyKey ?? newKey() } : more;
  const isRepeatable =
    operation.method !== 'POST' || operation.isRepeatable === true || options.idempotencyKey !== undefined;
  for (let retry = 0; ; retry++) {
    try {
      return await run(options);
    } catch (error) {
      if (signal?.aborted || retry >= retries || !isRepeatable || !isPassing(error)) throw error;
      await wait(waitOf(error, retry), signal);
    }
  }
}

const newKey = () => crypto.randomUUID();

/** Without a connection, `fetch` rejects with a `TypeError`, in browsers and elsewhere. */
export const isPassing = (error: unknown): boolean =>
  error instanceof ApiError
    ? PASSING.has(error.status) || error.code === 'IDEMPOTENCY_KEY_IN_USE'
    : error instanceof TypeError;

function waitOf(error: unknown, retry: number): number {
  const asked = error instanceof ApiError ? error.retryAfter : undefined;
  return asked === undefined ? backOff(retry) : asked * 1000;
}

/** Exponential, with jitter, so that the clients of a recovering server do not all retry at the same time. */
export const backOff = (retry: number): number =>
  Math.min(FIRST_WAIT_MS * 2 ** retry, LONGEST_WAIT_MS) * (0.75 + Math.random() / 2);

/** Rejects if the signal is aborted. */
export function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal!.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
