import type { Engine } from '../storage/database.ts';
import { type Cell, columnsOf, type Shape } from '../storage/shape.ts';
import { condition } from './condition.ts';
import { type Cost, costOf } from './cost.ts';
import { type Dialect, postgres, sqlite } from './dialect.ts';
import { distanceMm } from './distance.ts';
import type { FilterFields } from './fields.ts';
import type { OrderTerm } from './order.ts';
import type { Filter } from './parse.ts';
import { bound, column, joined, type Sql, sql } from './sql.ts';
import { cutRange, rangeOf } from './time-range.ts';
import type { Where } from './where.ts';

export interface CompileOptions {
  /** Epoch milliseconds: where a time range that is open at the top ends. */
  readonly now: number;
  /** PostgreSQL only: the collation that lowers text as Unicode has it, if the server has one. */
  readonly foldCollation?: string;
}

export interface CompiledList {
  readonly sql: string;
  readonly cells: readonly Cell[];
  readonly shape: Shape;
  readonly cost: Cost;
}

/** The rows of one parent that a filter asks for. `base` is the condition that makes them the parent's. */
export function compileList(
  engine: Engine,
  table: string,
  fields: FilterFields,
  base: Sql,
  filter: Filter,
  options: CompileOptions,
): CompiledList {
  const dialect = dialectOf(engine, options);
  const { timeRange } = fields;
  const { near } = filter.where;
  const term = timeRange ? cutRange(filter.where.term, timeRange, options.now) : filter.where.term;
  const matching = conditions(dialect, base, condition(dialect, table, term));
  const nearest = near ? [distanceMm(dialect, near)] : [];
  const orderBy = (byId: string) => joined([...nearest, ...orderTerms(dialect, fields, filter.order, byId)], ', ');
  const columns = filter.shape.length === 0 ? [column('id')] : filter.shape.flatMap(columnsOf).map(column);
  const page = sql`LIMIT ${bound(filter.limit)} OFFSET ${bound(filter.skip)}`;

  const first = filter.order[0]?.target;
  const ranged = timeRange !== undefined && rangeOf(term, timeRange) !== undefined;
  const orderedById = !near && (first === undefined || (first.to === 'column' && first.column === 'id'));
  const orderedByTime = !near && first?.to === 'column' && first.column === timeRange;
  const served = orderedByTime || (orderedById && !ranged);
  const rows = sql`FROM ${column(table)} WHERE ${matching}`;
  // Without an index that has the rows in their order, the ids are found and sorted first and only the rows of the page
  // are read. The plus keeps the engine from walking the parent's rows by id in search of those inside the range.
  const statement =
    served && filter.skip === 0
      ? sql`SELECT ${columns.join(', ')} ${rows} ORDER BY ${orderBy('"id"')} ${page}`
      : sql`SELECT ${columns.join(', ')} FROM ${column(table)} WHERE "id" IN (SELECT "id" ${rows} ORDER BY ${orderBy(ranged ? '+"id"' : '"id"')} ${page}) ORDER BY ${orderBy('"id"')}`;
  return { ...statement, shape: filter.shape, cost: costOf(term, filter.order, near !== undefined) };
}

/** How many rows there are. A time range is not cut here. */
export function compileCount(
  engine: Engine,
  table: string,
  base: Sql,
  where: Where,
  options: Pick<CompileOptions, 'foldCollation'> = {},
): { sql: string; cells: readonly Cell[]; cost: Cost } {
  const dialect = dialectOf(engine, options);
  const matching = conditions(dialect, base, condition(dialect, table, where.term));
  return {
    ...sql`SELECT count(*) AS "count" FROM ${column(table)} WHERE ${matching}`,
    cost: costOf(where.term, [], where.near !== undefined),
  };
}

function dialectOf(engine: Engine, options: Pick<CompileOptions, 'foldCollation'>): Dialect {
  return engine === 'sqlite' ? sqlite : postgres(options.foldCollation);
}

/** The deadline stands first: SQLite looks at the terms from left to right and stops at the first that fails. */
function conditions(dialect: Dialect, base: Sql, wanted: Sql): Sql {
  return joined([...(dialect.deadline ? [dialect.deadline] : []), sql`(${base})`, wanted], ' AND ');
}

function orderTerms(dialect: Dialect, fields: FilterFields, order: readonly OrderTerm[], byId: string): Sql[] {
  const terms: Sql[] = [];
  for (const { target, descending } of order) {
    const direction = descending ? ' DESC' : '';
    const nulls = descending ? dialect.nullsLast : dialect.nullsFirst;
    if (target.to === 'column') {
      if (target.column === 'id') return [...terms, sql`${byId}${direction}`];
      // Saying where nulls go keeps PostgreSQL from using an index, so it is not said where there are none.
      const neverNull = target.column === fields.timeRange;
      terms.push(sql`${column(target.column)}${direction}${neverNull ? '' : nulls}`);
    } else {
      const { column: name, path } = target;
      terms.push(sql`${dialect.jsonRank(name, path)}${direction}`);
      for (const as of ['flag', 'number', 'text'] as const) {
        terms.push(sql`${dialect.jsonValue(name, path, as)}${direction}${nulls}`);
      }
    }
  }
  return [...terms, sql`${byId}`];
}
