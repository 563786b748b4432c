import type { Kysely } from 'kysely';
import type { Database } from './database.ts';

/** What work done at the writer has at hand. On SQLite it sees what the open transaction sees. */
export type Workplace<Tables> = Pick<Database<Tables>, 'engine' | 'query' | 'prepare'>;

/** Work of many statements, done as one transaction where the store writes. What goes in and out is plain data. */
export interface Work<Tables, Input, Done, Output> {
  run(tx: Kysely<Tables>, input: Input): Promise<Done>;
  /** Called once it is committed. */
  committed(done: Done): Output;
}

/** What the module of such work exports as `open`. */
export type OpenWork<Tables, Options, Input, Done, Output> = (
  workplace: Workplace<Tables>,
  options: Options,
) => Work<Tables, Input, Done, Output>;

// biome-ignore lint/suspicious/noExplicitAny: whoever names a module knows what it takes and gives.
export type AnyWork = Work<any, any, any, any>;

export async function loadWork<Tables>(
  module: string,
  workplace: Workplace<Tables>,
  options: unknown,
): Promise<AnyWork> {
  const { open } = (await import(module)) as { open: (workplace: Workplace<Tables>, options: unknown) => AnyWork };
  return open(workplace, options);
}
