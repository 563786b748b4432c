import { FairQueue } from './storage/search/queue.ts';

export interface TurnOptions {
  /** How many turns an owner has at once. */
  readonly atOncePerOwner: number;
  /** How many may wait, in all and of one owner. */
  readonly capacity: number;
  readonly capacityPerOwner: number;
  /** How long one may wait. */
  readonly patienceMs: number;
}

interface Waiting {
  readonly owner: string;
  enter(done: (() => void) | undefined): void;
  patience?: NodeJS.Timeout;
}

/** Lets each owner do a bounded number of things at once; the rest wait, in bounded number and for a bounded time. */
export class Turns {
  readonly #queue: FairQueue<Waiting>;
  readonly #patienceMs: number;

  constructor({ atOncePerOwner, capacity, capacityPerOwner, patienceMs }: TurnOptions) {
    this.#queue = new FairQueue(capacity, capacityPerOwner, atOncePerOwner);
    this.#patienceMs = patienceMs;
  }

  /** Resolves with the function that gives the turn back, or undefined where there is none to be had. */
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
