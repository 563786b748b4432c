import { Worker } from 'node:worker_threads';
import type { CheckpointTask } from './care/mark.ts';
import type { Mutex } from './locks.ts';

/**
 * Number of pages of 4 KB in the log that makes a checkpoint due: a page that many commits wrote is then copied only
 * once.
 */
const DUE_PAGES = 8000;
/** With at most this many pages left, the writer is paused for the rest, and may as well copy them itself. */
const FEW_PAGES = 1000;
const ROUNDS = 4;
/** How often the log is copied even if it is short, so that the database itself is never far behind. */
const CHECKPOINT_MS = 60_000;
/** How often it is written down how far the log has come, if it went on. */
const MARK_MS = 1000;

export interface Checkpoints {
  /** Called after every commit with the number of pages of the log that are not yet in the database. */
  committed(pagesLeft: number): void;
  close(): Promise<void>;
}

interface CheckpointOptions {
  readonly writing: Mutex;
  /** Lets SQLite checkpoint at a commit, which makes that commit slower; used after the thread has ended. */
  readonly autoCheckpoint: (pages: number) => void;
  readonly duePages?: number;
  /**
   * Does the same in the thread of the writer, which must not have a transaction open. A server with little to do then
   * needs no thread for it, whose memory is a tenth of all.
   */
  readonly atWriter?: (task: CheckpointTask) => Promise<number | undefined>;
  /** Writes down how far the log has come, and copies it by time as well. For the process that serves the database. */
  readonly isMarked?: boolean;
}

/**
 * Copies committed pages from the log into the database on a separate thread while others write. The writer is paused
 * only for the last pages: once the whole log is copied, SQLite restarts it at the next commit, so its size stays
 * bounded however busy the writer is.
 */
export function startCheckpoints(
  file: string,
  { writing, autoCheckpoint, atWriter, duePages = DUE_PAGES, isMarked = false }: CheckpointOptions,
): Checkpoints {
  let worker: Worker | undefined;
  let running: Promise<void> | undefined;
  let isOver = false;
  let left = 0;
  /** Whether something was committed since the last mark, and since the last checkpoint. */
  let isUnmarked = false;
  let isAhead = false;

  async function checkpoint(): Promise<void> {
    isAhead = false;
    for (let round = 0; round < ROUNDS && left > FEW_PAGES; round++) left = await askWorker(threadOf(), 'checkpoint');
    if (isOver) return;
    await whileNobodyWrites('checkpoint');
  }

  async function whileNobodyWrites(task: CheckpointTask): Promise<void> {
    await writing.lock();
    try {
      if (worker !== undefined || atWriter === undefined) left = await askWorker(threadOf(), task);
      else left = (await atWriter(task)) ?? left;
    } finally {
      writing.unlock();
    }
  }

  function threadOf(): Worker {
    worker ??= startWorker(file, isMarked, doWithout);
    return worker;
  }

  /** One request to the thread at a time. */
  function run(work: () => Promise<unknown>): void {
    if (running || isOver) return;
    running = work()
      // The thread has ended, or the writer was busy for too long: it is due again at the next commit.
      .then(
        () => {},
        () => {},
      )
      .finally(() => {
        running = undefined;
      });
  }

  const timers = isMarked
    ? [
        setInterval(() => {
          if (!isUnmarked || running) return;
          isUnmarked = false;
          run(() => (worker === undefined ? whileNobodyWrites('mark') : askWorker(worker, 'mark')));
        }, MARK_MS).unref(),
        setInterval(() => {
          if (isAhead) run(checkpoint);
        }, CHECKPOINT_MS).unref(),
      ]
    : [];

  function doWithout(): void {
    if (isOver) return;
    isOver = true;
    autoCheckpoint(duePages);
  }

  return {
    committed(pagesLeft) {
      left = pagesLeft;
      isUnmarked = true;
      isAhead = true;
      if (left >= duePages) run(checkpoint);
    },
    async close() {
      isOver = true;
      for (const timer of timers) clearInterval(timer);
      await running;
      await worker?.terminate();
    },
  };
}

function startWorker(file: string, isMarked: boolean, ended: () => void): Worker {
  const worker = new Worker(new URL('./checkpoint-worker.ts', import.meta.url), { workerData: { file, isMarked } });
  worker.unref();
  worker.on('error', () => {});
  worker.on('exit', ended);
  return worker;
}

/** Resolves with the number of pages left. The worker keeps the process alive only while it works. */
function askWorker(worker: Worker, what: CheckpointTask): Promise<number> {
  return new Promise((resolve, reject) => {
    const done = (left: number | undefined) => {
      worker.off('message', done);
      worker.off('exit', fail);
      worker.unref();
      if (left === undefined) reject(new Error('The checkpoint failed.'));
      else resolve(left);
    };
    const fail = () => reject(new Error('The thread of checkpoints has ended.'));
    worker.once('message', done);
    worker.once('exit', fail);
    worker.ref();
    worker.postMessage(what);
  });
}
