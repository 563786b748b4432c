import { Worker } from 'node:worker_threads';
import { YOUNG_LIMIT } from '../../threads.ts';
import { READY, type ReadWorkRequest, type SearchReply, type SearchRequest, SLOWEST, type Task } from './messages.ts';

/** How long after its deadline a thread may still answer before it is replaced. */
const GRACE_MS = 2000;
const MAX_HEAP_MB = 512;

/** One worker thread and its lifecycle. It keeps the process alive only while it searches. */
export class SearchThread {
  alive = true;
  isReady = false;
  readonly #worker: Worker;
  readonly #task: Task;
  readonly #patienceMs: number;
  #answer: ((answer: SearchReply) => void) | undefined;

  /** @param onReady called once, when it has loaded or ended before that */
  constructor(task: Task, onReady: () => void) {
    this.#task = task;
    this.#patienceMs = task.deadlineMs * (task.isPatient ? 1 : SLOWEST) + GRACE_MS;
    this.#worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: task,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB, ...YOUNG_LIMIT },
    });
    this.#worker.unref();
    this.#worker.on('message', (answer: SearchReply | typeof READY) => {
      if (answer === READY) this.#ready(onReady);
      else this.#answer?.(answer);
    });
    this.#worker.on('error', (error: NodeJS.ErrnoException) => {
      const tooMuch = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      this.#die({ kind: tooMuch ? 'tooLong' : 'failed', why: error.message });
    });
    this.#worker.on('exit', () => {
      this.#die({ kind: 'failed', why: 'its thread ended' });
      this.#ready(onReady);
    });
  }

  /** Always resolves, even if the thread does not answer: then the thread is dead and must be replaced. */
  ask(ask: SearchRequest | ReadWorkRequest): Promise<SearchReply> {
    const usedBefore = process.cpuUsage();
    return new Promise((resolve) => {
      const overdue = setTimeout(() => {
        // Searches look at their CPU time themselves; work does not.
        const kind = this.#task.isPatient && this.isReady && !this.#isStarved(usedBefore) ? 'tooLong' : 'slow';
        this.#die({ kind, why: 'The search did not end at its deadline.' });
        // A thread inside SQLite ends only when SQLite calls back or finishes, so this does not wait for it.
        void this.#worker.terminate();
      }, this.#patienceMs);
      this.#answer = (answer) => {
        this.#answer = undefined;
        clearTimeout(overdue);
        this.#worker.unref();
        resolve(answer);
      };
      this.#worker.ref();
      this.#worker.postMessage(ask);
    });
  }

  /** Whether all threads together used less CPU time than one may: the machine was busy. PostgreSQL works elsewhere. */
  #isStarved(before: NodeJS.CpuUsage): boolean {
    const { user, system } = process.cpuUsage(before);
    return 'file' in this.#task.source && (user + system) / 1000 < this.#task.deadlineMs;
  }

  async end(): Promise<void> {
    this.#die({ kind: 'failed', why: 'the database was closed' });
    await this.#worker.terminate();
  }

  #ready(onReady: () => void): void {
    if (this.isReady) return;
    this.isReady = true;
    onReady();
  }

  #die(lastWords: SearchReply): void {
    this.alive = false;
    this.#answer?.(lastWords);
  }
}
