import { columnsOf } from '../storage/shape.ts';
import { condition } from './condition.ts';
import type { Dialect } from './dialect.ts';
import type { FilterFields } from './fields.ts';
import { orderBy } from './order-by.ts';
import type { Filter } from './parse.ts';
import { bound, column, joined, type Sql, sql } from './sql.ts';
import type { Term } from './term.ts';
import { rangeOf } from './time-range.ts';

export interface List {
  readonly dialect: Dialect;
  readonly table: string;
  readonly fields: FilterFields;
  readonly base: Sql;
  readonly filter: Filter;
  /** The condition of the filter, its time range cut. */
  readonly term: Term;
}

/** Up to so many rows, reading and sorting all that an index finds takes no longer than a few milliseconds. */
const few = 20_000;
/** So many rows are read in the order asked for before another way is taken. */
const attempt = 5_000;

/**
 * A list, written so that the engine takes the index that serves it. In the order of an index, rows are read until the
 * page is full. Otherwise the ids are found and sorted first, and only the rows of the page are read.
 */
export function listStatement(list: List): Sql {
  const { dialect, table, fields, filter, term } = list;
  const leading = leadingColumn(filter);
  const ranged = fields.timeRange !== undefined && rangeOf(term, fields.timeRange) !== undefined;
  const byTime = leading !== undefined && leading === fields.timeRange;
  const byId = leading === 'id';
  const shown = filter.shape.length === 0 ? [column('id')] : filter.shape.flatMap(columnsOf).map(column);
  const select = sql`SELECT ${shown.join(', ')} FROM ${column(table)}`;
  if (dialect.engine === 'sqlite' && (byTime || (byId && ranged))) {
    const ways = waysTo(list, byId);
    if (ways.length > 1) return chosen(select, list, ways);
  }
  const page = sql`LIMIT ${bound(filter.limit)} OFFSET ${bound(filter.skip)}`;
  const served = byTime || (byId && !ranged);
  const order = orderBy(dialect, fields, filter);
  if (served && filter.skip === 0) return sql`${select} WHERE ${matching(list)} ORDER BY ${order} ${page}`;
  return sql`${select} WHERE "id" IN (${ids(list, { sorted: !served })} ${page}) ORDER BY ${order}`;
}

/** The condition of a list. The deadline stands first: a term is not looked at once another before it failed. */
export function matchingRows(dialect: Dialect, base: Sql, wanted: Sql): Sql {
  return joined([...(dialect.deadline ? [dialect.deadline] : []), sql`(${base})`, wanted], ' AND ');
}

/** The column that the rows are ordered by before anything else, if it is a column. */
function leadingColumn({ where, order }: Filter): string | undefined {
  if (where.near) return undefined;
  const target = order[0]?.target;
  if (!target) return 'id';
  return target.to === 'column' ? target.column : undefined;
}

interface How {
  /** Not to be walked in the order asked for, which would mean to read rows that are not wanted. */
  readonly sorted?: boolean;
  /** Columns that the rows are not to be found by. */
  readonly aside?: readonly string[];
  /** In place of the whole table. */
  readonly from?: Sql;
}

function matching({ dialect, table, base, term }: List, aside: readonly string[] = []): Sql {
  return matchingRows(dialect, base, condition(dialect, table, term, aside));
}

function ids(list: List, { sorted = false, aside = [], from }: How): Sql {
  const order = orderBy(list.dialect, list.fields, list.filter, sorted);
  return sql`SELECT "id" FROM ${from ?? column(list.table)} WHERE ${matching(list, aside)} ORDER BY ${order}`;
}

/** A way to find the ids of the page, good where `when` holds, or else as the last. */
interface Way {
  readonly when?: Sql;
  readonly ids: Sql;
}

/**
 * SQLite knows nothing of how values are spread, so it is told to look before it chooses: a value that few rows have is
 * looked up by its index; rows that are met soon in the order asked for are walked to; else a time range is gathered.
 */
function waysTo(list: List, byId: boolean): Way[] {
  const { dialect, table, fields, base, filter } = list;
  const equality = indexedEquality(list.term, fields);
  const ways: Way[] = [];
  const source = equality ? sql`(${base}) AND ${condition(dialect, table, equality.term)}` : sql`(${base})`;
  if (equality) {
    const some = sql`SELECT 1 FROM ${column(table)} WHERE ${source} LIMIT ${bound(few + 1)}`;
    const looked = ids(list, { sorted: true, aside: [fields.timeRange!] });
    ways.push({ when: sql`(SELECT count(*) FROM (${some})) <= ${bound(few)}`, ids: looked });
  }
  const wanted = filter.limit + filter.skip;
  if (byId && wanted <= few) {
    const order = orderBy(dialect, fields, filter);
    const first = sql`SELECT * FROM ${column(table)} WHERE ${source} ORDER BY ${order} LIMIT ${bound(attempt + 2 * wanted)}`;
    const from = sql`(${first}) AS ${column(table)}`;
    const met = sql`SELECT 1 FROM ${from} WHERE ${matching(list)} LIMIT ${bound(wanted)}`;
    ways.push({ when: sql`(SELECT count(*) FROM (${met})) = ${bound(wanted)}`, ids: ids(list, { from }) });
  }
  ways.push({ ids: ids(list, { sorted: byId, aside: equality ? [equality.column] : [] }) });
  return ways;
}

/** Nothing is read for the ways not taken: the page of each of them is empty. */
function chosen(select: Sql, { dialect, fields, filter }: List, ways: readonly Way[]): Sql {
  const cases = ways.flatMap(({ when }, i) => (when ? [sql`WHEN ${when} THEN ${String(i)}`] : []));
  const taken = sql`SELECT CASE ${joined(cases, ' ')} ELSE ${String(ways.length - 1)} END`;
  const pages = ways.map((way, i) => {
    const limit = sql`CASE (SELECT "way" FROM "taken") WHEN ${String(i)} THEN ${bound(filter.limit)} ELSE 0 END`;
    return sql`SELECT "id" FROM (${way.ids} LIMIT ${limit} OFFSET ${bound(filter.skip)})`;
  });
  const order = orderBy(dialect, fields, filter);
  return sql`WITH "taken"("way") AS MATERIALIZED (${taken}) ${select} WHERE "id" IN (${joined(pages, ' UNION ALL ')}) ORDER BY ${order}`;
}

interface Equality {
  readonly column: string;
  readonly term: Term;
}

/** A condition at the top or inside `and` that an index on (parent, field, id) answers. */
function indexedEquality(term: Term, fields: FilterFields): Equality | undefined {
  if (term.term === 'all') return term.of.map((one) => indexedEquality(one, fields)).find((one) => one !== undefined);
  if (term.term !== 'test' || term.operand.from !== 'column') return undefined;
  if (term.test.is !== 'compared' || term.test.sign !== '=') return undefined;
  const name = term.operand.column;
  return fields.indexed?.includes(name) ? { column: name, term } : undefined;
}
