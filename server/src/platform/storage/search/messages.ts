import type { Cell, Shape } from '../shape.ts';

/** What passes between the main thread and a search worker. A worker has one search at a time. */

/** Where a worker finds the data. */
export type SearchSource =
  | { readonly engine: 'sqlite'; readonly file: string }
  | { readonly engine: 'postgres'; readonly url: string };

/** What a thread is started with. */
export interface Task {
  readonly source: SearchSource;
  /** How long a search may run. */
  readonly deadlineMs: number;
}

export interface Ask {
  readonly sql: string;
  readonly cells: readonly Cell[];
  readonly shape: Shape;
}

export type Answer =
  | { readonly kind: 'found'; readonly json: string }
  | { readonly kind: 'tooLong'; readonly why: string }
  | { readonly kind: 'failed'; readonly why: string };

/** What each engine does with a question. It throws `OutOfTime` at the deadline. */
export type Answerer = (ask: Ask) => Promise<string> | string;

export class OutOfTime extends Error {}
