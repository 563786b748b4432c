import { type RawBuilder, sql } from 'kysely';
import type { Cell } from '../storage/shape.ts';
import { type PackedColumn, packRows, unpackRows } from './packed-rows.ts';

/** How most columns are packed. */
export const number = (decimals = 0) => ({ kind: 'number', decimals }) as const;
export const text = { kind: 'text' } as const;

/** SQLite gives bytes as they are, PostgreSQL as a text of their digits. */
export const bytesOf = (data: Uint8Array | string): Uint8Array =>
  typeof data === 'string' ? Buffer.from(data.slice(2), 'hex') : data;

export interface RowCodec<Row> {
  readonly names: readonly (keyof Row & string)[];
  pack(rows: readonly Row[]): Uint8Array;
  /** In the order in which they were packed. */
  unpack<Name extends keyof Row & string>(data: Uint8Array | string, wanted: readonly Name[]): Pick<Row, Name>[];
  /** Null with the type that the column has on PostgreSQL, which insists on it where rows of two kinds are joined. */
  nullOf(name: keyof Row & string): RawBuilder<null>;
}

/**
 * Packs and unpacks rows of a table.
 * @param given how each column is packed. Their order is written down in databases: a new column comes at the end
 */
export function rowCodec<Row extends { readonly [Name in keyof Row]: Cell }>(
  given: Readonly<Record<keyof Row & string, Omit<PackedColumn, 'name'>>>,
): RowCodec<Row> {
  const names = Object.keys(given) as (keyof Row & string)[];
  const columns: readonly PackedColumn[] = names.map((name) => ({ name, ...given[name] }));
  return {
    names,
    pack: (rows) => packRows(columns, rows.length, (name) => rows.map((row) => row[name as keyof Row] as Cell)),
    unpack<Name extends keyof Row & string>(data: Uint8Array | string, wanted: readonly Name[]) {
      const { count, cellsOf } = unpackRows(columns, bytesOf(data), new Set(wanted));
      const cells = wanted.map((name) => cellsOf(name));
      const rows: Pick<Row, Name>[] = [];
      for (let index = 0; index < count; index += 1) {
        const row: Record<string, Cell> = {};
        for (let column = 0; column < wanted.length; column += 1) row[wanted[column]!] = cells[column]![index]!;
        // Each cell comes from the column of its name: no type can follow that.
        rows.push(row as unknown as Pick<Row, Name>);
      }
      return rows;
    },
    nullOf(name) {
      const { kind, decimals, isJson } = given[name];
      if (isJson) return sql`CAST(NULL AS JSONB)`;
      if (kind === 'text') return sql`CAST(NULL AS TEXT)`;
      return decimals ? sql`CAST(NULL AS DOUBLE PRECISION)` : sql`CAST(NULL AS BIGINT)`;
    },
  };
}
