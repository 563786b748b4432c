import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * A request with an idempotency key. It is available in the asynchronous context of the request, so that any
 * transaction with an effect of the request can record the key.
 */
export interface KeyedRequest {
  readonly userId: number;
  /** The fingerprint of method, path and key. */
  readonly request: string;
  /** The fingerprint of query and body. */
  readonly body: string;
  readonly now: number;
  /** Whether a transaction has recorded it. */
  isRecorded: boolean;
  /**
   * The created object as JSON text: the response to a repeated request if the process ends before it has responded.
   */
  created?: string;
}

const current = new AsyncLocalStorage<KeyedRequest>();

export const keyedRequest = (): KeyedRequest | undefined => current.getStore();

export const runKeyed = <T>(request: KeyedRequest, run: () => Promise<T>): Promise<T> => current.run(request, run);

/**
 * Runs something that is not an effect of the request, such as the count of wrong passwords: its transactions do not
 * record the key.
 */
export const withoutKey = <T>(run: () => Promise<T>): Promise<T> => current.exit(run);

/** Records the first object that a request creates. */
export function noteCreated(text: () => string): void {
  const request = current.getStore();
  if (request !== undefined) request.created ??= text();
}
