import { Worker } from 'node:worker_threads';
import type { Mutex } from './mutex.ts';

/** So many pages in the log, of 4 KB each, are worth carrying over: those written again and again go once for many commits. */
const DUE_PAGES = 8000;
/** So few may be left for the end, while nobody writes. */
const FEW_PAGES = 1000;
const ROUNDS = 4;

export interface Checkpoints {
  /** Told of every commit, and how many pages of the log are not in the database after it. */
  committed(pagesLeft: number): void;
  close(): Promise<void>;
}

export interface CheckpointOptions {
  readonly writing: Mutex;
  /** Without the thread SQLite must do it itself at a commit, which then takes longer. */
  readonly autoCheckpoint: (pages: number) => void;
  readonly duePages?: number;
}

/**
 * Carries what was written from the log into the database on a thread of its own, beside those who write. Only at the
 * end, for what came meanwhile, is the writer kept: with nothing left in it, the log begins anew at the next commit, so
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
