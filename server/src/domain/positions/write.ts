import { type Kysely, sql } from 'kysely';
import { insertOf, type RowsStatement, runRows } from '../../platform/storage/bulk.ts';
import { runLater } from '../../platform/storage/later.ts';
import type { Cell } from '../../platform/storage/shape.ts';
import type { StoreKind } from '../../platform/storage/store-kind.ts';
import { SLOTS } from '../schema/slot.ts';
import type { Tables } from '../schema/tables.ts';
import { encode, JUDGED, JUDGED_BITS, type NewPosition, SLIM_COLUMNS } from './encode.ts';
import { identityOf } from './identity.ts';
import type { ReservedIds } from './reserve-ids.ts';
import type { StoredPosition } from './stored-position.ts';

/**
 * All that writes positions: `points` is a view, which shows what is stored here. While a database of an earlier version
 * is carried over, some are still where they were stored then; whoever changes one carries it over first.
 */

type Tx = Kysely<Tables>;

/** On PostgreSQL these have two columns each: for values of two bytes, and for larger ones. */
const WIDE = new Set(['delay', 'speed', 'altitude', 'accuracy', 'hdop', 'batteryVoltage']);

/** A cell of a row of SQLite as PostgreSQL has it; undefined where it is the same. */
export function postgresCell(column: string, cell: (column: string) => Cell): Cell | undefined {
  const name = column.replace(/Wide$/, '');
  if (!WIDE.has(name)) return undefined;
  const value = cell(name) as number | null;
  const isSmall = value !== null && value >= -32_768 && value <= 32_767;
  return isSmall === (column === name) ? value : null;
}

/** Each column of the table on PostgreSQL with its value, which follows from the cell `given`. */
function postgresColumns(): [column: string, value: string][] {
  const columns: [string, string][] = [['slot', `given."deviceId" % ${SLOTS}`]];
  for (const name of Object.keys(SLIM_COLUMNS)) {
    if (!WIDE.has(name)) columns.push([name, `given."${name}"`]);
    else {
      const isSmall = `given."${name}" BETWEEN -32768 AND 32767`;
      columns.push([name, `CASE WHEN ${isSmall} THEN given."${name}" END`]);
      columns.push([`${name}Wide`, `CASE WHEN NOT ${isSmall} THEN given."${name}" END`]);
    }
  }
  return columns;
}

const ON_POSTGRES = postgresColumns();
const namesOf = (columns: readonly (readonly [string, string])[]) => columns.map(([name]) => `"${name}"`).join(', ');
const valuesOf = (columns: readonly (readonly [string, string])[]) => columns.map(([, value]) => value).join(', ');

const INSERT: RowsStatement = {
  ...insertOf('positions', SLIM_COLUMNS),
  postgres: `INSERT INTO "positions" (${namesOf(ON_POSTGRES)}) SELECT ${valuesOf(ON_POSTGRES)} FROM given RETURNING "id"`,
};

const WITH_ID = { ...SLIM_COLUMNS, id: 'integer' } as const;
const WITH_ID_ON_POSTGRES = [...ON_POSTGRES, ['id', 'given."id"'] as const];

const INSERT_WITH_ID: RowsStatement = {
  ...insertOf('positions', WITH_ID),
  postgres: `INSERT INTO "positions" (${namesOf(WITH_ID_ON_POSTGRES)}) SELECT ${valuesOf(WITH_ID_ON_POSTGRES)} FROM given`,
};

const SET = Object.keys(SLIM_COLUMNS).map((name) => `"${name}" = ?`);
/** A position stays with its device, and so in its slot. */
const SET_ON_POSTGRES = ON_POSTGRES.filter(([name]) => name !== 'slot' && name !== 'deviceId');
const UPDATE: RowsStatement = {
  columns: WITH_ID,
  sqlite: `UPDATE "positions" SET ${SET.join(', ')} WHERE "id" = ?`,
  postgres: `UPDATE "positions" SET ${SET_ON_POSTGRES.map(([name, value]) => `"${name}" = ${value}`).join(', ')} FROM given WHERE "positions"."id" = given."id" AND "positions"."deviceId" = given."deviceId"`,
};

/**
 * Stores rows of cells as `encode` makes them; their ids, in their order.
 * @param reserved at least as many ids as there are rows, where they were asked for before: then nobody waits for the rows
 */
export async function insertEncoded(
  tx: Tx,
  storeKind: StoreKind,
  rows: readonly (readonly Cell[])[],
  reserved?: ReservedIds,
): Promise<number[]> {
  if (reserved === undefined || rows.length === 0) return runRows(tx, storeKind, INSERT, rows);
  const ids = (await reserved.rows).map(({ id }) => Number(id)).sort((a, b) => a - b);
  await runLater(tx, storeKind, [[INSERT_WITH_ID, rows.map((cells, index) => [...cells, ids[index]!])]]);
  return ids.slice(0, rows.length);
}

