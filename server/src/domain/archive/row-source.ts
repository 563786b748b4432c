import type { Kysely } from 'kysely';
import type { ParquetRow } from '../../platform/parquet.ts';
import type { Store } from '../schema/tables.ts';
import type { ArchivedTable } from './archived-tables.ts';

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

type Loose = Kysely<Record<string, Record<string, string | number | null>>>;

export function rowSource(store: Store, { table, time, owners, columns }: ArchivedTable): RowSource {
  const query = store.query as unknown as Loose;
  const [owner, second] = owners;
  const names = columns.map(({ name }) => name);

  /** A row is read with its first owner, or else with the second. */
  const owned = (deviceId: number) => {
    const parts = [query.selectFrom(table).where(owner, '=', deviceId)];
    if (second !== undefined) parts.push(query.selectFrom(table).where(second, '=', deviceId).where(owner, 'is', null));
    return parts;
  };

  async function* readPart(part: ReturnType<typeof owned>[number], { from, to }: MonthSpan, above: number) {
    let after = { at: from, id: -1 };
    for (;;) {
      const rows = await part
        .select(names)
        .where(time, '>=', after.at)
        .where(time, '<', to)
        .where((when) => when.or([when(time, '>', after.at), when('id', '>', after.id)]))
        .where('id', '>', above)
        .orderBy(time)
        .orderBy('id')
        .limit(CHUNK)
        .execute();
      const last = rows.at(-1);
      if (last === undefined) return;
      yield rows as ParquetRow[];
      if (rows.length < CHUNK) return;
      after = { at: Number(last[time]), id: Number(last.id) };
    }
  }

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
      for (const part of owned(deviceId)) yield* readPart(part, span, above);
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
