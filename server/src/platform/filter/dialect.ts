import { globText, type LikePattern, likeText } from './pattern.ts';
import type { Regexp } from './regexp.ts';
import { postgresText, re2Text } from './regexp-text.ts';
import { bound, column, joined, type Sql, sql } from './sql.ts';

type JsonType = 'number' | 'text' | 'flag';

/** The SQL that differs between the two engines. */
export interface FilterDialect {
  /** Whether the engine has statistics of values to choose between indexes. */
  readonly hasStatistics: boolean;
  /**
   * True while time is left. It is evaluated for about one row in 500, because one check costs as much as many rows.
   */
  readonly deadline: Sql | undefined;
  like(value: Sql, pattern: LikePattern): Sql;
  matched(value: Sql, by: Regexp): Sql;
  /** The value at a path if it has that type, else NULL. */
  jsonValue(name: string, path: readonly string[], as: JsonType): Sql;
  jsonAbsent(name: string, path: readonly string[]): Sql;
  jsonEqual(name: string, path: readonly string[], json: string): Sql;
  /**
   * 0 for values without an order, then flags, numbers, texts: inside JSON only values of the same type have an order.
   */
  jsonRank(name: string, path: readonly string[]): Sql;
  /** True if any element of a list of texts satisfies the condition. */
  anyElement(table: string, name: string, condition: (element: Sql) => Sql): Sql;
  least(a: Sql, b: Sql): Sql;
  /** A number with an explicit type: PostgreSQL could infer another one for a bare placeholder. */
  number(value: number): Sql;
  /** Nulls sort first ascending and last descending, as SQLite does by default. */
  readonly nullsFirst: string;
  readonly nullsLast: string;
}

const sqlitePath = (path: readonly string[]) => bound(`$${path.map((key) => `."${key}"`).join('')}`);

export const sqlite: FilterDialect = {
  hasStatistics: false,
  // 509 is prime, because the ids of one parent may share their low bits: with 64 devices that report in turn, each
  // gets every 64th id.
  deadline: { sql: '("id" % 509 <> 0 OR within_deadline())', cells: [] },
  like: (value, pattern) =>
    pattern.folded
      ? sql`text_lower(${value}) GLOB ${bound(globText(pattern))}`
      : sql`${value} GLOB ${bound(globText(pattern))}`,
  matched: (value, by) => sql`re2_match(${bound(re2Text(by))}, '', ${value})`,
  jsonValue(name, path, as) {
    const at = sqlitePath(path);
    const type = sql`json_type(${column(name)}, ${at})`;
    if (as === 'flag') return sql`CASE ${type} WHEN 'true' THEN 1 WHEN 'false' THEN 0 END`;
    const types = as === 'number' ? `'integer', 'real'` : `'text'`;
    return sql`CASE WHEN ${type} IN (${types}) THEN json_extract(${column(name)}, ${at}) END`;
  },
  jsonAbsent: (name, path) => sql`coalesce(json_type(${column(name)}, ${sqlitePath(path)}), 'null') = 'null'`,
  jsonEqual: (name, path, json) => sql`json_equal(${column(name)} -> ${sqlitePath(path)}, ${bound(json)})`,
  jsonRank: (name, path) =>
    sql`CASE json_type(${column(name)}, ${sqlitePath(path)}) WHEN 'true' THEN 1 WHEN 'false' THEN 1 WHEN 'integer' THEN 2 WHEN 'real' THEN 2 WHEN 'text' THEN 3 ELSE 0 END`,
  anyElement: (table, name, condition) =>
    sql`EXISTS (SELECT 1 FROM json_each(${column(table)}.${column(name)}) AS "element" WHERE ${condition({ sql: '"element"."value"', cells: [] })})`,
  least: (a, b) => sql`min(${a}, ${b})`,
  number: bound,
  nullsFirst: '',
  nullsLast: '',
};

/**
 * @param foldingCollation the collation whose lower() folds all of Unicode; without one only ASCII is folded.
 */
export function postgres(foldingCollation: string | undefined): FilterDialect {
  const inside = (name: string, path: readonly string[]) =>
    joined([{ sql: column(name), cells: [] }, ...path.map((key) => sql`CAST(${bound(key)} AS text)`)], ' -> ');
  const typeOf = (name: string, path: readonly string[]) => sql`jsonb_typeof(${inside(name, path)})`;
  return {
    hasStatistics: true,
    deadline: undefined,
    like(value, pattern) {
      if (!pattern.folded) return sql`${value} LIKE ${bound(likeText(pattern))} ESCAPE '\\'`;
      const lowered = foldingCollation
        ? sql`lower(${value} COLLATE ${column(foldingCollation)})`
        : sql`lower(${value})`;
      return sql`${lowered} COLLATE "C" LIKE ${bound(likeText(pattern))} ESCAPE '\\'`;
    },
    matched: (value, by) => sql`${value} COLLATE "C" ~ ${bound(postgresText(by))}`,
    jsonValue(name, path, as) {
      const [type, value] = [typeOf(name, path), inside(name, path)];
      if (as === 'number') return sql`CASE WHEN ${type} = 'number' THEN CAST((${value}) AS numeric) END`;
      if (as === 'text') return sql`(CASE WHEN ${type} = 'string' THEN (${value}) #>> '{}' END) COLLATE "C"`;
      return sql`CASE WHEN ${type} = 'boolean' THEN CASE WHEN (${value}) = 'true'::jsonb THEN 1 ELSE 0 END END`;
    },
    jsonAbsent: (name, path) => sql`coalesce(${typeOf(name, path)}, 'null') = 'null'`,
    jsonEqual: (name, path, json) => sql`(${inside(name, path)}) = CAST(${bound(json)} AS jsonb)`,
    jsonRank: (name, path) =>
      sql`CASE ${typeOf(name, path)} WHEN 'boolean' THEN 1 WHEN 'number' THEN 2 WHEN 'string' THEN 3 ELSE 0 END`,
    anyElement: (table, name, condition) =>
      sql`EXISTS (SELECT 1 FROM jsonb_array_elements_text(${column(table)}.${column(name)}) AS "element"("value") WHERE ${condition({ sql: '"element"."value" COLLATE "C"', cells: [] })})`,
    least: (a, b) => sql`least(${a}, ${b})`,
    number: (value) => sql`CAST(${bound(value)} AS double precision)`,
    nullsFirst: ' NULLS FIRST',
    nullsLast: ' NULLS LAST',
  };
}
