import type { Kysely } from 'kysely';
import type { StoreKind } from '../../platform/storage/store-kind.ts';
import type { Tables } from '../schema/tables.ts';
import type { StoredPosition } from './stored-position.ts';

type Tx = Kysely<Tables>;

export async function insertPositionsWithIds(
  tx: Tx,
  _storeKind: StoreKind,
  positions: readonly StoredPosition[],
): Promise<void> {
  for (let start = 0; start < positions.length; start += 500)
    await tx
      .insertInto('points')
      .values(positions.slice(start, start + 500))
      .execute();
}

export async function deletePositions(tx: Tx, _storeKind: StoreKind, ids: readonly number[]): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('points')
    .where('id', 'in', [...ids])
    .executeTakeFirst();
  return Number(numDeletedRows);
}
