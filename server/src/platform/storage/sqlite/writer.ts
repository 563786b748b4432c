import { Worker } from 'node:worker_threads';
import { YOUNG_LIMIT } from '../../threads.ts';
import { StoreTrouble } from '../trouble.ts';
import { type Order, type StatementResult, toStoreError } from './statements.ts';

export interface WriterFile {
  readonly file: string;
  readonly readOnly: boolean;
  readonly isMarked: boolean;
}

export type WriterRequest =
  | { readonly do: 'open'; readonly what: WriterFile }
  /** A statement that is a transaction by itself, the first statement of a transaction, or a later one. */
  | { readonly do: 'alone' | 'first' | 'next'; readonly what: Order }
  | { readonly do: 'commit' | 'rollback' | 'close'; readonly what?: undefined }
  /** What the thread of checkpoints does, while there is none. */
  | { readonly do: 'checkpoint' | 'mark'; readonly what?: undefined }
  | { readonly do: 'work'; readonly what: WorkOrder }
  /** Lets SQLite checkpoint at a commit, used if no checkpoint thread runs. */
  | { readonly do: 'autoCheckpoint'; readonly what: number };

/** Work is identified by a number; until one of its orders was done, they also name its module. */
export interface WorkOrder {
  readonly number: number;
  readonly opens?: { readonly module: string; readonly options: unknown };
  readonly input: unknown;
}

export interface WriterReply {
  readonly outcome?: StatementResult;
  /** The output of work. */
  readonly output?: unknown;
  /** After a commit or a checkpoint: the pages of the log that are not yet in the database. */
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

export const writerEnded = () => new StoreTrouble('unavailable', new Error('The writer thread has ended.'));

/**
 * The write connection, on its own thread, so that the main thread continues while the disk is busy. The thread starts
 * with the first request or `begin()`, and keeps the process alive only while requests are pending.
 */
export class SqliteWriter {
  readonly #file: WriterFile;
  readonly #failed: (error: unknown) => void;
  #worker: Worker | undefined;
  #hasEnded = false;
  /** Why it ended before it was closed. */
  #trouble: unknown;
  #works = 0;
  /** Answers arrive in the order of the requests. */
  readonly #waiting: Waiting[] = [];

  /** @param failed called with every error before it is thrown */
  constructor(
    file: string,
    {
      readOnly,
      isMarked = false,
      failed = () => {},
    }: { readonly readOnly: boolean; readonly isMarked?: boolean; readonly failed?: (error: unknown) => void },
  ) {
    this.#failed = failed;
    this.#file = { file, readOnly, isMarked };
  }

  ask(ask: WriterRequest): Promise<WriterReply> {
    return new Promise((resolve, reject) => {
      if (this.#hasEnded) throw this.#trouble ?? writerEnded();
      const worker = this.begin();
      if (this.#waiting.push({ resolve, reject }) === 1) worker.ref();
      worker.postMessage(ask);
    });
  }

  /** Starts the thread, which loads while the caller goes on. */
  begin(): Worker {
    this.#worker ??= this.#open();
    return this.#worker;
  }

  openWork(module: string, options: unknown): (input: unknown) => Promise<WriterReply> {
    const number = this.#works++;
    let opens: WorkOrder['opens'] = { module, options };
    return async (input) => {
      const reply = await this.ask({ do: 'work', what: { number, input, ...(opens && { opens }) } });
      opens = undefined;
      return reply;
    };
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  async close(): Promise<void> {
    if (this.#worker === undefined || this.#hasEnded) return;
    const worker = this.#worker;
    try {
      await this.ask({ do: 'close' });
    } catch (error) {
      this.#hasEnded = true;
      await worker.terminate();
      throw error;
    }
    this.#hasEnded = true;
    await releaseThread(worker);
  }

  #open(): Worker {
    const worker = takeThread();
    worker.on('message', (answer: WriterReply | Failure) => {
      const { resolve, reject } = this.#waiting.shift()!;
      if (this.#waiting.length === 0) worker.unref();
      if ('message' in answer) {
        const error = toStoreError(Object.assign(new Error(answer.message), { errcode: answer.errcode }));
        this.#failed(error);
        reject(error);
      } else resolve(answer);
    });
    worker.on('error', (error) => this.#end(error));
    worker.on('exit', () => this.#end(writerEnded()));
    const reject = (error: unknown) => {
      worker.removeAllListeners();
      void worker.terminate();
      this.#end(error);
    };
    this.#waiting.push({ resolve: () => {}, reject });
    worker.ref();
    worker.postMessage({ do: 'open', what: this.#file } satisfies WriterRequest);
    return worker;
  }

  #end(error: unknown): void {
    this.#hasEnded = true;
    this.#trouble = error;
    this.#failed(error);
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}

/** Threads of databases that were closed. */
const idle: Worker[] = [];
let mostIdle = 0;

/**
 * Keeps threads for the next database, since a thread takes longer to load than most tests to run. A server opens one
 * database, and keeps none.
 */
export function keepWriterThreads(most: number): void {
  mostIdle = most;
}

function takeThread(): Worker {
  return idle.pop() ?? new Worker(new URL('./writer-thread.ts', import.meta.url), { resourceLimits: YOUNG_LIMIT });
}

/** @param thread one that has closed its database */
async function releaseThread(thread: Worker): Promise<void> {
  // Not all listeners: Node has its own among them.
  for (const event of ['message', 'error', 'exit']) thread.removeAllListeners(event);
  thread.unref();
  if (idle.length < mostIdle) idle.push(thread);
  else await thread.terminate();
}
