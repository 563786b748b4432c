import { columnsOf } from '../storage/shape.ts';
import type { OrderTerm } from './clauses.ts';
import { condition, distanceMm } from './condition.ts';
import type { FilterDialect } from './dialect.ts';
import type { FilterFields } from './fields.ts';
import type { Filter } from './parse.ts';
import { type Base, bound, column, joined, type Sql, sql } from './sql.ts';
import type { Term } from './term.ts';
import { isRangeOnly, rangeOf, type TimeRange } from './time-range.ts';

interface List {
  readonly dialect: FilterDialect;
  readonly table: string;
  readonly fields: FilterFields;
  readonly base: Base;
  readonly filter: Filter;
  /** The condition of the filter, with its time range cut. */
  readonly term: Term;
}

/** Up to this many rows, reading and sorting all rows that an index finds takes only a few milliseconds. */
const few = 20_000;
/** This many rows at each end of a time range show which ids it covers, even if some were reported late. */
const sample = 100;

/**
 * Compiles a list so that the engine uses the right index. In index order, rows are read until the page is full.
 * Otherwise the ids are found and sorted first, and only the rows of the page are read.
 */
export function listStatement(list: List): Sql {
  const { dialect, fields, filter, term } = list;
  const leading = leadingColumn(filter, fields);
  const range = fields.timeRange ? rangeOf(term, fields.timeRange) : undefined;
  const byTime = leading !== undefined && leading === fields.timeRange;
  const byId = leading === 'id' && !fields.isIdUnindexed;
  const shown = filter.shape.length === 0 ? [column('id')] : filter.shape.flatMap(columnsOf).map(column);
  const select = sql`SELECT ${shown.join(', ')} FROM ${source(list)}`;
  if (!dialect.hasStatistics && byTime) {
    const ways = waysByTime(list);
    if (ways.length > 1) return chosen(select, list, ways);
  }
  if (!dialect.hasStatistics && byId && range) return chosen(select, list, waysById(list, range));
  const page = sql`LIMIT ${bound(filter.limit)} OFFSET ${bound(filter.skip)}`;
  const served = byTime || (byId && !range);
  const order = orderBy(dialect, fields, filter);
  if (served && filter.skip === 0) return sql`${select} WHERE ${matching(list)} ORDER BY ${order} ${page}`;
  return sql`${select} WHERE "id" IN (${ids(list, { sorted: !served })} ${page}) ORDER BY ${order}`;
}

/** The condition of a list. The deadline comes first, because a term is not evaluated once an earlier one is false. */
export function matchingRows(dialect: FilterDialect, base: Sql, wanted: Sql): Sql {
  return joined([...(dialect.deadline ? [dialect.deadline] : []), sql`(${base})`, wanted], ' AND ');
}

/** Returns the first column of the sort order, unless the order starts with something else. */
function leadingColumn({ where, order }: Filter, fields: FilterFields): string | undefined {
  if (where.near) return undefined;
  const target = order[0]?.target;
  if (!target) return fields.isByTime ? fields.timeRange : 'id';
  return target.to === 'column' ? target.column : undefined;
}

interface How {
  /** Sort the rows found instead of scanning in the requested order, which would read rows that do not match. */
  readonly sorted?: boolean;
  /** Columns whose index must not be used. */
  readonly aside?: readonly string[];
  /** A condition in addition to that of the list. */
  readonly and?: Sql;
}

const source = ({ base, table }: List): Sql | string => base.from ?? column(table);

function matching({ dialect, table, base, term }: List, aside: readonly string[] = []): Sql {
  return matchingRows(dialect, base, condition(dialect, table, term, aside));
}

function ids(list: List, { sorted = false, aside = [], and }: How): Sql {
  const order = orderBy(list.dialect, list.fields, list.filter, sorted);
  const wanted = and ? sql`${matching(list, aside)} AND ${and}` : matching(list, aside);
  return sql`SELECT "id" FROM ${source(list)} WHERE ${wanted} ORDER BY ${order}`;
}

/** One way to find the ids of the page. It is chosen if `when` is true, or if it is the last. */
interface Way {
  readonly when?: Sql;
  readonly ids: Sql;
}

/**
 * SQLite has no statistics of values, so the statement itself counts rows before it chooses a way. In the order of
 * time, a value that few rows have is looked up by its index; otherwise rows are scanned in order.
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
 * Ways to list a time range in the order of ids. The indexes in that order contain the time, so rows before the range
 * are skipped without being read. This is chosen if they are fewer than the rows of the range, or if few rows have the
 * value asked for. Otherwise all rows of the range are read and sorted.
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

function isRare(list: List, { term }: Equality): Sql {
  const { dialect, table, base } = list;
  const having = sql`(${base}) AND ${condition(dialect, table, term)}`;
  const some = sql`SELECT 1 FROM ${source(list)} WHERE ${having} LIMIT ${bound(few + 1)}`;
  return sql`(SELECT count(*) FROM (${some})) <= ${bound(few)}`;
}

/**
 * Whether the range is no further from the first id of the scan than the range is long; an estimate from the ids at its
 * ends.
 */
