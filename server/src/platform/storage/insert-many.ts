import { CompiledQuery, type Kysely } from 'kysely';
import { numberPlaceholders } from './placeholders.ts';
import { prepareText } from './postgres/prepared-texts.ts';
import type { Cell } from './shape.ts';
import type { StoreKind } from './store-kind.ts';

// biome-ignore lint/suspicious/noExplicitAny: one piece of code serves every table, so it can't know their columns.
type Handle = Kysely<any>;
type Rows = readonly (readonly Cell[])[];

/** So many rows in a statement: few enough for every engine's limit of parameters, many enough to be fast. */
const COUNTS = [40, 8, 1];

/** A statement that takes any number of rows; each engine prepares it once for each of a few numbers. */
export interface ManyRows {
  /** One row in it: `(?, ?)`. */
  readonly row: string;
  readonly text: (rows: string) => string;
}

/** Runs it as often as the rows need, a chunk at a time; what it returned for each chunk. */
export async function runMany<R>(on: Handle, storeKind: StoreKind, many: ManyRows, rows: Rows): Promise<R[][]> {
  const answers: R[][] = [];
  for (let start = 0; start < rows.length; ) {
    const count = COUNTS.find((most) => most <= rows.length - start)!;
    const cells = rows.slice(start, start + count).flat();
    answers.push((await on.executeQuery<R>(CompiledQuery.raw(statement(storeKind, many, count), cells))).rows);
    start += count;
  }
  return answers;
}

const statements = new WeakMap<ManyRows, Map<string, string>>();

function statement(storeKind: StoreKind, many: ManyRows, count: number): string {
  const made = statements.get(many) ?? new Map<string, string>();
  statements.set(many, made);
  const key = `${storeKind} ${count}`;
  const known = made.get(key);
  if (known) return known;
  const marked = many.text(Array.from({ length: count }, () => many.row).join(', '));
  const text = storeKind === 'postgres' ? prepareText(numberPlaceholders(marked)) : marked;
  made.set(key, text);
  return text;
}

const quoted = (columns: readonly string[]) => columns.map((column) => `"${column}"`).join(', ');
const rowOf = (columns: readonly string[]) => `(${columns.map(() => '?').join(', ')})`;

/**
 * Inserts rows into a table and answers their ids, in the order of the rows. Ids are handed out in that order, whatever
 * order the engine answers them in.
 */
export async function insertMany(
  on: Handle,
  storeKind: StoreKind,
  table: string,
  columns: readonly string[],
  rows: Rows,
): Promise<number[]> {
  const chunks = await runMany<{ id: number }>(on, storeKind, insertion(table, columns), rows);
  return chunks.flatMap((chunk) => chunk.map(({ id }) => id).sort((a, b) => a - b));
}

const insertions = new Map<string, ManyRows>();

function insertion(table: string, columns: readonly string[]): ManyRows {
  const start = `INSERT INTO "${table}" (${quoted(columns)}) VALUES`;
  const known = insertions.get(start);
  if (known) return known;
  const made = { row: rowOf(columns), text: (rows: string) => `${start} ${rows} RETURNING "id"` };
  insertions.set(start, made);
  return made;
}
