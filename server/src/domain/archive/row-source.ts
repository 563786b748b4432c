import type { ParquetRow } from '../../platform/formats/parquet.ts';
import type { Store } from '../schema/tables.ts';
import type { ArchivedTable } from './archived-tables.ts';
import { type LooseQuery, nextRows, placeBehind, type RowPlace } from './next-rows.ts';

/** A range of time: from, and before to. */
export interface MonthSpan {
  readonly from: number;
  readonly to: number;
}

export interface RowSum {
  readonly rows: number;
  readonly lowestId: number;
  readonly highestId: number;
}

/** Where the rows of one table come from. All that reads or deletes them for an archive goes through this. */
export interface RowSource {
  /** When the first row of a device is from. */
  first(deviceId: number): Promise<number | undefined>;
  sum(deviceId: number, span: MonthSpan): Promise<RowSum | undefined>;
  /** Rows in the order of time, then id, a bounded number at a time. @param above only those with a higher id */
  read(deviceId: number, span: MonthSpan, above?: number): AsyncGenerator<ParquetRow[]>;
  remove(ids: readonly number[]): Promise<void>;
}

const CHUNK = 2000;
/** Short statements, so that a server beside this does not wait. */
const REMOVED_AT_ONCE = 500;

export function rowSource(store: Store, { table, time, owners, columns }: ArchivedTable): RowSource {
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
      for (const part of parts) {
        const wanted = { table, time, names, ...part, value: deviceId, ...span, above };
        let after: RowPlace | undefined;
        do {
          const rows = await nextRows(query, wanted, after, CHUNK);
          if (rows.length > 0) yield rows;
          after = placeBehind(rows, time, CHUNK);
        } while (after !== undefined);
      }
    },

    async remove(ids) {
      for (let start = 0; start < ids.length; start += REMOVED_AT_ONCE)
        await query
          .deleteFrom(table)
          .where('id', 'in', ids.slice(start, start + REMOVED_AT_ONCE))
          .execute();
    },
  };
}

export function joinSums(one: RowSum | undefined, other: RowSum | undefined): RowSum | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return {
    rows: one.rows + other.rows,
    lowestId: Math.min(one.lowestId, other.lowestId),
    highestId: Math.max(one.highestId, other.highestId),
  };
}
