import type { Kysely } from 'kysely';
import { askLater } from '../../platform/storage/later.ts';
import { numberPlaceholders } from '../../platform/storage/placeholders.ts';
import { prepareText } from '../../platform/storage/postgres/prepared-texts.ts';
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

/** Ids that are on their way, where an engine needs not give them with the rows. */
export interface ReservedIds {
  readonly rows: Promise<readonly { readonly id: number }[]>;
}

/** The same on PostgreSQL for positions that become rows, without a way there and back of its own. SQLite numbers rows. */
export async function reserveLater(
  tx: Kysely<Tables>,
  storeKind: StoreKind,
  count: number,
): Promise<ReservedIds | undefined> {
  return storeKind === 'sqlite' || count === 0 ? undefined : askLater(tx, TAKE_IDS, [count]);
}

const NEXT_VALUES = `SELECT nextval('"positions_ids"') AS "id" FROM generate_series(1, CAST(? AS INTEGER))`;
const TAKE_IDS = prepareText(numberPlaceholders(NEXT_VALUES));
const COUNT_ON = `UPDATE "sqlite_sequence" SET "seq" = "seq" + ? WHERE "name" = 'positions' RETURNING "seq"`;
const COUNT_FROM = `INSERT INTO "sqlite_sequence" ("name", "seq") VALUES ('positions', ?)`;
