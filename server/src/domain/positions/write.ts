import { type Kysely, sql } from 'kysely';
import type { RowWriter } from '../../platform/collection.ts';
import { insertAtHome, insertOf, type RowsStatement, runRows, updateAtHome } from '../../platform/storage/bulk.ts';
import { type ByDatabase, dialectOf } from '../../platform/storage/dialect.ts';
import { askLater, runLater } from '../../platform/storage/later.ts';
import { runSql } from '../../platform/storage/run-sql.ts';
import type { Cell, Row } from '../../platform/storage/shape.ts';
import type { Tables } from '../schema/tables.ts';
import { encode, JUDGED, JUDGED_BITS, type NewPosition, SLIM_COLUMNS } from './encode.ts';
import { identityOf } from './identity.ts';
import type { StoredPosition } from './packed-positions.ts';

/** All that writes positions: `points` is a view, which shows what is stored here. */

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
  const columns: [string, string][] = [];
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

export const INSERT: RowsStatement = {
  ...insertOf('positions', SLIM_COLUMNS),
  postgres: `INSERT INTO "positions" (${namesOf(ON_POSTGRES)}) SELECT ${valuesOf(ON_POSTGRES)} FROM given RETURNING "id"`,
  spread: insertAtHome('positions', SLIM_COLUMNS, Object.fromEntries(ON_POSTGRES), { end: 'RETURNING "id"' }),
};

const WITH_ID = { ...SLIM_COLUMNS, id: 'integer' } as const;
const WITH_ID_ON_POSTGRES = [...ON_POSTGRES, ['id', 'given."id"'] as const];

export const INSERT_WITH_ID: RowsStatement = {
  ...insertOf('positions', WITH_ID),
  postgres: `INSERT INTO "positions" (${namesOf(WITH_ID_ON_POSTGRES)}) SELECT ${valuesOf(WITH_ID_ON_POSTGRES)} FROM given`,
  spread: insertAtHome('positions', WITH_ID, Object.fromEntries(WITH_ID_ON_POSTGRES)),
};

const SET = Object.keys(SLIM_COLUMNS).map((name) => `"${name}" = ?`);
/** A position stays with its device. */
const SET_ON_POSTGRES = ON_POSTGRES.filter(([name]) => name !== 'deviceId');
const UPDATE_ON_POSTGRES = `UPDATE "positions" SET ${SET_ON_POSTGRES.map(([name, value]) => `"${name}" = ${value}`).join(', ')} FROM given WHERE "positions"."id" = given."id" AND "positions"."deviceId" = given."deviceId"`;
export const UPDATE: RowsStatement = {
  columns: WITH_ID,
  sqlite: `UPDATE "positions" SET ${SET.join(', ')} WHERE "id" = ?`,
  postgres: UPDATE_ON_POSTGRES,
  spread: updateAtHome('positions', WITH_ID, UPDATE_ON_POSTGRES, 'deviceId'),
};

/**
 * Stores rows of cells as `encode` makes them; their ids, in their order.
 * @param reserved at least as many ids as there are rows, if they were reserved before: then the caller need not wait
 * for the rows
 */
export async function insertEncoded(
  tx: Tx,
  rows: readonly (readonly Cell[])[],
  reserved?: ReservedIds,
): Promise<number[]> {
  if (reserved === undefined || rows.length === 0) return runRows(tx, INSERT, rows);
  const ids = (await reserved.rows).map(({ id }) => Number(id)).sort((a, b) => a - b);
  await runLater(tx, [[INSERT_WITH_ID, rows.map((cells, index) => [...cells, ids[index]!])]]);
  return ids.slice(0, rows.length);
}

export const insertPositions = (tx: Tx, positions: readonly NewPosition[]): Promise<number[]> =>
  insertEncoded(tx, positions.map(encode));

export async function insertPositionsWithIds(
  tx: Tx,
  positions: readonly (NewPosition & { readonly id: number })[],
): Promise<void> {
  await runRows(
    tx,
    INSERT_WITH_ID,
    positions.map((position) => [...encode(position), position.id]),
  );
}

/** A position after some of it was changed; undefined where it is gone. */
export async function changePosition(
  tx: Tx,
  id: number,
  changes: Partial<Omit<StoredPosition, 'id' | 'deviceId'>>,
): Promise<StoredPosition | undefined> {
  const before = await readPosition(tx, id);
  if (before === undefined) return undefined;
  await runRows(tx, UPDATE, [[...encode({ ...before, ...changes }), id]]);
  return readPosition(tx, id);
}

