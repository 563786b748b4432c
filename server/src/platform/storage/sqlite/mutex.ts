interface Waiting {
  enter(): void;
  timer: NodeJS.Timeout;
}

/** Lets one in at a time, in the order of arrival. Waiting ends with an error, so that a mistake shows itself. */
export class Mutex {
  #held = false;
  readonly #waiting = new Set<Waiting>();
  readonly #patienceMs: number;
  readonly #complaint: string;

  constructor(patienceMs: number, complaint: string) {
    this.#patienceMs = patienceMs;
    this.#complaint = complaint;
  }

  /** Answers undefined when it was free: the caller need not wait then. */
  lock(): Promise<void> | undefined {
    if (!this.#held) {
      this.#held = true;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        enter: resolve,
        timer: setTimeout(() => {
          this.#waiting.delete(waiting);
          reject(new Error(this.#complaint));
        }, this.#patienceMs),
      };
      this.#waiting.add(waiting);
    });
  }

  get isWanted(): boolean {
    return this.#waiting.size > 0;
  }

  /** Hands the lock to the one that has waited longest: it is never free in between, so nobody jumps the queue. */
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
