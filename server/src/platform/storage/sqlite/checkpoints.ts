import { Worker } from 'node:worker_threads';
import type { Mutex } from './mutex.ts';

/** Pages of 4 KB in the log at which a checkpoint is due: a page that many commits wrote is then copied only once. */
const DUE_PAGES = 8000;
/** With at most this many pages left, the writer is paused for the rest. */
const FEW_PAGES = 1000;
const ROUNDS = 4;

export interface Checkpoints {
  /** Called after every commit with the number of pages of the log that are not yet in the database. */
  committed(pagesLeft: number): void;
  close(): Promise<void>;
}

export interface CheckpointOptions {
  readonly writing: Mutex;
  /** Lets SQLite checkpoint at a commit, which makes that commit slower; used after the thread has ended. */
  readonly autoCheckpoint: (pages: number) => void;
  readonly duePages?: number;
}

/**
 * Copies committed pages from the log into the database on a separate thread while others write. The writer is paused
 * only for the last pages: once the whole log is copied, SQLite restarts it at the next commit, so its size stays
 * bounded however busy the writer is.
 */
export function startCheckpoints(
  file: string,
  { writing, autoCheckpoint, duePages = DUE_PAGES }: CheckpointOptions,
): Checkpoints {
  let worker: Worker | undefined;
  let running: Promise<void> | undefined;
  let isOver = false;
  let left = 0;

  async function checkpoint(): Promise<void> {
    worker ??= startWorker(file, doWithout);
    for (let round = 0; round < ROUNDS && left > FEW_PAGES; round++) left = await checkpointNow(worker);
    if (isOver) return;
    await writing.lock();
    try {
      left = await checkpointNow(worker);
    } finally {
      writing.unlock();
    }
  }

  function doWithout(): void {
    if (isOver) return;
    isOver = true;
    autoCheckpoint(duePages);
  }

  return {
    committed(pagesLeft) {
      left = pagesLeft;
      if (running || isOver || left < duePages) return;
      running = checkpoint()
        // The thread has ended, or the writer was busy for too long: the checkpoint is due again at the next commit.
        .catch(() => {})
        .finally(() => {
          running = undefined;
        });
    },
    async close() {
      isOver = true;
      await running;
      await worker?.terminate();
    },
  };
}

function startWorker(file: string, ended: () => void): Worker {
  const worker = new Worker(new URL('./checkpoint-worker.ts', import.meta.url), { workerData: { file } });
  worker.unref();
  worker.on('error', () => {});
  worker.on('exit', ended);
  return worker;
}

/** Resolves with the number of pages left. The worker keeps the process alive only while it works. */
function checkpointNow(worker: Worker): Promise<number> {
  return new Promise((resolve, reject) => {
    const done = (left: number) => {
      worker.off('message', done);
      worker.off('exit', fail);
      worker.unref();
      resolve(left);
    };
    const fail = () => reject(new Error('The thread of checkpoints has ended.'));
    worker.once('message', done);
    worker.once('exit', fail);
    worker.ref();
    worker.postMessage('checkpoint');
  });
}
