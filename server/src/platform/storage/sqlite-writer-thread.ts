import { parentPort, workerData } from 'node:worker_threads';
import { openConnection } from './sqlite-connection.ts';
import { type Order, statementRunner } from './sqlite-statements.ts';
import type { Answer, Ask, Failure } from './sqlite-writer.ts';

/** The entry of the thread that alone writes: it does one thing after the other, and answers each. */

const { file, readOnly } = workerData as { file: string; readOnly: boolean };
const writer = openConnection(file, { readOnly });
const run = statementRunner(writer, true);
// What is in the log is carried over by a thread of its own.
if (!readOnly) writer.exec('PRAGMA wal_autocheckpoint = 0');
const log = writer.prepare('PRAGMA wal_checkpoint(NOOP)');

const DO = {
  alone(order: Order): Answer {
    const outcome = run(order);
    if (writer.isTransaction) {
      writer.exec('ROLLBACK');
      throw new Error('A transaction must not be begun by a statement of its own: use transaction().');
    }
    return { outcome, pagesLeft: pagesLeft() };
  },
  first(order: Order): Answer {
    writer.exec('BEGIN IMMEDIATE');
    return { outcome: run(order) };
  },
  next(order: Order): Answer {
    requireTransaction();
    return { outcome: run(order) };
  },
  commit(): Answer {
    requireTransaction();
    writer.exec('COMMIT');
    return { pagesLeft: pagesLeft() };
  },
  rollback(): Answer {
    if (writer.isTransaction) writer.exec('ROLLBACK');
    return {};
  },
  carryByYourself(pages: number): Answer {
    writer.exec(`PRAGMA wal_autocheckpoint = ${pages}`);
    return {};
  },
  close(): Answer {
    writer.close();
    parentPort!.off('message', take);
    return {};
  },
};

/** SQLite ends a transaction by itself when the disk is full, for one. What follows must not commit alone. */
function requireTransaction(): void {
  if (!writer.isTransaction) throw new Error('The transaction was rolled back by an earlier error.');
}

/** How much of the log is not yet in the database. */
function pagesLeft(): number {
  const { log: written, checkpointed } = log.get() as { log: number; checkpointed: number };
  return written - checkpointed;
}

function answerTo(ask: Ask): Answer | Failure {
  try {
    return (DO[ask.do] as (what: unknown) => Answer)(ask.what);
  } catch (error) {
    const { message, errcode } = error as Error & { errcode?: number };
    return { message, errcode };
  }
}

function take(ask: Ask): void {
  parentPort!.postMessage(answerTo(ask));
}
parentPort!.on('message', take);
