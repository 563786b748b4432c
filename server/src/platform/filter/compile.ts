import type { Cell, TableShape } from '../storage/shape.ts';
import type { StoreKind } from '../storage/store-kind.ts';
import { condition } from './condition.ts';
import { type Cost, costOf } from './cost.ts';
import { type Dialect, postgres, sqlite } from './dialect.ts';
import type { FilterFields } from './fields.ts';
import { listStatement, matchingRows } from './list.ts';
import type { Filter } from './parse.ts';
import { type Base, column, sql } from './sql.ts';
import { cutRange } from './time-range.ts';
import type { Where } from './where.ts';

export interface CompileOptions {
  /** Epoch milliseconds at which a time range without an upper end is cut. */
  readonly now: number;
  /** PostgreSQL only: the collation whose `lower()` follows Unicode, if the server has one. */
  readonly foldingCollation?: string;
}

export interface CompiledList {
  readonly sql: string;
  readonly cells: readonly Cell[];
  readonly shape: TableShape;
  readonly cost: Cost;
}

/**
 * Compiles the query for the rows of one parent that a filter selects. `base` is the condition that selects the parent.
 */
export function compileList(
  storeKind: StoreKind,
  table: string,
  fields: FilterFields,
  base: Base,
  filter: Filter,
  options: CompileOptions,
): CompiledList {
  const dialect = dialectOf(storeKind, options);
  const { near } = filter.where;
  const term = fields.timeRange ? cutRange(filter.where.term, fields.timeRange, options.now) : filter.where.term;
  const statement = listStatement({ dialect, table, fields, base, filter, term });
  return { ...statement, shape: filter.shape, cost: costOf(term, filter.order, near !== undefined) };
}

/** Compiles the count of rows. Unlike a list, it does not cut the time range. */
export function compileCount(
  storeKind: StoreKind,
  table: string,
  base: Base,
  where: Where,
  options: Pick<CompileOptions, 'foldingCollation'> = {},
): { sql: string; cells: readonly Cell[]; cost: Cost } {
  const dialect = dialectOf(storeKind, options);
  const matching = matchingRows(dialect, base, condition(dialect, table, where.term));
  return {
    ...sql`SELECT count(*) AS "count" FROM ${base.from ?? column(table)} WHERE ${matching}`,
    cost: costOf(where.term, [], where.near !== undefined),
  };
}

function dialectOf(storeKind: StoreKind, options: Pick<CompileOptions, 'foldingCollation'>): Dialect {
  return storeKind === 'sqlite' ? sqlite : postgres(options.foldingCollation);
}
