import { Worker } from 'node:worker_threads';
import type { Mutex } from './mutex.ts';

/** Checkpoint at this many pages of 4 KB in the log: a page written by many commits is then copied only once. */
const DUE_PAGES = 8000;
/** With at most this many pages left, the writer is stopped for the rest. */
const FEW_PAGES = 1000;
const ROUNDS = 4;

export interface Checkpoints {
  /** Called after every commit with the number of pages of the log that are not yet in the database. */
  committed(pagesLeft: number): void;
  close(): Promise<void>;
}

export interface CheckpointOptions {
  readonly writing: Mutex;
  /** Lets SQLite checkpoint by itself at a commit, which then takes longer; for when the thread has ended. */
  readonly autoCheckpoint: (pages: number) => void;
  readonly duePages?: number;
}

/**
 * Copies what was written from the log into the database, on a thread of its own, while others write. Only for the
 * last pages is the writer stopped: once all of the log is copied, it begins anew at the next commit, so
 * that it stays bounded however busy the writer is.
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
        // The thread has ended, or the writer was busy for long: then it is due again at the next commit.
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

/** Answers what is left. It keeps the process alive only while it works. */
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
