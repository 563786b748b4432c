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
