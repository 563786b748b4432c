import { DatabaseSync } from 'node:sqlite';
import type { Cell } from '../shape.ts';

/** At most this many rows, or about this much text, are in memory and in one transaction of the target. */
const SLICE_ROWS = 2000;
const SLICE_CHARACTERS = 4_000_000;

interface SourceSlice {
  readonly rows: readonly (readonly Cell[])[];
  /** The row id of the last one. */
  readonly last: number;
}

/** An SQLite database that is read as one consistent snapshot and never written. */
export interface MoveSource {
  readonly tables: readonly string[];
  columns(table: string): string[];
  /** @param condition SQL that selects the rows */
  count(table: string, condition: string): number;
  /** The next rows after one, in the order of row ids; undefined behind the last. */
  slice(table: string, columns: readonly string[], condition: string, after: number): SourceSlice | undefined;
  /** The highest id that a table ever gave, whether its row is still there or not. */
  highestId(table: string): number;
  /** The first cell of a query. */
  cell(sql: string): Cell | undefined;
  close(): void;
}

export function openSource(file: string): MoveSource {
  const connection = new DatabaseSync(file, { readOnly: true });
  // Whatever else happens to the file, this connection goes on reading what is there now.
  connection.exec('BEGIN');
  const tables = connection
    .prepare(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY 1`,
    )
    .all()
    .map(({ name }) => String(name));
  return {
    tables,
    columns: (table) =>
      connection
        .prepare('SELECT name FROM pragma_table_info(?)')
        .all(table)
        .map(({ name }) => String(name)),
    count: (table, condition) =>
      Number(connection.prepare(`SELECT COUNT(*) AS "rows" FROM "${table}" WHERE ${condition}`).get()!.rows),
    slice(table, columns, condition, after) {
      const list = columns.map((name) => `"${name}"`).join(', ');
      const statement = connection.prepare(
        `SELECT rowid, ${list} FROM "${table}" WHERE rowid > ? AND (${condition}) ORDER BY rowid LIMIT ${SLICE_ROWS}`,
      );
      statement.setReturnArrays(true);
      const rows: Cell[][] = [];
      let last = after;
      let characters = 0;
      for (const found of statement.iterate(after) as Iterable<unknown>) {
        const [rowId, ...stored] = found as [number, ...(Cell | Uint8Array)[]];
        const cells = stored.map(asCell);
        rows.push(cells);
        last = rowId;
        for (const cell of cells) characters += typeof cell === 'string' ? cell.length : 8;
        if (characters >= SLICE_CHARACTERS) break;
      }
      return rows.length === 0 ? undefined : { rows, last };
    },
    highestId: (table) =>
      Number(connection.prepare('SELECT seq FROM sqlite_sequence WHERE name = ?').get(table)?.seq ?? 0),
    cell: (sql) => Object.values(connection.prepare(sql).get() ?? {})[0] as Cell | undefined,
    close: () => connection.close(),
  };
}

/** Bytes as PostgreSQL writes and reads them. */
const asCell = (stored: Cell | Uint8Array): Cell =>
  stored instanceof Uint8Array ? `\\x${Buffer.from(stored).toString('hex')}` : stored;
