import { Worker } from 'node:worker_threads';
import { type Order, type StatementResult, toNotUnique } from './statements.ts';

export type WriterRequest =
  /** A statement that is a transaction by itself, the first statement of a transaction, or a later one. */
  | { readonly do: 'alone' | 'first' | 'next'; readonly what: Order }
  | { readonly do: 'commit' | 'rollback' | 'close'; readonly what?: undefined }
  | { readonly do: 'work'; readonly what: WorkOrder }
  /** Lets SQLite checkpoint at a commit, used if no checkpoint thread runs. */
  | { readonly do: 'autoCheckpoint'; readonly what: number };

/** Work is identified by a number; the first order also names its module. */
export interface WorkOrder {
  readonly number: number;
  readonly opens?: { readonly module: string; readonly options: unknown };
  readonly input: unknown;
}

export interface WriterReply {
  readonly outcome?: StatementResult;
  /** The output of work. */
  readonly output?: unknown;
  /** After a commit: the pages of the log that are not yet in the database. */
  readonly pagesLeft?: number;
}

export interface Failure {
  readonly message: string;
  readonly errcode?: number;
}

interface Waiting {
  resolve(answer: WriterReply): void;
  reject(error: unknown): void;
}

/**
 * The write connection, on its own thread, so that the main thread continues while the disk is busy. The thread starts
 * with the first request, and keeps the process alive only while requests are pending.
 */
export class SqliteWriter {
  readonly #start: () => Worker;
  #worker: Worker | undefined;
  #hasEnded = false;
  #works = 0;
  /** Answers arrive in the order of the requests. */
  readonly #waiting: Waiting[] = [];

  constructor(file: string, { readOnly }: { readonly readOnly: boolean }) {
    this.#start = () => new Worker(new URL('./writer-thread.ts', import.meta.url), { workerData: { file, readOnly } });
  }

  ask(ask: WriterRequest): Promise<WriterReply> {
    return new Promise((resolve, reject) => {
      if (this.#hasEnded) throw new Error('The writer thread has ended.');
      this.#worker ??= this.#begin();
      if (this.#waiting.push({ resolve, reject }) === 1) this.#worker.ref();
      this.#worker.postMessage(ask);
    });
  }

  openWork(module: string, options: unknown): (input: unknown) => Promise<WriterReply> {
    const number = this.#works++;
    let opens: WorkOrder['opens'] = { module, options };
    return (input) => {
      const reply = this.ask({ do: 'work', what: { number, input, ...(opens && { opens }) } });
      opens = undefined;
      return reply;
    };
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  async close(): Promise<void> {
    if (this.#worker === undefined || this.#hasEnded) return;
    try {
      await this.ask({ do: 'close' });
    } finally {
      this.#hasEnded = true;
      await this.#worker.terminate();
    }
  }

  #begin(): Worker {
    const worker = this.#start();
    worker.on('message', (answer: WriterReply | Failure) => {
      const { resolve, reject } = this.#waiting.shift()!;
      if (this.#waiting.length === 0) worker.unref();
      if ('message' in answer)
        reject(toNotUnique(Object.assign(new Error(answer.message), { errcode: answer.errcode })));
      else resolve(answer);
    });
    worker.on('error', (error) => this.#end(error));
    worker.on('exit', () => this.#end(new Error('The writer thread has ended.')));
    return worker;
  }

  #end(error: unknown): void {
    this.#hasEnded = true;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}
