import type { Cell, TableShape } from '../shape.ts';
import type { TroubleKind } from '../trouble.ts';

/** The messages between the main thread and a search worker. A worker runs one search at a time. */

/** Where a worker reads the data from. */
type SearchSource =
  | { readonly storeKind: 'sqlite'; readonly file: string }
  | {
      readonly storeKind: 'postgres';
      readonly url: string;
      readonly isPreparing: boolean;
      /** By part of the hash, where rows are distributed. */
      readonly shards?: readonly number[] | undefined;
    };

/** The data that a thread is started with. */
export interface Task {
  readonly source: SearchSource;
  /** How long a search may run. */
  readonly deadlineMs: number;
  /** Whether requests go before what this thread does. */
  readonly isPatient?: boolean;
}

export interface SearchRequest {
  readonly sql: string;
  readonly cells: readonly Cell[];
  readonly shape: TableShape;
  /** At most so many rows are presented; a line behind the text then has their number; if there were more, the last row and `+` follow. */
  readonly most?: number;
}

/** Work that reads, found in its module. */
export interface ReadWorkRequest {
  readonly module: string;
  readonly input: unknown;
}

/** A thread's first word: it has loaded, and takes what comes from now on with its own priority. */
export const READY = 'ready';

export type SearchReply =
  /** The rows as JSON text, or what the work made. */
  | { readonly kind: 'found'; readonly found: unknown }
  | { readonly kind: 'tooLong'; readonly why: string }
  | { readonly kind: 'slow'; readonly why: string }
  | { readonly kind: 'failed'; readonly why: string; readonly trouble?: TroubleKind };

/** Runs a search on an engine. At the deadline it throws `OutOfTime`, or `TooSlow` where the machine is the reason. */
export type Answerer = (ask: SearchRequest) => Promise<string> | string;

export class OutOfTime extends Error {}
export class TooSlow extends Error {}

/** A search that uses little CPU time may take this many times its limit: its thread waits for a busy machine. */
export const SLOWEST = 5;

/** Limits the CPU time of a search, which is the same on an idle machine and on a busy one. */
export class Deadline {
  readonly #limitMs: number;
  readonly #slowest: number;
  #usedBefore = process.threadCpuUsage();
  #slowAt = 0;
  #lookAt = 0;

  constructor(limitMs: number, slowest = SLOWEST) {
    this.#limitMs = limitMs;
    this.#slowest = slowest;
  }

  restart(): void {
    const now = performance.now();
    this.#usedBefore = process.threadCpuUsage();
    this.#lookAt = now + this.#limitMs;
    this.#slowAt = now + this.#limitMs * this.#slowest;
  }

  /** Throws when the time is over. Called for many rows: CPU time takes longer to read than the clock. */
  check(): void {
    const now = performance.now();
    if (now <= this.#lookAt) return;
    const { user, system } = process.threadCpuUsage(this.#usedBefore);
    const leftMs = this.#limitMs - (user + system) / 1000;
    if (leftMs <= 0) throw new OutOfTime('The search was not done by its deadline.');
    if (now > this.#slowAt) throw new TooSlow('The machine was too slow for the search.');
    this.#lookAt = now + leftMs;
  }
}
