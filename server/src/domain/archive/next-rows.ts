import type { Kysely } from 'kysely';

export type AnyRow = Record<string, string | number | null>;
export type LooseQuery = Kysely<Record<string, AnyRow>>;

export interface WantedRows {
  readonly table: string;
  readonly time: string;
  /** All where they are absent. */
  readonly names?: readonly string[];
  readonly column: string;
  readonly value: number;
  /** Only rows in which this column is null. */
  readonly without?: string;
  /** From, and before to. */
  readonly from?: number;
  readonly to?: number;
  /** Only rows with a higher id. */
  readonly above?: number;
}

/** The place behind a row. */
export interface RowPlace {
  readonly at: number;
  readonly id: number;
}

/** The next rows in the order of time, then id. Archives and exports read positions and readings by this alone. */
export async function nextRows(
  query: LooseQuery,
  { table, time, names, column, value, without, from = 0, to = Number.MAX_SAFE_INTEGER, above = -1 }: WantedRows,
  after: RowPlace | undefined,
  limit: number,
): Promise<AnyRow[]> {
  const since = after ?? { at: from, id: -1 };
  let wanted = query
    .selectFrom(table)
    .where(column, '=', value)
    .where(time, '>=', since.at)
    .where(time, '<', to)
    .where((when) => when.or([when(time, '>', since.at), when('id', '>', since.id)]));
  if (without !== undefined) wanted = wanted.where(without, 'is', null);
  if (above >= 0) wanted = wanted.where('id', '>', above);
  const ordered = wanted.orderBy(time).orderBy('id').limit(limit);
  return names === undefined ? ordered.selectAll().execute() : ordered.select([...names]).execute();
}

/** The place behind these rows; undefined where they were the last. */
export function placeBehind(rows: readonly AnyRow[], time: string, limit: number): RowPlace | undefined {
  const last = rows.at(-1);
  return last === undefined || rows.length < limit ? undefined : { at: Number(last[time]), id: Number(last.id) };
}
