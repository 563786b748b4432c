import type { Cell } from '../storage/shape.ts';

/** A fragment of SQL with its values: one `?` per cell, in order, and no other `?`. */
export interface Sql {
  readonly sql: string;
  readonly cells: readonly Cell[];
}

/** The condition that selects the rows of a parent. */
export interface Base extends Sql {
  /** Read in place of the table, under the table's name: its rows with computed columns. */
  readonly from?: Sql;
}

/** Joins a template: each fragment is inserted with its cells. */
export function sql(texts: TemplateStringsArray, ...pieces: (Sql | string)[]): Sql {
  let text = texts[0]!;
  const cells: Cell[] = [];
  for (const [i, piece] of pieces.entries()) {
    if (typeof piece === 'string') text += piece;
    else {
      text += piece.sql;
      cells.push(...piece.cells);
    }
    text += texts[i + 1]!;
  }
  return { sql: text, cells };
}

export function bound(cell: Cell): Sql {
  return { sql: '?', cells: [cell] };
}

export function joined(pieces: readonly Sql[], separator: string): Sql {
  return { sql: pieces.map((piece) => piece.sql).join(separator), cells: pieces.flatMap((piece) => piece.cells) };
}

/** Quotes a column of the fixed map of fields; no other names reach SQL. */
export function column(name: string): string {
  return `"${name}"`;
}
