import { isApiError } from '@trackway/client/api-error.ts';

/** Runs an action on many devices: some at a time, independently, so that a failure does not stop the others. */

export interface Failure<Item> {
  readonly item: Item;
  readonly error: unknown;
}

export interface Outcome<Item, Done> {
  readonly done: readonly Done[];
  readonly failed: readonly Failure<Item>[];
  /** Items that were not tried after a stop. */
  readonly left: readonly Item[];
}

const AT_ONCE = 4;
const DEFAULT_WAIT_S = 5;

export async function runAll<Item, Done>(
  items: readonly Item[],
  run: (item: Item) => Promise<Done>,
  options: {
    readonly onProgress?: (finished: number) => void;
    readonly signal?: AbortSignal;
    readonly wait?: (ms: number) => Promise<void>;
  } = {},
): Promise<Outcome<Item, Done>> {
  const { onProgress, signal, wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms)) } = options;
  const waiting = [...items];
  const done: Done[] = [];
  const failed: Failure<Item>[] = [];
  const finished = () => onProgress?.(done.length + failed.length);
  async function work(): Promise<void> {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      if (signal?.aborted) {
        waiting.unshift(item);
        return;
      }
      try {
        done.push(await run(item));
      } catch (error) {
        // A rate-limited request is repeated after the time in the response.
        if (isApiError(error, 429) && !signal?.aborted) {
          waiting.unshift(item);
          await wait((error.retryAfter ?? DEFAULT_WAIT_S) * 1000);
          continue;
        }
        failed.push({ item, error });
      }
      finished();
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { done, failed, left: waiting };
}
