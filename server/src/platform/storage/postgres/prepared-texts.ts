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
