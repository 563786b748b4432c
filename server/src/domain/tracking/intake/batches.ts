import { StoreTrouble } from '../../../platform/storage/trouble.ts';

interface Waiting<Job> {
  readonly job: Job;
  /** When it began to wait, by the monotonic clock. */
  readonly since: number;
  resolve(): void;
  reject(error: unknown): void;
}

/** At most this many reports per commit, and no more once they weigh this much, light or heavy. */
const MAX_JOBS = 400;
const FULL_WEIGHT = 1000;
const HEAVY_FULL_WEIGHT = 250;
/** From this weight on no device gets a second turn in the batch, so that a flood from one hardly delays others. */
const SHARED_WEIGHT = 200;
/** What a device may bring in one turn if several of its reports wait: together they cost little more than one. */
const TURN_WEIGHT = 16;
/** From this weight on a report is heavy: it shares no commit with light ones, which would take as long as it does. */
export const HEAVY_WEIGHT = 200;

/** While light reports come, at least each so often, the next heavy commit waits as long as the last one took. */
const LIGHT_LATELY_MS = 1000;
const MAX_PAUSE_MS = 100;
const pauseAfter = (tookMs: number) => Math.min(tookMs, MAX_PAUSE_MS);

/**
 * A commit of one report costs several times what a report in a full commit does. Where at least so many come in a second,
 * a commit waits for more of them, until there are enough.
 */
const MANY_PER_SECOND = 50;
const ENOUGH_JOBS = 16;
/** After this many waits without a new report, some commits do not wait: a single device sends one after the other. */
const MAX_IN_VAIN = 5;
const COMMITS_WITHOUT_WAIT = 30;

/** What waits is bounded, also where the store does not answer: by weight, and in number, since each holds a connection. */
const MAX_WAITING_WEIGHT = 50_000;
const MAX_WAITING_JOBS = 5000;
/** How long a report waits for its turn. A device sends it again, and a proxy before us would not wait longer either. */
const PATIENCE_MS = 20_000;
const LOOK_MS = 1000;

interface BatchOptions {
  /** How long a report may wait for its turn. */
  readonly patienceMs?: number;
  /** How much may wait, in weight. */
  readonly maxWaitingWeight?: number;
  /** At most this many commits are under way at once. While a store in another process works, we can prepare more. */
  readonly maxParallelCommits?: number;
  /** Another commit starts in parallel only for this much weight: small ones cost more than they gain. */
  readonly minWeightForAnother?: number;
  /** Devices of one group only share a commit; undefined where all of them may. */
  readonly groupOf?: (deviceId: number) => number;
  /** How long a commit waits for more reports while many come; 0 for not at all. */
  readonly waitMs?: number;
  /** How long heavy reports rest after a commit that took so long, while light ones come. */
  readonly pauseAfter?: (tookMs: number) => number;
}

const tooMuch = (sentence: string) => new StoreTrouble('busy', new Error(sentence));

const isHeavy = ({ job }: Waiting<{ readonly weight: number }>) => job.weight >= HEAVY_WEIGHT;

/** Takes the next report of a device, and those after it that are light enough to share its turn. */
function turnOf<Job extends { readonly weight: number }>(
  queue: Waiting<Job>[],
  heavy: boolean,
  room: number,
): Waiting<Job>[] {
  let count = 1;
  let weight = queue[0]!.job.weight;
  while (!heavy && count < Math.min(queue.length, room)) {
    weight += queue[count]!.job.weight;
    if (weight > TURN_WEIGHT) break;
    count++;
  }
  return queue.splice(0, count);
}

/**
 * Reports that come while a commit is under way share the next one. Devices are served in turn, so a flood from one
 * delays only itself; a device is in one commit at a time, so its reports stay in order.
 */
export class Batches<Job extends { readonly deviceId: number; readonly weight: number }> {
  readonly #commit: (jobs: readonly Job[]) => Promise<void>;
  readonly #maxParallelCommits: number;
  readonly #minWeightForAnother: number;
  readonly #patienceMs: number;
  readonly #maxWaitingWeight: number;
  readonly #pauseAfter: (tookMs: number) => number;
  readonly #waitMs: number;
  /** Reports that came in the second that began then, and in the one before. */
  #second = { since: 0, count: 0, before: 0 };
  /** Waits in a row without a new report, and commits since. */
  #inVain = 0;
  #withoutWait = 0;
  /** Ends the wait of a commit for more reports. */
  #enough: (() => void) | undefined;
  readonly #groupOf: ((deviceId: number) => number) | undefined;
  readonly #waiting = new Map<number, Waiting<Job>[]>();
  #waitingWeight = 0;
  #waitingJobs = 0;
  /** Looks for what has waited too long, while anything waits. */
  #looking: NodeJS.Timeout | undefined;
  /** The commits under way by the devices in them. */
  readonly #underWay = new Map<number, Promise<void>>();
  /** Committers that will look for more before they end. */
  #open = 0;
  readonly #running = new Set<Promise<void>>();
  #lastWasHeavy = false;
  /** By the monotonic clock: when light reports were last committed, and until when heavy ones wait. */
  #lightAt = Number.NEGATIVE_INFINITY;
  #heavyFrom = 0;
  /** Goes on with the heavy ones that wait. */
  #pause: NodeJS.Timeout | undefined;

