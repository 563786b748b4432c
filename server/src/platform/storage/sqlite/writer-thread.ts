import { parentPort } from 'node:worker_threads';
import { Kysely } from 'kysely';
import { shrinkHeapOnceIdle } from '../../threads.ts';
import type { AnyTables } from '../database.ts';
import { NotUnique } from '../database.ts';
import { SQLITE, textFor } from '../dialect.ts';
import { sqliteTrouble } from '../trouble.ts';
import { loadWork, type Work, type Workplace } from '../work.ts';
import { checkpointer } from './care/mark.ts';
import { givingBack, openConnection } from './connection.ts';
import { directDialect } from './dialect.ts';
import { type Order, statementOn, statementRunner } from './statements.ts';
import type { Failure, WorkOrder, WriterFile, WriterReply, WriterRequest } from './writer.ts';

/**
 * The entry point of the writer thread, the only one that writes: it runs one request after the other and answers each.
 * The first request opens the database. After it was closed, the thread can open another.
 */

/** It has the pages that a fleet of a thousand devices writes to. Other connections read most pages without a copy. */
const WRITER_CACHE_MB = 8;

/** The requests of one open database. */
function openWriter({ file, readOnly, isMarked }: WriterFile) {
  const writer = openConnection(file, readOnly ? { readOnly } : { mustExist: true, cacheMb: WRITER_CACHE_MB });
  const run = statementRunner(writer, true);
  // A separate thread checkpoints the log.
  if (!readOnly) writer.exec('PRAGMA wal_autocheckpoint = 0');
  const checkpoint = checkpointer(writer, file, isMarked);
  const log = writer.prepare('PRAGMA wal_checkpoint(NOOP)');

  const query = new Kysely<AnyTables>({ dialect: directDialect(statementRunner(writer)) });
  const workplace: Workplace<AnyTables> = {
    dialect: SQLITE,
    query,
    prepare: (_name, sql) => statementOn(writer, textFor(SQLITE, sql)),
    giveBack: givingBack(writer),
  };
  const works = new Map<number, Work<unknown, unknown, unknown, unknown>>();

  const requests = {
    alone(order: Order): WriterReply {
      const outcome = run(order);
      if (writer.isTransaction) {
        writer.exec('ROLLBACK');
        throw new Error('A transaction must not be begun by a statement of its own: use transaction().');
      }
      return { outcome, pagesLeft: pagesLeft() };
    },
    first(order: Order): WriterReply {
      writer.exec('BEGIN IMMEDIATE');
      return { outcome: run(order) };
    },
    next(order: Order): WriterReply {
      requireTransaction();
      return { outcome: run(order) };
    },
    commit(): WriterReply {
      requireTransaction();
      writer.exec('COMMIT');
      return { pagesLeft: pagesLeft() };
    },
    async work({ number, opens, input }: WorkOrder): Promise<WriterReply> {
      // Opening fails where the store is in trouble; then the next order opens it.
      if (opens && !works.has(number)) works.set(number, (await loadWork(opens.module)).open(workplace, opens.options));
      const work = works.get(number)!;
      writer.exec('BEGIN IMMEDIATE');
      try {
        const done = await work.run(query, input);
        requireTransaction();
        writer.exec('COMMIT');
        return { output: work.committed(done), pagesLeft: pagesLeft() };
      } catch (error) {
        if (writer.isTransaction) writer.exec('ROLLBACK');
        throw error;
      }
    },
    rollback(): WriterReply {
      if (writer.isTransaction) writer.exec('ROLLBACK');
      return {};
    },
    checkpoint: (): WriterReply => ({ pagesLeft: checkpoint('checkpoint') }),
    mark: (): WriterReply => ({ pagesLeft: checkpoint('mark') }),
    autoCheckpoint(pages: number): WriterReply {
      writer.exec(`PRAGMA wal_autocheckpoint = ${pages}`);
      return {};
    },
    close(): WriterReply {
      writer.close();
      return {};
    },
    failed(error: { errcode?: number }): void {
      lastErrcode = sqliteTrouble(error) ? error.errcode : undefined;
    },
  };

  /**
   * SQLite rolls a transaction back by itself, for example when the disk is full. The statements after that must not be
   * committed alone.
   */
  function requireTransaction(): void {
    if (writer.isTransaction) return;
    throw Object.assign(new Error('The transaction was rolled back by an earlier error.'), { errcode: lastErrcode });
  }
  /** The code of the last error, if it is trouble of the store: why SQLite rolled back. */
  let lastErrcode: number | undefined;

  /** Asking takes longer than many statements, so the answer is reused for this many commits. */
  const ASKED_EVERY = 8;
  let commits = 0;
  let left = 0;

  /** Pages of the log that are not yet in the database, as of at most a few commits ago. */
  function pagesLeft(): number {
    if (commits++ % ASKED_EVERY > 0) return left;
    const { log: written, checkpointed } = log.get() as { log: number; checkpointed: number };
    left = written - checkpointed;
    return left;
  }
  return requests;
}

let opened: ReturnType<typeof openWriter> | undefined;

async function answerTo({ do: name, what }: WriterRequest): Promise<WriterReply | Failure> {
  try {
    if (name === 'open') {
      opened = openWriter(what);
      return {};
    }
    return await (opened![name] as (what: unknown) => WriterReply | Promise<WriterReply>)(what);
  } catch (error) {
    const { message, errcode } = (error instanceof NotUnique ? error.cause : error) as Error & { errcode?: number };
    opened?.failed({ errcode });
    return { message, errcode };
  }
}

/** Requests run in order of arrival, even while one is loading its module. */
let turn: Promise<void> = Promise.resolve();
parentPort!.on('message', (ask: WriterRequest) => {
  turn = turn.then(async () => parentPort!.postMessage(await answerTo(ask)));
});
shrinkHeapOnceIdle();