function isSoon(list: List, range: TimeRange): Sql {
  const { base, filter, term, fields } = list;
  const oldest = sql`(SELECT min("id") FROM (${endOf(list, range, 'ASC', sample)}))`;
  const newest = sql`(SELECT max("id") FROM (${endOf(list, range, 'DESC', sample)}))`;
  const parent = (extreme: string) => sql`(SELECT ${extreme}("id") FROM ${source(list)} WHERE ${base})`;
  const distance = isDescending(filter) ? sql`${parent('max')} - ${newest}` : sql`${oldest} - ${parent('min')}`;
  // If the condition needs more than the time, sorting reads every row of the range, so a longer scan is worth it.
  const patience = isRangeOnly(term, fields.timeRange!) ? 1 : 4;
  return sql`${distance} <= ${bound(patience)} * (${newest} - ${oldest})`;
}

/**
 * The first limit + skip rows of the range by time bound the ids of the page, so ids beyond them need not be sorted.
 */
function furthest(list: List, range: TimeRange): Sql | undefined {
  const { fields, filter, term } = list;
  if (!isRangeOnly(term, fields.timeRange!)) return undefined;
  const [direction, extreme, sign] = isDescending(filter) ? ['DESC', 'min', '>='] : ['ASC', 'max', '<='];
  const end = endOf(list, range, direction, filter.limit + filter.skip);
  return sql`+"id" ${sign} (SELECT ${extreme}("id") FROM (${end}))`;
}

/** The first or last rows of a time range. */
function endOf(list: List, range: TimeRange, direction: string, rows: number): Sql {
  const { fields, base } = list;
  const time = column(fields.timeRange!);
  const within = sql`${time} >= ${bound(range.from)} AND ${time} <= ${bound(range.to)}`;
  return sql`SELECT "id" FROM ${source(list)} WHERE (${base}) AND ${within} ORDER BY ${time} ${direction} LIMIT ${bound(rows)}`;
}

function isDescending({ order }: Filter): boolean {
  return order[0]?.descending ?? false;
}

/** The ways not chosen get a limit of 0, so they read nothing. */
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

/** Finds a condition at the top or inside `and` that an index on (parent, field, id, time) can answer. */
function indexedEquality(term: Term, fields: FilterFields): Equality | undefined {
  if (term.term === 'all') return term.of.map((one) => indexedEquality(one, fields)).find((one) => one !== undefined);
  if (term.term !== 'test' || term.operand.from !== 'column') return undefined;
  if (term.test.is !== 'compared' || term.test.sign !== '=') return undefined;
  const name = term.operand.column;
  return fields.indexed?.includes(name) ? { column: name, term } : undefined;
}

/**
 * Sorts by distance if a place is given, then by the requested order or that of the table, then by id. Nulls come first ascending and last
 * descending. `sorted` keeps the engine from scanning an index in this order.
 */
function orderBy(dialect: FilterDialect, fields: FilterFields, filter: Filter, sorted = false): Sql {
  const nearest = filter.where.near ? [distanceMm(dialect, filter.where.near)] : [];
  const isUnordered = filter.order.length === 0 && nearest.length === 0;
  const byTime = isUnordered && fields.isByTime ? [sql`${sorted ? '+' : ''}${column(fields.timeRange!)}`] : [];
  return joined([...nearest, ...byTime, ...orderTerms(dialect, fields, filter.order, sorted ? '+' : '')], ', ');
}

function orderTerms(dialect: FilterDialect, fields: FilterFields, order: readonly OrderTerm[], plus: string): Sql[] {
  const terms: Sql[] = [];
  for (const { target, descending } of order) {
    const direction = descending ? ' DESC' : '';
    const nulls = descending ? dialect.nullsLast : dialect.nullsFirst;
    if (target.to === 'column') {
      if (target.column === 'id') return [...terms, sql`${plus}"id"${direction}`];
      // A NULLS clause keeps PostgreSQL from using an index, so a column without nulls has none.
      if (target.column === fields.timeRange) terms.push(sql`${plus}${column(target.column)}${direction}`);
      else terms.push(sql`${column(target.column)}${direction}${nulls}`);
      continue;
    }
    const { column: name, path } = target;
    terms.push(sql`${dialect.jsonRank(name, path)}${direction}`);
    for (const as of ['flag', 'number', 'text'] as const) {
      terms.push(sql`${dialect.jsonValue(name, path, as)}${direction}${nulls}`);
    }
  }
  return [...terms, sql`${plus}"id"`];
}
