import type { Kysely } from 'kysely';
import { runSql } from '../../platform/storage/run-sql.ts';
import type { StoreKind } from '../../platform/storage/store-kind.ts';
import type { Tables } from '../schema/tables.ts';

/** Ids for positions that never become rows, rising; nobody else gets them. */
export async function reserveIds(tx: Kysely<Tables>, storeKind: StoreKind, count: number): Promise<number[]> {
  if (count === 0) return [];
  if (storeKind === 'postgres') {
    const given = await runSql<{ id: number }>(tx, storeKind, NEXT_VALUES, [count]);
    return given.map(({ id }) => Number(id)).sort((a, b) => a - b);
  }
  const [counted] = await runSql<{ seq: number }>(tx, storeKind, COUNT_ON, [count]);
  // The table has given no id so far.
  if (counted === undefined) await runSql(tx, storeKind, COUNT_FROM, [count]);
  const last = counted?.seq ?? count;
  return Array.from({ length: count }, (_, index) => last - count + 1 + index);
}

const NEXT_VALUES = `SELECT nextval('"positions_ids"') AS "id" FROM generate_series(1, CAST(? AS INTEGER))`;
const COUNT_ON = `UPDATE "sqlite_sequence" SET "seq" = "seq" + ? WHERE "name" = 'positions' RETURNING "seq"`;
const COUNT_FROM = `INSERT INTO "sqlite_sequence" ("name", "seq") VALUES ('positions', ?)`;
