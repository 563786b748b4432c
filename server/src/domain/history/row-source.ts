import type { ParquetRow } from '../../platform/formats/parquet.ts';
import { unpackWithin } from '../positions/pack.ts';
import { deleteReadings, unpackReportedBy } from '../positions/pack-readings.ts';
import { deletePositions } from '../positions/write.ts';
import type { Store, Tx } from '../schema/tables.ts';
import type { ArchivedTable } from './archived-tables.ts';
import { type AnyRow, type LooseQuery, nextRows, placeBehind, type RowPlace, type WantedRows } from './next-rows.ts';

/** A time range: from inclusive, to exclusive. */
export interface MonthSpan {
  readonly from: number;
  readonly to: number;
}

export interface RowSum {
  readonly rows: number;
  readonly lowestId: number;
  readonly highestId: number;
}

/** The source of one table's rows. All reads and deletes of an archive use it. */
export interface RowSource {
  /** The time of a device's first row. */
  first(deviceId: number): Promise<number | undefined>;
  sum(deviceId: number, span: MonthSpan): Promise<RowSum | undefined>;
  /** Rows ordered by time, then id, a bounded number at a time. @param above only rows with a higher id */
  read(deviceId: number, span: MonthSpan, above?: number): AsyncGenerator<ParquetRow[]>;
  remove(rows: readonly RemovedRow[]): Promise<void>;
}

export interface RemovedRow {
  readonly id: number;
  /** The owner of the row: for a reading, the reporting device. */
  readonly deviceId: number;
  readonly at: number;
}

const CHUNK = 2000;
const FOREVER = Number.MAX_SAFE_INTEGER;
/** Short statements, so that a running server does not wait. */
const REMOVED_AT_ONCE = 500;

export function rowSource(store: Store, archived: ArchivedTable): RowSource {
  if (archived.table === 'points') return positionSource(store, archived);
  return archived.table === 'gatewayReadings' ? readingsSource(store, archived) : tableSource(store, archived);
}

function tableSource(store: Store, { table, time, owners, columns }: ArchivedTable): RowSource {
  const query = store.query as unknown as LooseQuery;
  const [owner, second] = owners;
  const names = columns.map(({ name }) => name);

  /** A row is read with its first owner, or else with the second. */
  const parts = [{ column: owner, without: undefined }, ...(second ? [{ column: second, without: owner }] : [])];
  const owned = (deviceId: number) =>
    parts.map(({ column, without }) => {
      const rows = query.selectFrom(table).where(column, '=', deviceId);
      return without === undefined ? rows : rows.where(without, 'is', null);
    });

  return {
    async first(deviceId) {
      const found: number[] = [];
      for (const part of owned(deviceId)) {
        const row = await part.select(time).orderBy(time).limit(1).executeTakeFirst();
        if (row !== undefined) found.push(Number(row[time]));
      }
      return found.length === 0 ? undefined : Math.min(...found);
    },

    async sum(deviceId, { from, to }) {
      let sum: RowSum | undefined;
      for (const part of owned(deviceId)) {
        const row = await part
          .select(({ fn }) => [fn.countAll().as('rows'), fn.min('id').as('lowest'), fn.max('id').as('highest')])
          .where(time, '>=', from)
          .where(time, '<', to)
          .executeTakeFirstOrThrow();
        if (Number(row.rows) > 0)
          sum = joinSums(sum, {
            rows: Number(row.rows),
            lowestId: Number(row.lowest),
            highestId: Number(row.highest),
          });
      }
      return sum;
    },

    async *read(deviceId, span, above = -1) {
      for (const part of parts)
        yield* inChunks(query, { table, time, names, ...part, value: deviceId, ...span, above });
    },

    async remove(rows) {
      for (let start = 0; start < rows.length; start += REMOVED_AT_ONCE)
        await query
          .deleteFrom(table)
          .where(
            'id',
            'in',
            rows.slice(start, start + REMOVED_AT_ONCE).map(({ id }) => id),
          )
          .execute();
    },
  };
}

async function* inChunks(query: LooseQuery, wanted: WantedRows): AsyncGenerator<AnyRow[]> {
  let after: RowPlace | undefined;
  do {
    const rows = await nextRows(query, wanted, after, CHUNK);
    if (rows.length > 0) yield rows;
    after = placeBehind(rows, wanted.time, CHUNK);
  } while (after !== undefined);
}

/** Tables that may be packed: read by `nextRows`, and unpacked before rows are removed. */
function packedSource(
  store: Store,
  { table, time, owners: [owner, second], columns }: ArchivedTable,
  removed: (tx: Tx, rows: readonly RemovedRow[]) => Promise<unknown>,
): RowSource {
  const query = store.query as unknown as LooseQuery;
  const parts = [{ column: owner }, ...(second ? [{ column: second, without: owner }] : [])];
  const wanted = (deviceId: number, span: MonthSpan, names: readonly string[], above = -1) =>
    parts.map((part) => ({ table, time, names, ...part, value: deviceId, ...span, above }));

  return {
    async first(deviceId) {
      const found: number[] = [];
      for (const part of wanted(deviceId, { from: 0, to: FOREVER }, [time]))
        for (const row of await nextRows(query, part, undefined, 1)) found.push(Number(row[time]));
      return found.length === 0 ? undefined : Math.min(...found);
    },

    async sum(deviceId, span) {
      let sum: RowSum | undefined;
      for (const part of wanted(deviceId, span, ['id']))
        for await (const rows of inChunks(query, part))
          for (const { id } of rows) sum = joinSums(sum, { rows: 1, lowestId: Number(id), highestId: Number(id) });
      return sum;
    },

    async *read(deviceId, span, above) {
      const names = columns.map(({ name }) => name);
      for (const part of wanted(deviceId, span, names, above)) yield* inChunks(query, part);
    },

    async remove(rows) {
      for (let start = 0; start < rows.length; start += REMOVED_AT_ONCE) {
        const some = rows.slice(start, start + REMOVED_AT_ONCE);
        await store.transaction((tx) => removed(tx, some));
      }
    },
  };
}

const positionSource = (store: Store, archived: ArchivedTable): RowSource =>
  packedSource(store, archived, async (tx, rows) => {
    for (const [deviceId, span] of spansOf(rows)) await unpackWithin(tx, deviceId, span);
    await deletePositions(
      tx,
      rows.map(({ id }) => id),
    );
  });

const readingsSource = (store: Store, archived: ArchivedTable): RowSource =>
  packedSource(store, archived, async (tx, rows) => {
    for (const [keeperId, span] of spansOf(rows)) await unpackReportedBy(tx, keeperId, span);
    for (const [keeperId, some] of Map.groupBy(rows, ({ deviceId }) => deviceId))
      await deleteReadings(
        tx,
        keeperId,
        some.map(({ id }) => id),
      );
  });

/** The first and the last time of each device. */
function spansOf(rows: readonly RemovedRow[]): Map<number, MonthSpan> {
  const spans = new Map<number, MonthSpan>();
  for (const { deviceId, at } of rows) {
    const { from, to } = spans.get(deviceId) ?? { from: at, to: at };
    spans.set(deviceId, { from: Math.min(from, at), to: Math.max(to, at) });
  }
  return spans;
}

export function joinSums(one: RowSum | undefined, other: RowSum | undefined): RowSum | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return {
    rows: one.rows + other.rows,
    lowestId: Math.min(one.lowestId, other.lowestId),
    highestId: Math.max(one.highestId, other.highestId),
  };
}
