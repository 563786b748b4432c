import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * A request that bears a key by which a repeat is recognised. It is known to everything that runs for the request, so that
 * the transaction of its effect can record the key, whichever that is.
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
  /** What was created, as JSON text: the answer of a repeat, should the process end before it has answered. */
  created?: string;
}

const current = new AsyncLocalStorage<KeyedRequest>();

export const keyedRequest = (): KeyedRequest | undefined => current.getStore();

export const runKeyed = <T>(request: KeyedRequest, run: () => Promise<T>): Promise<T> => current.run(request, run);

/** Runs what is no effect of the request, such as the count of wrong passwords: its transactions do not record the key. */
export const withoutKey = <T>(run: () => Promise<T>): Promise<T> => current.exit(run);

/** Notes what a request creates; of several things the first. */
export function noteCreated(text: () => string): void {
  const request = current.getStore();
  if (request !== undefined) request.created ??= text();
}
