import type { Base as Scope, Sql } from './filter/sql.ts';
import type { TimeRange } from './filter/time-range.ts';
import type { Row, TableShape } from './storage/shape.ts';

/** Packed rows of a table. Lists, counts and lookups work as if all rows were in the table. */
export interface PackedRows {
  /** The time range of a scope's packed rows that overlap a range; undefined if there are none. */
  within(scope: Scope, range: TimeRange): Promise<PackedSpan | undefined>;
  /** Read in place of the table, for a statement that `search` runs. */
  source(scope: Scope): Sql;
  /** Fails like a search of the database. */
  search(scope: Scope, search: PackedSearch, owner: string): Promise<string>;
  find(scope: Scope, id: number): Promise<Row | undefined>;
}

export interface PackedSpan {
  readonly first: number;
  readonly last: number;
}

/** A statement that reads from the source. That of a list also reads ids. */
export interface PackedSearch extends Sql {
  /** The presented columns of each row. */
  readonly shape: TableShape;
  /** Maximum number of presented rows; a line after the text then contains the number, with `+` if there were more. */
  readonly most?: number;
  readonly range: TimeRange;
  /** Rows are ordered by time, and `most` are enough: later ones need not be read. */
  readonly direction?: 'ascending' | 'descending';
  readonly enough?: number;
}
