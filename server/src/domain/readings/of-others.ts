import type { Scope } from '../../platform/collection.ts';
import { ID_LIST } from '../../platform/storage/id-list.ts';
import { runSql } from '../../platform/storage/run-sql.ts';
import { holdsText } from '../rights.ts';
import type { Store } from '../schema/tables.ts';

type ReadingTable = 'gatewayReadings' | 'readingSegments';

/** What a deletion is limited to: the rows of a scope in one of the two tables. */
export type RemovableScope = (table: ReadingTable) => Scope;

/** The rows of a scope without those whose other device the user may not manage. */
export const withoutOthers = (
  store: Store,
  scope: Scope,
  other: 'gatewayId' | 'deviceId',
  userId: number,
): Promise<RemovableScope> | RemovableScope =>
  store.groupOfSlot === undefined ? atOnePlace(scope, other, userId) : apart(store, scope, other, userId);

const atOnePlace =
  ({ sql, cells }: Scope, other: string, userId: number): RemovableScope =>
  (table) => ({
    sql: `${sql} AND NOT EXISTS (SELECT 1 FROM "users" me JOIN "devices" d ON d."id" = "${table}"."${other}"
      WHERE me."id" = ? AND NOT ${holdsText('manage', 'me."id"', 'd."id"')})`,
    cells: [...cells, userId],
  });

/**
 * The same where several servers have the devices, and a reading is with one of those that it names: the devices that readings name are read first, then
 * the rights on them. What names yet another device came after that, and stays.
 */
async function apart(
  { query, storeKind }: Store,
  { sql, cells }: Scope,
  other: string,
  userId: number,
): Promise<RemovableScope> {
  const list = (table: ReadingTable) => `SELECT "${other}" AS "id" FROM "${table}" WHERE ${sql}`;
  const named = await runSql<{ id: number | null }>(
    query,
    storeKind,
    `${list('gatewayReadings')} UNION ${list('readingSegments')}`,
    [...cells, ...cells],
  );
  const ids = named.flatMap(({ id }) => (id === null ? [] : [id]));
  const anothers = await runSql<{ id: number }>(
    query,
    storeKind,
    `SELECT d."id" FROM "devices" d JOIN "users" me ON me."id" = ?
     WHERE d."id" IN (${ID_LIST[storeKind]}) AND NOT ${holdsText('manage', 'me."id"', 'd."id"')}`,
    [userId, JSON.stringify(ids)],
  );
  const kept = new Set(anothers.map(({ id }) => id));
  const removable = JSON.stringify(ids.filter((id) => !kept.has(id)));
  return () => ({
    sql: `${sql} AND ("${other}" IS NULL OR "${other}" IN (${ID_LIST[storeKind]}))`,
    cells: [...cells, removable],
  });
}
