import { FairQueue } from './storage/search/queue.ts';

interface TurnOptions {
  /** Maximum number of concurrent turns of an owner. */
  readonly atOncePerOwner: number;
  /** Maximum number of waiting callers, in total and per owner. */
  readonly capacity: number;
  readonly capacityPerOwner: number;
  /** Maximum waiting time. */
  readonly patienceMs: number;
}

interface Waiting {
  readonly owner: string;
  enter(done: (() => void) | undefined): void;
  patience?: NodeJS.Timeout;
}

/** Limits the concurrent tasks of each owner; others wait, in bounded number and for a bounded time. */
export class Turns {
  readonly #queue: FairQueue<Waiting>;
  readonly #patienceMs: number;

  constructor({ atOncePerOwner, capacity, capacityPerOwner, patienceMs }: TurnOptions) {
    this.#queue = new FairQueue(capacity, capacityPerOwner, atOncePerOwner);
    this.#patienceMs = patienceMs;
  }

  /** Resolves with a function that releases the turn, or undefined if none is available. */
  take(owner: string): Promise<(() => void) | undefined> {
    return new Promise((resolve) => {
      const waiting: Waiting = { owner, enter: resolve };
      if (!this.#queue.add(waiting)) return resolve(undefined);
      waiting.patience = setTimeout(() => {
        this.#queue.remove(waiting);
        resolve(undefined);
      }, this.#patienceMs).unref();
      this.#serve();
    });
  }

  #serve(): void {
    for (let next = this.#queue.take(); next; next = this.#queue.take()) {
      const served = next;
      clearTimeout(served.patience);
      let isDone = false;
      served.enter(() => {
        if (isDone) return;
        isDone = true;
        this.#queue.finished(served);
        this.#serve();
      });
    }
  }
}

/** Runs a limited number of tasks concurrently, in order of arrival. */
export class FewAtATime {
  readonly #most: number;
  readonly #mostWaiting: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(most: number, mostWaiting: number) {
    this.#most = most;
    this.#mostWaiting = mostWaiting;
  }

  /** @param full the error to throw if too many are waiting */
  async take<T>(work: () => Promise<T>, full: () => Error): Promise<T> {
    if (this.#running >= this.#most) {
      if (this.#waiting.length >= this.#mostWaiting) throw full();
      // A finished task passes its place on, so that a new one cannot overtake.
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else this.#running += 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }
}
