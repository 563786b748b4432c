import type { Base as Scope, Sql } from './filter/sql.ts';
import type { TimeRange } from './filter/time-range.ts';
import type { Row, TableShape } from './storage/shape.ts';

/** Rows of a table that are stored packed. Whoever lists, counts or finds rows is answered as if all were in the table. */
export interface PackedRows {
  /** From when to when rows of a scope are packed that reach into a range of time; undefined where there are none. */
  within(scope: Scope, range: TimeRange): Promise<PackedSpan | undefined>;
  /** What is read in place of the table, for a statement that `search` runs. */
  source(scope: Scope): Sql;
  /** Fails as the search of a database does. */
  search(scope: Scope, search: PackedSearch, owner: string): Promise<string>;
  find(scope: Scope, id: number): Promise<Row | undefined>;
}

export interface PackedSpan {
  readonly first: number;
  readonly last: number;
}

/** A statement that reads from the source. That of a list also reads ids. */
export interface PackedSearch extends Sql {
  /** What is shown of each row. */
  readonly shape: TableShape;
  /** At most so many rows are presented; a line behind the text then says how many, and `+` if there were more. */
  readonly most?: number;
  readonly range: TimeRange;
  /** Rows come in the order of their time, and so many are enough: what lies behind these need not be looked at. */
  readonly direction?: 'ascending' | 'descending';
  readonly enough?: number;
}
