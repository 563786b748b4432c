import type { Kysely } from 'kysely';
import type { Dialect, SqlText } from './dialect.ts';
import type { Cell, Row } from './shape.ts';

/** A statement of the hot path: SQL with `?` placeholders, prepared once under its name. */
export interface Statement<R = Row> {
  get(...cells: Cell[]): Promise<R | undefined>;
  all(...cells: Cell[]): Promise<R[]>;
  /** Rows as lists of their cells, which cost less than objects. */
  lists(...cells: Cell[]): Promise<readonly (readonly Cell[])[]>;
}

/** What work has at hand where the store writes. On SQLite it sees what the open transaction sees. */
export interface Workplace<Tables> {
  readonly dialect: Dialect;
  /** Ordinary queries. Outside a transaction each is its own. */
  readonly query: Kysely<Tables>;
  prepare<R = Row>(name: string, sql: SqlText): Statement<R>;
  /** Very much was read that is not needed as it was read: gives the memory back soon. */
  giveBack?(): void;
}

/** Work of many statements, done as one transaction where the store writes. What goes in and out is plain data. */
export interface Work<Tables, Input, Done, Output> {
  run(tx: Kysely<Tables>, input: Input): Promise<Done>;
  /** Called once it is committed. */
  committed(done: Done): Output;
}

export type OpenWork<Tables, Options, Input, Done, Output> = (
  workplace: Workplace<Tables>,
  options: Options,
) => Work<Tables, Input, Done, Output>;

/** Work as a value: callers get its types, and the thread that runs it finds it in its module. */
export interface WorkDefinition<Tables, Options, Input, Output> {
  readonly module: string;
  readonly open: OpenWork<Tables, Options, Input, unknown, Output>;
}

/** @param module `import.meta.url` of the module that exports the result */
export function defineWork<Tables, Options, Input, Done, Output>(
  module: string,
  open: OpenWork<Tables, Options, Input, Done, Output>,
): WorkDefinition<Tables, Options, Input, Output> {
  // `committed` gets the result of `run`; it is not visible elsewhere.
  return { module, open: open as OpenWork<Tables, Options, Input, unknown, Output> };
}

/** Finds the definition that a module exports, in a thread that has only its address. */
export const loadWork = (module: string) =>
  loadDefinition<WorkDefinition<unknown, unknown, unknown, unknown>>(module, 'open');

/** Reads of many statements, and what is made of the rows, on a separate thread. What goes in and out is plain data. */
export interface ReadWorkDefinition<Tables, Input, Output> {
  readonly module: string;
  readonly read: (workplace: Workplace<Tables>, input: Input) => Promise<Output>;
}

/** @param module `import.meta.url` of the module that exports the result */
export const defineReadWork = <Tables, Input, Output>(
  module: string,
  read: (workplace: Workplace<Tables>, input: Input) => Promise<Output>,
): ReadWorkDefinition<Tables, Input, Output> => ({ module, read });

export const loadReadWork = (module: string) =>
  loadDefinition<ReadWorkDefinition<unknown, unknown, unknown>>(module, 'read');

async function loadDefinition<Definition extends { readonly module: string }>(
  module: string,
  does: keyof Definition & string,
): Promise<Definition> {
  const exported: unknown[] = Object.values((await import(module)) as object);
  const isIt = (value: unknown): value is Definition =>
    typeof value === 'object' && value !== null && 'module' in value && value.module === module && does in value;
  const found = exported.find(isIt);
  if (found === undefined) throw new Error(`${module} exports no work.`);
  return found;
}
