import { Worker } from 'node:worker_threads';
import { type Order, type StatementResult, toNotUnique } from './statements.ts';

export type WriterRequest =
  /** A statement that is a transaction by itself, the first of one, or another. */
  | { readonly do: 'alone' | 'first' | 'next'; readonly what: Order }
  | { readonly do: 'commit' | 'rollback' | 'close'; readonly what?: undefined }
  | { readonly do: 'work'; readonly what: WorkOrder }
  /** Without another thread for it, SQLite carries over the log at a commit. */
  | { readonly do: 'autoCheckpoint'; readonly what: number };

/** Work is named by a number, and its module by the first order. */
export interface WorkOrder {
  readonly number: number;
  readonly opens?: { readonly module: string; readonly options: unknown };
  readonly input: unknown;
}

export interface WriterReply {
  readonly outcome?: StatementResult;
  /** Of work. */
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
 * The connection that writes, on a thread of its own: while the disk is busy, the main thread goes on. It begins with
 * the first thing to do, and keeps the process alive only while there is something.
 */
export class SqliteWriter {
  readonly #start: () => Worker;
  #worker: Worker | undefined;
  #hasEnded = false;
  #works = 0;
  /** Answers come in the order of the asks. */
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
      const asked = this.ask({ do: 'work', what: { number, input, ...(opens && { opens }) } });
      opens = undefined;
      return asked;
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
