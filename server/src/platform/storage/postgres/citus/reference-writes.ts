import type { SlotKeys } from '../../placement.ts';
import { recentlyUsed } from '../../../caches.ts';

const WRITES = /\b(?:insert\s+into|update|delete\s+from)\s+"(\w+)"/gi;
const REMEMBERED = 1000;

/**
 * Whether a statement writes to a reference table, which every server has a copy of. Citus locks the whole of such a
 * table for an update and shares the lock for an insert, so transactions that do both would wait for each other: these
 * take turns.
 */
export function referenceWrites({ references = [] }: SlotKeys): (sql: string) => boolean {
  const copied = new Set(references);
  return recentlyUsed(REMEMBERED, (sql) => [...sql.matchAll(WRITES)].some(([, table]) => copied.has(table!)));
}

/** One at a time. Released at the end of the transaction. */
export const TAKE_TURN = 'SELECT pg_advisory_xact_lock(5071432086)';
