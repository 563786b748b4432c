import { StoreTrouble } from '../trouble.ts';

interface Waiting {
  enter(): void;
  timer: NodeJS.Timeout;
}

/** Maximum number of waiting callers: further ones are refused at once. */
const MAX_WAITING = 5000;

/** Admits one holder at a time, in the order of arrival. Waiting too long throws, so that a deadlock is noticed. */
export class Mutex {
  #held = false;
  readonly #waiting = new Set<Waiting>();
  readonly #patienceMs: number;
  readonly #complaint: string;

  constructor(patienceMs: number, complaint: string) {
    this.#patienceMs = patienceMs;
    this.#complaint = complaint;
  }

  /** Returns undefined if the lock was free: the caller need not wait then. */
  lock(): Promise<void> | undefined {
    if (!this.#held) {
      this.#held = true;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      if (this.#waiting.size >= MAX_WAITING) throw new StoreTrouble('busy', new Error(this.#complaint));
      const waiting: Waiting = {
        enter: resolve,
        timer: setTimeout(() => {
          this.#waiting.delete(waiting);
          reject(new StoreTrouble('busy', new Error(this.#complaint)));
        }, this.#patienceMs),
      };
      this.#waiting.add(waiting);
    });
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  get isWanted(): boolean {
    return this.#waiting.size > 0;
  }

  /** Passes the lock to the caller that has waited longest: it is never free in between, so no one can overtake. */
  unlock(): void {
    for (const waiting of this.#waiting) {
      this.#waiting.delete(waiting);
      clearTimeout(waiting.timer);
      waiting.enter();
      return;
    }
    this.#held = false;
  }
}
