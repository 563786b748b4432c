import { defineReadWork, type Workplace } from '../../platform/storage/work.ts';
import { type AnyRow, type LooseQuery, nextRows, placeBehind, type RowPlace } from '../archive/next-rows.ts';
import type { Tables } from '../schema/tables.ts';
import { readableRow } from './readable-row.ts';

/** Rows of one table about a device or a user, and how far they were read. */
export interface ExportedRows {
  readonly table: string;
  readonly column: string;
  readonly value: number;
  readonly hides: readonly string[];
  /** Whether the rows have an id, by which they are read in order. */
  readonly hasId: boolean;
  readonly time?: string;
  /** Only those of this user. */
  readonly userId?: number;
  readonly after?: RowPlace;
}

export interface RowsChunk {
  readonly text: string;
  readonly rows: number;
  /** Undefined where nothing is left. */
  readonly after?: RowPlace;
}

const ROWS = 500;

/** Reads the next rows and formats them as JSON Lines, on a thread apart. */
export const rowsChunk = defineReadWork(
  import.meta.url,
  async ({ query }: Workplace<Tables>, wanted: ExportedRows): Promise<RowsChunk> => {
    const on = query as unknown as LooseQuery;
    const rows = wanted.time === undefined ? await byId(on, wanted) : await byTime(on, wanted, wanted.time);
    const hides = new Set(wanted.hides);
    const text = rows.map((row) => `${JSON.stringify(readableRow(row, hides))}\n`).join('');
    const after = wanted.hasId ? placeBehind(rows, wanted.time ?? 'id', ROWS) : undefined;
    return { text, rows: rows.length, ...(after && { after }) };
  },
);

const byTime = (query: LooseQuery, { table, column, value, after }: ExportedRows, time: string) =>
  nextRows(query, { table, column, value, time }, after, ROWS);

async function byId(query: LooseQuery, wanted: ExportedRows): Promise<AnyRow[]> {
  const { table, column, value, userId, after, hasId } = wanted;
  let rows = query.selectFrom(table).selectAll().where(column, '=', value);
  if (userId !== undefined) rows = rows.where('userId', '=', userId);
  // The few tables without an id have a handful of rows each.
  if (!hasId) return rows.execute();
  return rows
    .where('id', '>', after?.id ?? 0)
    .orderBy('id')
    .limit(ROWS)
    .execute();
}
