/**
 * Statements that run so often that PostgreSQL should read and plan each only once on a connection. They are known by
 * their text, so there may only be as many as the code has.
 */
const names = new Map<string, string>();

export function prepareText(sql: string): string {
  if (!names.has(sql)) names.set(sql, `hot.${names.size}`);
  return sql;
}

/** The name under which a text is prepared, where it is. */
export const preparedName = (sql: string) => names.get(sql);
