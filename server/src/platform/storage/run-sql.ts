import { CompiledQuery } from 'kysely';
import type { AnyQuery } from './database.ts';
import { dialectOf, SQLITE, type SqlText, textFor } from './dialect.ts';
import type { Cell } from './shape.ts';

/** Strings, quoted names and comments, where a question mark means itself; then what a placeholder looks like. */
const TOKEN = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\$\d+|\?/g;

/**
 * PostgreSQL's `$1, $2` in place of `?`. SQL that has numbered placeholders already, as Kysely compiles it, stays
 * unchanged. In SQL with `?` the JSONB operator of that name is written `jsonb_exists()`.
 */
export function numberPlaceholders(sql: string): string {
  let count = 0;
  let numbered = false;
  const replaced = sql.replace(TOKEN, (token) => {
    if (token.startsWith('$')) numbered = true;
    if (token !== '?') return token;
    count += 1;
    return `$${count}`;
  });
  return numbered ? sql : replaced;
}

/** Runs SQL with `?` placeholders within a transaction or by itself. */
export async function runSql<R>(on: AnyQuery, sql: SqlText, cells: readonly Cell[]): Promise<R[]> {
  const dialect = dialectOf(on);
  const given = textFor(dialect, sql);
  const text = dialect === SQLITE ? given : numberPlaceholders(given);
  return (await on.executeQuery<R>(CompiledQuery.raw(text, [...cells]))).rows;
}

/**
 * Statements that run so often that PostgreSQL should parse and plan each only once per connection. They are identified
 * by their text, so only texts that are constant in the code belong here.
 */
const names = new Map<string, string>();

export function prepareText(sql: string): string {
  if (!names.has(sql)) names.set(sql, `hot.${names.size}`);
  return sql;
}

/** Returns the name under which a text is prepared; undefined if it is not. */
export const preparedName = (sql: string) => names.get(sql);

/**
 * A name identifies one statement. PostgreSQL refuses a second one under the same name, so both engines refuse it right
 * away.
 */
export function statementNames(): (name: string, sql: string) => void {
  const taken = new Map<string, string>();
  return (name, sql) => {
    if ((taken.get(name) ?? sql) !== sql) throw new Error(`The name ${name} is already used for another statement.`);
    taken.set(name, sql);
  };
}