  constructor(
    commit: (jobs: readonly Job[]) => Promise<void>,
    {
      maxParallelCommits = 1,
      minWeightForAnother = SHARED_WEIGHT,
      patienceMs = PATIENCE_MS,
      maxWaitingWeight = MAX_WAITING_WEIGHT,
      ...options
    }: BatchOptions = {},
  ) {
    this.#commit = commit;
    this.#maxParallelCommits = maxParallelCommits;
    this.#minWeightForAnother = minWeightForAnother;
    this.#patienceMs = patienceMs;
    this.#maxWaitingWeight = maxWaitingWeight;
    this.#pauseAfter = options.pauseAfter ?? pauseAfter;
    this.#groupOf = options.groupOf;
    this.#waitMs = options.waitMs ?? 0;
  }

  /** Fails with `StoreTrouble` where too much waits, or it has waited for too long. */
  join(job: Job): Promise<void> {
    return this.joinAll([job]);
  }

  /** Jobs of one device that follow each other. Where too much waits, none of them is taken. */
  joinAll(jobs: readonly Job[]): Promise<void> {
    if (this.#waitingJobs >= MAX_WAITING_JOBS || this.#waitingWeight >= this.#maxWaitingWeight)
      return Promise.reject(tooMuch('Too many reports wait to be stored.'));
    const [first] = jobs;
    return jobs.length === 1 ? this.#wait(first!) : Promise.all(jobs.map((job) => this.#wait(job))).then(() => {});
  }

  #wait(job: Job): Promise<void> {
    return new Promise((resolve, reject) => {
      const one = { job, since: performance.now(), resolve, reject };
      const queue = this.#waiting.get(job.deviceId);
      if (queue) queue.push(one);
      else this.#waiting.set(job.deviceId, [one]);
      this.#waitingWeight += job.weight;
      this.#waitingJobs++;
      this.#count(one.since);
      if (this.#hasEnough) this.#enough?.();
      this.#looking ??= setInterval(() => this.#giveUp(), Math.min(LOOK_MS, this.#patienceMs)).unref();
      if (
        this.#open === 0 ||
        (this.#open < this.#maxParallelCommits && this.#waitingWeight >= this.#minWeightForAnother)
      )
        this.#start();
    });
  }

  /** How many wait for a commit to begin. */
  get waiting(): number {
    let count = 0;
    for (const queue of this.#waiting.values()) count += queue.length;
    return count;
  }

  /** Resolves once all that has come of a device so far is committed, or was refused. */
  async settled(deviceId: number): Promise<void> {
    const last = this.#waiting.get(deviceId)?.at(-1);
    while (last !== undefined && this.#waiting.get(deviceId)?.includes(last))
      await (this.#underWay.get(deviceId) ?? new Promise((resolve) => setTimeout(resolve, 1)));
    await this.#underWay.get(deviceId);
  }

  async stop(): Promise<void> {
    this.#heavyFrom = 0;
    if (this.#pause) this.#goOn();
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #start(): void {
    this.#open++;
    const committer = this.#run().finally(() => this.#running.delete(committer));
    this.#running.add(committer);
  }

  async #run(): Promise<void> {
    // Everything that arrives in the same turn of the event loop goes into the first batch.
    await new Promise((resolve) => setImmediate(resolve));
    if (this.#isWorthWaiting()) await this.#waitForMore();
    for (let batch = this.#next(); batch.length > 0; batch = this.#next()) {
      const deviceIds = new Set(batch.map(({ job }) => job.deviceId));
      const commit = this.#commitBatch(batch);
      for (const deviceId of deviceIds) this.#underWay.set(deviceId, commit);
      const began = performance.now();
      await commit;
      for (const deviceId of deviceIds) this.#underWay.delete(deviceId);
      this.#note(batch, began, performance.now());
      if (this.#waitingJobs > 0 && this.#isWorthWaiting()) await this.#waitForMore();
    }
    // Nothing runs between finding nothing and this, so a report that is added from here on starts another.
    this.#open--;
  }

  #count(now: number): void {
    const passedMs = now - this.#second.since;
    if (passedMs >= 1000) this.#second = { since: now, count: 0, before: passedMs < 2000 ? this.#second.count : 0 };
    this.#second.count++;
  }

  get #hasEnough(): boolean {
    return this.#waitingJobs >= ENOUGH_JOBS || this.#waitingWeight >= SHARED_WEIGHT;
  }

  #isWorthWaiting(): boolean {
    const { count, before } = this.#second;
    if (this.#waitMs === 0 || this.#hasEnough || Math.max(count, before) <= MANY_PER_SECOND) return false;
    if (this.#inVain < MAX_IN_VAIN || ++this.#withoutWait > COMMITS_WITHOUT_WAIT) return true;
    return false;
  }

  #waitForMore(): Promise<void> {
    this.#withoutWait = 0;
    const before = this.#waitingJobs;
    return new Promise((resolve) => {
      const ended = () => {
        clearTimeout(timer);
        this.#enough = undefined;
        this.#inVain = this.#waitingJobs > before ? 0 : this.#inVain + 1;
        resolve();
      };
      const timer = setTimeout(ended, this.#waitMs);
      this.#enough = ended;
    });
  }

  /** Half of the time stays with light reports while they come, whatever the heavy ones cost. */
  #note(batch: readonly Waiting<Job>[], began: number, now: number): void {
    if (!isHeavy(batch[0]!)) this.#lightAt = now;
    else if (now - this.#lightAt < LIGHT_LATELY_MS) this.#heavyFrom = now + this.#pauseAfter(now - began);
  }

  /** Whether heavy reports rest, and goes on with them afterwards. */
  #isPausing(): boolean {
    const pauseMs = this.#heavyFrom - performance.now();
    if (pauseMs <= 0) return false;
    this.#pause ??= setTimeout(() => this.#goOn(), pauseMs);
    return true;
  }

  #goOn(): void {
    clearTimeout(this.#pause);
    this.#pause = undefined;
    if (this.#open < this.#maxParallelCommits && this.#waitingJobs > 0) this.#start();
  }

  /** Where both wait, light and heavy reports take turns, so that neither kind waits for all of the other. */
  #next(): Waiting<Job>[] {
    for (const heavy of [!this.#lastWasHeavy, this.#lastWasHeavy]) {
      const batch = this.#take(heavy);
      if (batch.length === 0) continue;
      this.#lastWasHeavy = heavy;
      return batch;
    }
    return [];
  }

  /**
   * A turn of each device whose next report is of this kind, then another of each, until the batch is full. All are of the
   * group of the first, whose device has waited longest.
   */
  #take(heavy: boolean): Waiting<Job>[] {
    const batch: Waiting<Job>[] = [];
    let group: number | undefined;
    let weight = 0;
    const fullWeight = heavy ? HEAVY_FULL_WEIGHT : FULL_WEIGHT;
    const isFull = () => batch.length === MAX_JOBS || weight >= fullWeight;
    for (let added = 1; added > 0 && !isFull() && weight < SHARED_WEIGHT; ) {
      added = 0;
      for (const [deviceId, queue] of [...this.#waiting]) {
        if (this.#underWay.has(deviceId) || isHeavy(queue[0]!) !== heavy) continue;
        const ofGroup = this.#groupOf?.(deviceId);
        if (batch.length > 0 && ofGroup !== group) continue;
        if (heavy && this.#isPausing()) return batch;
        group = ofGroup;
        const turn = turnOf(queue, heavy, MAX_JOBS - batch.length);
        batch.push(...turn);
        added += turn.length;
        for (const { job } of turn) weight += job.weight;
        // A device that was served goes to the end of the queue.
        this.#waiting.delete(deviceId);
        if (queue.length > 0) this.#waiting.set(deviceId, queue);
        if (isFull()) break;
      }
    }
    this.#waitingWeight -= weight;
    this.#waitingJobs -= batch.length;
    return batch;
  }

  /** What waits for a commit that does not end is refused: nothing of it was stored. */
  #giveUp(): void {
    const before = performance.now() - this.#patienceMs;
    for (const [deviceId, queue] of this.#waiting) {
      // The oldest comes first.
      while (queue.length > 0 && queue[0]!.since < before) {
        const { job, reject } = queue.shift()!;
        this.#waitingWeight -= job.weight;
        this.#waitingJobs--;
        reject(tooMuch('The report waited too long to be stored.'));
      }
      if (queue.length === 0) this.#waiting.delete(deviceId);
    }
    if (this.#waitingJobs > 0) return;
    clearInterval(this.#looking);
    this.#looking = undefined;
  }

  async #commitBatch(batch: readonly Waiting<Job>[]): Promise<void> {
    try {
      await this.#commit(batch.map(({ job }) => job));
      for (const { resolve } of batch) resolve();
    } catch (error) {
      // Where the store itself is in trouble, each by itself would fail too, and take as long.
      if (batch.length === 1 || error instanceof StoreTrouble) for (const { reject } of batch) reject(error);
      // One that cannot be committed must not fail the others.
      else for (const one of batch) await this.#commitBatch([one]);
    }
  }
}
