import { sql } from 'kysely';
import type { Store } from '../domain/schema/tables.ts';
import { slotGroupsOf } from '../domain/sending/outgoing/carrier.ts';
import { carryGroup } from '../domain/sending/outgoing/carry.ts';
import { watchfulLog } from './watchful-log.ts';

/**
 * Brings what tests staged into the outbox, at the time of the last of it, where rows are spread over servers. Elsewhere it is
 * there already.
 */
export async function carryStaged(store: Store): Promise<void> {
  if (store.groupOfSlot === undefined) return;
  const { rows } = await sql<{ last: number | null }>`SELECT MAX("created") AS "last" FROM "outgoing"`.execute(
    store.query,
  );
  const last = rows[0]?.last ?? null;
  if (last === null) return;
  for (const slots of slotGroupsOf(store.groupOfSlot).values()) await carryGroup(store, slots, watchfulLog, () => last);
}