export const insertPositions = (tx: Tx, storeKind: StoreKind, positions: readonly NewPosition[]): Promise<number[]> =>
  insertEncoded(tx, storeKind, positions.map(encode));

export async function insertPositionsWithIds(
  tx: Tx,
  storeKind: StoreKind,
  positions: readonly (NewPosition & { readonly id: number })[],
): Promise<void> {
  await runRows(
    tx,
    storeKind,
    INSERT_WITH_ID,
    positions.map((position) => [...encode(position), position.id]),
  );
}

/** A position after some of it was changed; undefined where it is gone. */
export async function changePosition(
  tx: Tx,
  storeKind: StoreKind,
  id: number,
  changes: Partial<Omit<StoredPosition, 'id' | 'deviceId'>>,
): Promise<StoredPosition | undefined> {
  await carryOver(tx, storeKind, [id]);
  const before = await readPosition(tx, id);
  if (before === undefined) return undefined;
  await runRows(tx, storeKind, UPDATE, [[...encode({ ...before, ...changes }), id]]);
  return readPosition(tx, id);
}

/** A position as the view shows it. */
export const readPosition = async (tx: Tx, id: number): Promise<StoredPosition | undefined> =>
  (await tx.selectFrom('points').selectAll().where('id', '=', id).executeTakeFirst()) as StoredPosition | undefined;

const kindWith = (clear: number, set: number) =>
  sql<number | null>`NULLIF((COALESCE("kind", 0) | ${sql.lit(clear)}) - ${sql.lit(clear)} + ${sql.lit(set)}, 0)`;

/** What became of positions in the engine; how many of them are rows. */
export async function markJudged(
  tx: Tx,
  storeKind: StoreKind,
  ids: readonly number[],
  judged: keyof typeof JUDGED | null,
): Promise<number> {
  if (ids.length === 0) return 0;
  await carryOver(tx, storeKind, ids);
  const { numUpdatedRows } = await tx
    .updateTable('positions')
    .set({ kind: kindWith(JUDGED_BITS, judged === null ? 0 : JUDGED[judged]) })
    .where('id', 'in', [...ids])
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

export async function deletePositions(tx: Tx, storeKind: StoreKind, ids: readonly number[]): Promise<number> {
  if (ids.length === 0) return 0;
  // First where they were: what is carried over meanwhile is found where it is.
  let deleted = 0n;
  if (await hasOld(tx, storeKind))
    deleted += (
      await tx
        .deleteFrom('oldPoints')
        .where('id', 'in', [...ids])
        .executeTakeFirst()
    ).numDeletedRows;
  deleted += (
    await tx
      .deleteFrom('positions')
      .where('id', 'in', [...ids])
      .executeTakeFirst()
  ).numDeletedRows;
  return Number(deleted);
}

/** All positions of a device. */
export async function forgetPositions(tx: Tx, storeKind: StoreKind, deviceId: number): Promise<void> {
  if (await hasOld(tx, storeKind)) await tx.deleteFrom('oldPoints').where('deviceId', '=', deviceId).execute();
  const device = storeKind === 'postgres' ? sql<number>`CAST("deviceId" AS BIGINT)` : sql<number>`"deviceId"`;
  await tx.deleteFrom('positions').where(device, '=', deviceId).execute();
}

/** The row that says whether there are positions of an earlier version: whoever reads it keeps it until the commit. */
export const OLD_POINTS = 'oldPoints';

/** Whether positions of an earlier version are left. */
export const isCarrying = async (query: Tx): Promise<boolean> =>
  (await query.selectFrom('settings').select('name').where('name', '=', OLD_POINTS).executeTakeFirst()) !== undefined;

async function hasOld(tx: Tx, storeKind: StoreKind): Promise<boolean> {
  const asked = tx.selectFrom('settings').select('value').where('name', '=', OLD_POINTS);
  return (await (storeKind === 'postgres' ? asked.forShare() : asked).executeTakeFirst()) !== undefined;
}

/** Carries positions over from where an earlier version stored them; those that are there no more are left out. */
export async function carryOver(tx: Tx, storeKind: StoreKind, ids: readonly number[]): Promise<void> {
  if (ids.length > 0 && (await hasOld(tx, storeKind))) await carryRows(tx, storeKind, ids);
}

/** The hash that positions had which gateways found. */
const OLD_HEARD = 'heard';

export async function carryRows(tx: Tx, storeKind: StoreKind, ids: readonly number[]): Promise<number> {
  const rows = await tx
    .deleteFrom('oldPoints')
    .where('id', 'in', [...ids])
    .returningAll()
    .execute();
  const positions = rows.map(({ hash, ...row }) => {
    const isHeard = hash === OLD_HEARD ? 1 : 0;
    // Mostly it follows from the rest.
    const isChanged = hash !== null && isHeard === 0 && hash !== identityOf(row);
    return { ...row, isHeard, reportedHash: isChanged ? hash : null };
  });
  await insertPositionsWithIds(tx, storeKind, positions);
  return rows.length;
}