/** A position as the view shows it. */
export const readPosition = async (tx: Tx, id: number): Promise<StoredPosition | undefined> =>
  (await tx.selectFrom('points').selectAll().where('id', '=', id).executeTakeFirst()) as StoredPosition | undefined;

const kindWith = (clear: number, set: number) =>
  sql<number | null>`NULLIF((COALESCE("kind", 0) | ${sql.lit(clear)}) - ${sql.lit(clear)} + ${sql.lit(set)}, 0)`;

/** What became of positions in the engine; how many of them are rows. */
export async function markJudged(tx: Tx, ids: readonly number[], judged: keyof typeof JUDGED | null): Promise<number> {
  if (ids.length === 0) return 0;
  const { numUpdatedRows } = await tx
    .updateTable('positions')
    .set({ kind: kindWith(JUDGED_BITS, judged === null ? 0 : JUDGED[judged]) })
    .where('id', 'in', [...ids])
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

export async function deletePositions(tx: Tx, ids: readonly number[]): Promise<number> {
  if (ids.length === 0) return 0;
  const { numDeletedRows } = await tx
    .deleteFrom('positions')
    .where('id', 'in', [...ids])
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** Deletes the positions of a device that are rows; how many that were. */
export async function deleteRowsOf(tx: Tx, deviceId: number): Promise<number> {
  const { numDeletedRows } = await tx.deleteFrom('positions').where('deviceId', '=', deviceId).executeTakeFirst();
  return Number(numDeletedRows);
}

/** Ascending ids for positions that never become rows. They are not used for anything else. */
export const reserveIds = async (tx: Kysely<Tables>, count: number): Promise<number[]> =>
  count === 0 ? [] : dialectOf(tx).pick(RESERVE)(tx, count);

const RESERVE: ByDatabase<(tx: Kysely<Tables>, count: number) => Promise<number[]>> = {
  async sqlite(tx, count) {
    const [counted] = await runSql<{ seq: number }>(tx, COUNT_ON, [count]);
    // The table has given no id so far.
    if (counted === undefined) await runSql(tx, COUNT_FROM, [count]);
    const last = counted?.seq ?? count;
    return Array.from({ length: count }, (_, index) => last - count + 1 + index);
  },
  async postgres(tx, count) {
    const given = await runSql<{ id: number }>(tx, NEXT_VALUES, [count]);
    return given.map(({ id }) => Number(id)).sort((a, b) => a - b);
  },
};

/** Ids that are on their way, where an engine needs not give them with the rows. */
export interface ReservedIds {
  readonly rows: Promise<readonly { readonly id: number }[]>;
}

/** The same for positions that become rows, without a round trip of its own. An embedded database numbers rows instead. */
export async function reserveLater(tx: Kysely<Tables>, count: number): Promise<ReservedIds | undefined> {
  return dialectOf(tx).isEmbedded || count === 0 ? undefined : askLater(tx, NEXT_VALUES, [count]);
}

const NEXT_VALUES = `SELECT nextval('"positions_ids"') AS "id" FROM generate_series(1, CAST(? AS INTEGER))`;
const COUNT_ON = `UPDATE "sqlite_sequence" SET "seq" = "seq" + ? WHERE "name" = 'positions' RETURNING "seq"`;
const COUNT_FROM = `INSERT INTO "sqlite_sequence" ("name", "seq") VALUES ('positions', ?)`;

const rowOf = (position: StoredPosition | undefined) => position as Row | undefined;

/** Writes positions that users enter, change or delete manually. */
export const positionWriter: RowWriter = {
  async insert(on, cells) {
    // The contract defines the fields and their values.
    const [id] = await insertPositions(on, [cells as unknown as NewPosition]);
    return rowOf(await readPosition(on, id!))!;
  },
  async update(on, id, cells) {
    const before = await readPosition(on, id);
    if (before === undefined) return undefined;
    // Gateways no longer correct it. If the device sends it again, it is still recognised by what was reported first.
    const reportedHash = before.isLocatedByGateways ? null : (before.reportedHash ?? identityOf(before));
    return rowOf(await changePosition(on, id, { ...cells, isLocatedByGateways: 0, reportedHash }));
  },
  remove: (on, ids) => deletePositions(on, ids),
};
