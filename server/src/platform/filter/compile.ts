import type { AnyDatabase } from '../storage/database.ts';
import type { ByDatabase } from '../storage/dialect.ts';
import type { Cell, TableShape } from '../storage/shape.ts';
import type { OrderTerm } from './clauses.ts';
import { condition } from './condition.ts';
import { type FilterDialect, postgres, sqlite } from './dialect.ts';
import type { FilterFields } from './fields.ts';
import { listStatement, matchingRows } from './list.ts';
import type { Filter } from './parse.ts';
import { type Base, column, sql } from './sql.ts';
import type { Term } from './term.ts';
import { cutRange } from './time-range.ts';
import type { Where } from './where.ts';

interface CompileOptions {
  /** The end of a time range without an upper end, in epoch milliseconds. */
  readonly now: number;
}

type FilteredStore = Pick<AnyDatabase, 'dialect' | 'foldingCollation'>;

interface CompiledList {
  readonly sql: string;
  readonly cells: readonly Cell[];
  readonly shape: TableShape;
  readonly cost: Cost;
}

/**
 * Compiles the query for the rows of one parent that a filter selects. `base` is the condition that selects the parent.
 */
export function compileList(
  store: FilteredStore,
  table: string,
  fields: FilterFields,
  base: Base,
  filter: Filter,
  options: CompileOptions,
): CompiledList {
  const dialect = filterDialect(store);
  const { near } = filter.where;
  const term = fields.timeRange ? cutRange(filter.where.term, fields.timeRange, options.now) : filter.where.term;
  const statement = listStatement({ dialect, table, fields, base, filter, term });
  return { ...statement, shape: filter.shape, cost: costOf(term, filter.order, near !== undefined) };
}

/** Compiles the count of rows. Unlike a list, it does not cut the time range. */
export function compileCount(
  store: FilteredStore,
  table: string,
  base: Base,
  where: Where,
): { sql: string; cells: readonly Cell[]; cost: Cost } {
  const dialect = filterDialect(store);
  const matching = matchingRows(dialect, base, condition(dialect, table, where.term));
  return {
    ...sql`SELECT count(*) AS "count" FROM ${base.from ?? column(table)} WHERE ${matching}`,
    cost: costOf(where.term, [], where.near !== undefined),
  };
}

const filterDialect = ({ dialect, foldingCollation }: FilteredStore): FilterDialect =>
  dialect.pick(DIALECTS)(foldingCollation);

const DIALECTS: ByDatabase<(foldingCollation: string | undefined) => FilterDialect> = {
  sqlite: () => sqlite,
  postgres,
};

/** `plain`: comparing columns with values decides each row. `search`: a row may cost much more than that. */
type Cost = 'plain' | 'search';

function costOf(term: Term, order: readonly OrderTerm[], near: boolean): Cost {
  if (near || order.some(({ target }) => target.to === 'json')) return 'search';
  return isPlain(term) ? 'plain' : 'search';
}

function isPlain(term: Term): boolean {
  switch (term.term) {
    case 'all':
    case 'any':
      return term.of.every(isPlain);
    case 'not':
      return isPlain(term.of);
    case 'absent':
      return term.target.to !== 'json';
    case 'test':
      return term.operand.from === 'column' && (term.test.is === 'compared' || term.test.is === 'among');
    case 'equalJson':
    case 'within':
      return false;
    default:
      return true;
  }
}
