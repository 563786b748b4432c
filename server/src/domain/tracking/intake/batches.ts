interface Waiting<Job> {
  readonly job: Job;
  resolve(): void;
  reject(error: unknown): void;
}

/** So many jobs share a commit at the most, and so much weight where the last one makes it full. */
const MOST_JOBS = 200;
const MOST_WEIGHT = 1000;
/** Beyond this weight nobody has a second job in the group, so that a flood from one hardly delays the others. */
const LIGHT = 200;

export interface BatchOptions {
  /** So many commits may be under way at once, for a store that is elsewhere: while it works, we can. */
  readonly maxParallelCommits?: number;
  /** So much must wait for another lane: small groups would cost more than it brings. */
  readonly minWeightForAnother?: number;
}

/**
 * Jobs that come while a commit is under way share the next one. Devices are served in turn, so a flood from one waits
 * behind itself; a device is in one commit at a time, so what it says stays in order.
 */
export class Batches<Job extends { readonly deviceId: number; readonly weight: number }> {
  readonly #commit: (jobs: readonly Job[]) => Promise<void>;
  readonly #lanes: number;
  readonly #worthALane: number;
  readonly #waiting = new Map<number, Waiting<Job>[]>();
  #waitingWeight = 0;
  readonly #underWay = new Set<number>();
  /** Lanes that look again for jobs before they end. */
  #open = 0;
  readonly #running = new Set<Promise<void>>();

  constructor(
    commit: (jobs: readonly Job[]) => Promise<void>,
    { maxParallelCommits = 1, minWeightForAnother = LIGHT }: BatchOptions = {},
  ) {
    this.#commit = commit;
    this.#lanes = maxParallelCommits;
    this.#worthALane = minWeightForAnother;
  }

  join(job: Job): Promise<void> {
    return new Promise((resolve, reject) => {
      const one = { job, resolve, reject };
      const queue = this.#waiting.get(job.deviceId);
      if (queue) queue.push(one);
      else this.#waiting.set(job.deviceId, [one]);
      this.#waitingWeight += job.weight;
      if (this.#open === 0 || (this.#open < this.#lanes && this.#waitingWeight >= this.#worthALane)) this.#start();
    });
  }

  async stop(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #start(): void {
    this.#open++;
    const lane = this.#run().finally(() => this.#running.delete(lane));
    this.#running.add(lane);
  }

  async #run(): Promise<void> {
    // What arrives in the same turn of the event loop is there before the first group is taken.
    await new Promise((resolve) => setImmediate(resolve));
    for (let group = this.#next(); group.length > 0; group = this.#next()) {
      const deviceIds = new Set(group.map(({ job }) => job.deviceId));
      for (const deviceId of deviceIds) this.#underWay.add(deviceId);
      await this.#commitGroup(group);
      for (const deviceId of deviceIds) this.#underWay.delete(deviceId);
    }
    // In the same breath as it found nothing: who joins from here on starts another.
    this.#open--;
  }

  /** One of each device that waits, then another of each, until the group is full. */
  #next(): Waiting<Job>[] {
    const group: Waiting<Job>[] = [];
    let weight = 0;
    const isFull = () => group.length === MOST_JOBS || weight >= MOST_WEIGHT;
    for (let taken = 1; taken > 0 && !isFull() && weight < LIGHT; ) {
      taken = 0;
      for (const [deviceId, queue] of [...this.#waiting]) {
        if (this.#underWay.has(deviceId)) continue;
        const one = queue.shift()!;
        group.push(one);
        taken++;
        weight += one.job.weight;
        // Whoever was served goes to the end of the round.
        this.#waiting.delete(deviceId);
        if (queue.length > 0) this.#waiting.set(deviceId, queue);
        if (isFull()) break;
      }
    }
    this.#waitingWeight -= weight;
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
