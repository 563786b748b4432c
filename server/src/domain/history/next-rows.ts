import type { Kysely } from 'kysely';
import { ALL } from '../positions/over-readings.ts';
import { PACKED_CELLS, type PositionColumn } from '../positions/packed-positions.ts';
import { positions } from '../positions/positions.ts';
import { readings } from '../positions/readings.ts';
import type { ReadingColumn, ReadingScope } from '../positions/stored-reading.ts';
import type { Tx } from '../schema/tables.ts';

export type AnyRow = Record<string, string | number | null>;
export type LooseQuery = Kysely<Record<string, AnyRow>>;

export interface WantedRows {
  readonly table: string;
  readonly time: string;
  /** All columns if absent. */
  readonly names?: readonly string[];
  readonly column: string;
  readonly value: number;
  /** Only rows where this column is null. */
  readonly without?: string;
  /** From inclusive, to exclusive. */
  readonly from?: number;
  readonly to?: number;
  /** Only rows with a higher id. */
  readonly above?: number;
}

/** The position after a row. */
export interface RowPlace {
  readonly at: number;
  readonly id: number;
}

/** The next rows ordered by time, then id. Archives and exports read positions and readings only by this function. */
export async function nextRows(
  query: LooseQuery,
  { table, time, names, column, value, without, from = 0, to = Number.MAX_SAFE_INTEGER, above = -1 }: WantedRows,
  after: RowPlace | undefined,
  limit: number,
): Promise<AnyRow[]> {
  if (table === 'points') return nextPositions(query, { deviceId: value, names, from, to, above }, after, limit);
  if (table === 'gatewayReadings')
    return nextReadings(
      query,
      { scope: { [column]: value, ...(without && { [without]: null }) }, names, from, to, above },
      after,
      limit,
    );
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

/** Positions are stored as rows or packed. */
async function nextPositions(
  query: LooseQuery,
  {
    deviceId,
    names,
    from,
    to,
    above,
  }: { deviceId: number; names?: readonly string[]; from: number; to: number; above: number },
  after: RowPlace | undefined,
  limit: number,
): Promise<AnyRow[]> {
  const columns = [...new Set([...(names ?? PACKED_CELLS), 'deviceId', 'id', 'timestamp'])] as PositionColumn[];
  const found: AnyRow[] = [];
  let place = after && { timestamp: after.at, id: after.id };
  // Repeats until enough rows are found, because some are filtered out: fewer rows would mean the end.
  for (;;) {
    const wanted = { deviceId, from, to: to - 1, columns, limit: limit - found.length, ...(place && { after: place }) };
    const rows = await positions(query as unknown as Tx, wanted);
    for (const row of rows) if (row.id > above) found.push(row as unknown as AnyRow);
    const last = rows.at(-1);
    if (found.length === limit || last === undefined || rows.length < wanted.limit) return found;
    place = { timestamp: last.timestamp, id: last.id };
  }
}

/** Readings as well. */
async function nextReadings(
  query: LooseQuery,
  {
    scope,
    names,
    from,
    to,
    above,
  }: { scope: ReadingScope; names?: readonly string[]; from: number; to: number; above: number },
  after: RowPlace | undefined,
  limit: number,
): Promise<AnyRow[]> {
  return (await readings(query as unknown as Tx, {
    scope,
    from,
    to: to - 1,
    above,
    columns: (names ?? ALL) as ReadingColumn[],
    limit,
    ...(after && { after: { timestamp: after.at, id: after.id } }),
  })) as unknown as AnyRow[];
}

/** The position after these rows; undefined if they were the last. */
export function placeBehind(rows: readonly AnyRow[], time: string, limit: number): RowPlace | undefined {
  const last = rows.at(-1);
  return last === undefined || rows.length < limit ? undefined : { at: Number(last[time]), id: Number(last.id) };
}
