import { type Kysely, sql } from 'kysely';
import type { StoreCondition } from './condition.ts';
import { dialectOf, SQLITE } from './dialect.ts';
import type { Cell, TableShape } from './shape.ts';
import type { ReadWorkDefinition, WorkDefinition, Workplace } from './work.ts';

/**
 * A read that may take long. It runs away from the main thread and ends at the deadline. The rows come back as the JSON
 * text of an array, presented by `shape`, so that the main thread has nothing to do per row.
 */
export interface Search {
  readonly sql: string;
  readonly cells: readonly Cell[];
  readonly shape: TableShape;
  /** At most so many rows are presented; a line behind the text then has their number; if there were more, the last row and `+` follow. */
  readonly most?: number;
  /** Searches of one owner run one after the other, so that one owner cannot occupy every worker. */
  readonly owner: string;
}

/** The narrow seam between the product and its store. Both engines pass the same suite. */
export interface Database<Tables> extends Workplace<Tables> {
  /** PostgreSQL only: the collation whose `lower()` folds case in every script, where the server has one. */
  readonly foldingCollation?: string;
  /** What is wrong with the store, if anything. */
  readonly condition: StoreCondition;
  /** Atomic and isolated from concurrent transactions. */
  transaction<T>(work: (tx: Kysely<Tables>) => Promise<T>): Promise<T>;
  /**
   * Work that a module of ours does as one transaction where the store writes: on SQLite inside the thread of the writer,
   * which its many statements need not be sent to; on PostgreSQL here.
   * @param work made by `defineWork`
   */
  work<Options, Input, Output>(
    work: WorkDefinition<Tables, Options, Input, Output>,
    options: Options,
  ): (input: Input) => Promise<Output>;
  /** Fails with `SearchTooLong` past the deadline, `SearchesFull` when too many wait, and `SearchSlow` on a busy machine. */
  search(search: Search): Promise<string>;
  /**
   * Work that only reads and may take long, on a separate thread with lower priority than requests. An owner has at
   * most two under way; the others wait their turn. Fails with `SearchTooLong` and `SearchesFull` as `search` does.
   * @param work made by `defineReadWork`
   */
  readWork<Input, Output>(
    work: ReadWorkDefinition<Tables, Input, Output>,
  ): (input: Input, owner: string) => Promise<Output>;
  /**
   * A number that changes whenever anything was committed by anyone, or undefined if the engine cannot determine it
   * cheaply. What was read while it had one value may be reused while it still has it.
   */
  changes(): number | undefined;
  /**
   * Only where several processes have the same database: calls soon after another one committed rows by `runAtCommit`.
   * A call may get lost, so a caller that must not miss anything also polls.
   */
  onNews?(listener: () => void): void;
  /** Requests news from the other processes, which send none otherwise. Must be repeated regularly. */
  wantNews?(): void;
  /** A consistent copy while others write; only where the engine keeps its data in a file of ours. */
  backup?(file: string): Promise<void>;
  /** How many wait for a turn: to write (on PostgreSQL for any connection), and to search. */
  queues(): { readonly writer: number; readonly search: number };
  /**
   * The time that all processes on this store go by, in milliseconds since 1970: on PostgreSQL its clock, known without
   * a query; on SQLite the clock of this machine.
   */
  now(): number;
  /** Answers if the store answers. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The store and its queries for code that serves tables of any product, and so cannot know their columns. Names of
 * tables and columns are checked where such code is given them.
 */
// biome-ignore lint/suspicious/noExplicitAny: Kysely is invariant in its tables, so only `any` matches all of them.
export type AnyTables = any;
export type AnyDatabase = Database<AnyTables>;
export type AnyQuery = Kysely<AnyTables>;

export class SearchTooLong extends Error {}
export class SearchesFull extends Error {}
/** It is not too much to search: the machine has no time for it. */
export class SearchSlow extends SearchesFull {}
/** Another row holds this value already; `columns` names what must be unique, if the engine reports it. */
export class NotUnique extends Error {
  readonly columns: string[];
  constructor(columns: string[], cause: unknown) {
    super(`not unique: ${columns.join(', ')}`, { cause });
    this.columns = columns;
  }
}

/**
 * The id of a row before it is inserted, for a table where something else follows from the id: on PostgreSQL out of the
 * table's sequence. SQLite gives ids as rows are inserted, and needs none before.
 */
export async function newId(on: AnyQuery, table: string): Promise<{ id?: number }> {
  if (dialectOf(on) === SQLITE) return {};
  const { rows } = await sql<{ id: number }>`SELECT nextval(${`"${table}_ids"`}) AS "id"`.execute(on);
  return { id: rows[0]!.id };
}
