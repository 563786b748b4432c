import type { NewPosition } from '../domain/positions/encode.ts';
import type { StoredPosition } from '../domain/positions/stored-position.ts';
import { changePosition, insertPositions } from '../domain/positions/write.ts';
import type { Store } from '../domain/schema/tables.ts';

/** Words may be any text here, so that tests need not say what they are. */
type GivenPosition = Partial<Omit<NewPosition, 'locationType' | 'judged'>> &
  Pick<NewPosition, 'deviceId' | 'timestamp'> & { readonly locationType?: string; readonly judged?: string | null };

/** Stores positions as they are given, without judging them; their ids. */
export async function storePositions(
  { query, storeKind }: Pick<Store, 'query' | 'storeKind'>,
  given: GivenPosition | readonly GivenPosition[],
): Promise<number[]> {
  const all = Array.isArray(given) ? (given as readonly GivenPosition[]) : [given as GivenPosition];
  return insertPositions(
    query,
    storeKind,
    all.map((one) => ({ created: one.timestamp, locationType: 'gps', ...one }) as NewPosition),
  );
}

/** Changes the positions of a time, as somebody would by hand; nothing is judged again. */
export async function changePositionsAt(
  { query, storeKind }: Pick<Store, 'query' | 'storeKind'>,
  timestamp: number,
  changes: Partial<Omit<StoredPosition, 'id'>>,
): Promise<void> {
  const rows = await query.selectFrom('points').select('id').where('timestamp', '=', timestamp).execute();
  for (const { id } of rows) await changePosition(query, storeKind, id, changes);
}
