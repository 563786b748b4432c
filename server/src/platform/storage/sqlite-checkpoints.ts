import type { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import type { Mutex } from './mutex.ts';

/** So many pages in the log, of 4 KB each, are worth carrying over: those written again and again go once for many commits. */
const DUE_PAGES = 8000;
/** So few may be left for the end, while nobody writes. */
const FEW_PAGES = 1000;
const ROUNDS = 4;

export interface Checkpoints {
  /** Told of every commit, when nothing is open on the writer. */
  committed(): void;
  close(): Promise<void>;
}

/**
 * Carries what was written from the log into the database on a thread of its own, beside those who write. Only at the
 * end, for what came meanwhile, is the writer kept: with nothing left in it, the log begins anew at the next commit, so
 * that it stays bounded however busy the writer is.
 */
export function startCheckpoints(
  file: string,
  writer: DatabaseSync,
  writing: Mutex,
  duePages = DUE_PAGES,
): Checkpoints {
  writer.exec('PRAGMA wal_autocheckpoint = 0');
  const log = writer.prepare('PRAGMA wal_checkpoint(NOOP)');
  let worker: Worker | undefined;
  let running: Promise<void> | undefined;
  let isOver = false;

  function pagesLeft(): number {
    const { log: written, checkpointed } = log.get() as { log: number; checkpointed: number };
    return written - checkpointed;
  }

  async function carryOver(): Promise<void> {
    worker ??= startWorker(file, doWithout);
    for (let round = 0; round < ROUNDS && pagesLeft() > FEW_PAGES; round++) await carryWhatIsThere(worker);
    if (isOver) return;
    await writing.lock();
    try {
      await carryWhatIsThere(worker);
    } finally {
      writing.unlock();
    }
  }

  /** Without the thread SQLite does it at a commit, which then takes longer. */
  function doWithout(): void {
    if (isOver) return;
    isOver = true;
    writer.exec(`PRAGMA wal_autocheckpoint = ${duePages}`);
  }

  return {
    committed() {
      if (running || isOver || pagesLeft() < duePages) return;
      running = carryOver()
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
  const worker = new Worker(new URL('./sqlite-checkpoint-worker.ts', import.meta.url), { workerData: { file } });
  worker.unref();
  worker.on('error', () => {});
  worker.on('exit', ended);
  return worker;
}

/** It keeps the process alive only while it works. */
function carryWhatIsThere(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = () => {
      worker.off('message', done);
      worker.off('exit', fail);
      worker.unref();
      resolve();
    };
    const fail = () => reject(new Error('The thread of checkpoints has ended.'));
    worker.once('message', done);
    worker.once('exit', fail);
    worker.ref();
    worker.postMessage('checkpoint');
  });
}
