interface Waiting<Job> {
  readonly job: Job;
  resolve(): void;
  reject(error: unknown): void;
}

/** So many jobs share a commit at the most, and so much weight where the last one makes it full. */
const MOST_JOBS = 200;
const MOST_WEIGHT = 2000;
/** Beyond this weight nobody has a second job in the group, so that a flood from one hardly delays the others. */
const LIGHT = 200;

/**
 * Jobs that come while a commit is under way share the next one. Devices are served in turn, so a flood from one waits
 * behind itself.
 */
export class Groups<Job extends { readonly deviceId: number; readonly weight: number }> {
  readonly #commit: (jobs: readonly Job[]) => Promise<void>;
  readonly #waiting = new Map<number, Waiting<Job>[]>();
  #running: Promise<void> | undefined;

  constructor(commit: (jobs: readonly Job[]) => Promise<void>) {
    this.#commit = commit;
  }

  join(job: Job): Promise<void> {
    return new Promise((resolve, reject) => {
      const one = { job, resolve, reject };
      const queue = this.#waiting.get(job.deviceId);
      if (queue) queue.push(one);
      else this.#waiting.set(job.deviceId, [one]);
      this.#running ??= this.#run();
    });
  }

  async stop(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    // What arrives in the same turn of the event loop is there before the first group is taken.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.size > 0) await this.#commitGroup(this.#next());
    this.#running = undefined;
  }

  /** One of each device that waits, then another of each, until the group is full. */
  #next(): Waiting<Job>[] {
    const group: Waiting<Job>[] = [];
    let weight = 0;
    const isFull = () => group.length === MOST_JOBS || weight >= MOST_WEIGHT;
    do {
      for (const [deviceId, queue] of [...this.#waiting]) {
        const one = queue.shift()!;
        group.push(one);
        weight += one.job.weight;
        // Whoever was served goes to the end of the round.
        this.#waiting.delete(deviceId);
        if (queue.length > 0) this.#waiting.set(deviceId, queue);
        if (isFull()) break;
      }
    } while (!isFull() && weight < LIGHT && this.#waiting.size > 0);
    return group;
  }

  async #commitGroup(group: readonly Waiting<Job>[]): Promise<void> {
    try {
      await this.#commit(group.map(({ job }) => job));
      for (const { resolve } of group) resolve();
    } catch (error) {
      if (group.length === 1) group[0]!.reject(error);
      // One that can't be committed must not take the others with it.
      else for (const one of group) await this.#commitGroup([one]);
    }
  }
}
