import { CompiledQuery, type Kysely } from 'kysely';
import type { Engine } from './database.ts';
import type { Cell } from './shape.ts';

/** So many rows in a statement: few enough for every engine's limit of parameters, many enough to be fast. */
const ROWS = 40;

/**
 * Inserts rows into a table and answers their ids, in the order of the rows. Ids are handed out in that order, whatever
 * order the engine answers them in.
 */
export async function insertMany(
  // biome-ignore lint/suspicious/noExplicitAny: one piece of code serves every table, so it can't know their columns.
  on: Kysely<any>,
  engine: Engine,
  table: string,
  columns: readonly string[],
  rows: readonly (readonly Cell[])[],
): Promise<number[]> {
  const ids: number[] = [];
  for (let start = 0; start < rows.length; ) {
    const left = rows.length - start;
    const count = left >= ROWS ? ROWS : left >= 8 ? 8 : 1;
    const cells = rows.slice(start, start + count).flat();
    const query = CompiledQuery.raw(statement(engine, table, columns, count), cells);
    const answer = await on.executeQuery<{ id: number }>(query);
    ids.push(...answer.rows.map(({ id }) => id).sort((a, b) => a - b));
    start += count;
  }
  return ids;
}

const made = new Map<string, string>();

/** A few texts for each table, so that the engine prepares each once. */
function statement(engine: Engine, table: string, columns: readonly string[], count: number): string {
  const key = `${engine} ${table} ${count} ${columns.length}`;
  const known = made.get(key);
  if (known) return known;
  let number = 0;
  const mark = () => (engine === 'postgres' ? `$${++number}` : '?');
  const row = () => `(${columns.map(mark).join(', ')})`;
  const names = columns.map((column) => `"${column}"`).join(', ');
  const text = `INSERT INTO "${table}" (${names}) VALUES ${Array.from({ length: count }, row).join(', ')} RETURNING "id"`;
  made.set(key, text);
  return text;
}
