import { columnsOf } from '../storage/shape.ts';
import { condition } from './condition.ts';
import type { Dialect } from './dialect.ts';
import type { FilterFields } from './fields.ts';
import { orderBy } from './order-by.ts';
import type { Filter } from './parse.ts';
import { bound, column, joined, type Sql, sql } from './sql.ts';
import type { Term } from './term.ts';
import { isRangeOnly, rangeOf, type TimeRange } from './time-range.ts';

export interface List {
  readonly dialect: Dialect;
  readonly table: string;
  readonly fields: FilterFields;
  readonly base: Sql;
  readonly filter: Filter;
  /** The condition of the filter, its time range cut. */
  readonly term: Term;
}

/** Up to this many rows, reading and sorting all that an index finds takes no more than a few milliseconds. */
const few = 20_000;
/** This many rows at either end of a time range tell where among the ids it lies, even if some came late. */
const sample = 100;

/**
 * A list, written so that the engine takes the index that serves it. In the order of an index, rows are read until the
 * page is full. Otherwise the ids are found and sorted first, and only the rows of the page are read.
 */
export function listStatement(list: List): Sql {
  const { dialect, table, fields, filter, term } = list;
  const leading = leadingColumn(filter);
  const range = fields.timeRange ? rangeOf(term, fields.timeRange) : undefined;
  const byTime = leading !== undefined && leading === fields.timeRange;
  const byId = leading === 'id';
  const shown = filter.shape.length === 0 ? [column('id')] : filter.shape.flatMap(columnsOf).map(column);
  const select = sql`SELECT ${shown.join(', ')} FROM ${column(table)}`;
  if (dialect.storeKind === 'sqlite' && byTime) {
    const ways = waysByTime(list);
    if (ways.length > 1) return chosen(select, list, ways);
  }
  if (dialect.storeKind === 'sqlite' && byId && range) return chosen(select, list, waysById(list, range));
  const page = sql`LIMIT ${bound(filter.limit)} OFFSET ${bound(filter.skip)}`;
  const served = byTime || (byId && !range);
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
  /** A condition beside that of the list. */
  readonly and?: Sql;
}

function matching({ dialect, table, base, term }: List, aside: readonly string[] = []): Sql {
  return matchingRows(dialect, base, condition(dialect, table, term, aside));
}

function ids(list: List, { sorted = false, aside = [], and }: How): Sql {
  const order = orderBy(list.dialect, list.fields, list.filter, sorted);
  const wanted = and ? sql`${matching(list, aside)} AND ${and}` : matching(list, aside);
  return sql`SELECT "id" FROM ${column(list.table)} WHERE ${wanted} ORDER BY ${order}`;
}

/** A way to find the ids of the page, good where `when` holds, or else as the last. */
interface Way {
  readonly when?: Sql;
  readonly ids: Sql;
}

/**
 * SQLite knows nothing of how values are spread, so it is told to look before it chooses. In the order of time, a value
 * that few rows have is looked up by its index; else rows are walked to.
 */
function waysByTime(list: List): Way[] {
  const equality = indexedEquality(list.term, list.fields);
  if (!equality) return [{ ids: ids(list, {}) }];
  return [
    { when: isRare(list, equality), ids: ids(list, { sorted: true, aside: [list.fields.timeRange!] }) },
    { ids: ids(list, { aside: [equality.column] }) },
  ];
}

/**
 * A time range in the order of ids. The indexes in that order have the time in them, so that rows before the range are
 * passed by without being read: they are walked past if they are fewer than the rows of the range, or the few that have
 * a certain value. Else the range is gathered and sorted.
 */
function waysById(list: List, range: TimeRange): Way[] {
  const time = list.fields.timeRange!;
  const equality = indexedEquality(list.term, list.fields);
  const soon = isSoon(list, range);
  return [
    { when: equality ? sql`${soon} OR ${isRare(list, equality)}` : soon, ids: ids(list, { aside: [time] }) },
    { ids: ids(list, { sorted: true, aside: equality ? [equality.column] : [], and: furthest(list, range) }) },
  ];
}

function isRare({ dialect, table, base }: List, { term }: Equality): Sql {
  const source = sql`(${base}) AND ${condition(dialect, table, term)}`;
  const some = sql`SELECT 1 FROM ${column(table)} WHERE ${source} LIMIT ${bound(few + 1)}`;
  return sql`(SELECT count(*) FROM (${some})) <= ${bound(few)}`;
}

/** Whether the range is no further from the id where the walk begins than it is long; a guess, from the ids at its ends. */
function isSoon(list: List, range: TimeRange): Sql {
  const { table, base, filter, term, fields } = list;
  const oldest = sql`(SELECT min("id") FROM (${endOf(list, range, 'ASC', sample)}))`;
  const newest = sql`(SELECT max("id") FROM (${endOf(list, range, 'DESC', sample)}))`;
  const parent = (extreme: string) => sql`(SELECT ${extreme}("id") FROM ${column(table)} WHERE ${base})`;
  const distance = isDescending(filter) ? sql`${parent('max')} - ${newest}` : sql`${oldest} - ${parent('min')}`;
  // Where more than the time must be known, every row of a range that is gathered is read: worth a longer walk.
  const patience = isRangeOnly(term, fields.timeRange!) ? 1 : 4;
  return sql`${distance} <= ${bound(patience)} * (${newest} - ${oldest})`;
}

/** No row of the page is beyond all of as many rows of the range: what is, need not be sorted. */
function furthest(list: List, range: TimeRange): Sql | undefined {
  const { fields, filter, term } = list;
  if (!isRangeOnly(term, fields.timeRange!)) return undefined;
  const [direction, extreme, sign] = isDescending(filter) ? ['DESC', 'min', '>='] : ['ASC', 'max', '<='];
  const end = endOf(list, range, direction, filter.limit + filter.skip);
  return sql`+"id" ${sign} (SELECT ${extreme}("id") FROM (${end}))`;
}

/** The first rows of a time range, or the last. */
function endOf({ table, fields, base }: List, range: TimeRange, direction: string, rows: number): Sql {
  const time = column(fields.timeRange!);
  const within = sql`${time} >= ${bound(range.from)} AND ${time} <= ${bound(range.to)}`;
  return sql`SELECT "id" FROM ${column(table)} WHERE (${base}) AND ${within} ORDER BY ${time} ${direction} LIMIT ${bound(rows)}`;
}

function isDescending({ order }: Filter): boolean {
  return order[0]?.descending ?? false;
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

/** A condition at the top or inside `and` that an index on (parent, field, id, time) answers. */
function indexedEquality(term: Term, fields: FilterFields): Equality | undefined {
  if (term.term === 'all') return term.of.map((one) => indexedEquality(one, fields)).find((one) => one !== undefined);
  if (term.term !== 'test' || term.operand.from !== 'column') return undefined;
  if (term.test.is !== 'compared' || term.test.sign !== '=') return undefined;
  const name = term.operand.column;
  return fields.indexed?.includes(name) ? { column: name, term } : undefined;
}
