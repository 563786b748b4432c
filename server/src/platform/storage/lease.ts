import type { AnyDatabase } from './database.ts';

/**
 * A lease gives one process the right to work on a row for a time: the row names its owner and the end. Statements are
 * text, so that one of them can acquire or renew a lease together with the work that needs it. The cells of each are
 * given in their order.
 */
export interface LeaseColumns {
  readonly table: string;
  /** The column that identifies a row. */
  readonly key: string;
  readonly owner: string;
  readonly until: string;
}

interface More {
  /** Other columns that are set in the same statement. */
  readonly set?: readonly string[];
  /** The columns that are answered; the key where absent. Nothing is answered where the lease is another's. */
  readonly returning?: readonly string[];
}

const quoted = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ');
const assigned = (names: readonly string[]) => names.map((name) => `, "${name}" = ?`).join('');

/** Takes a row that is free, was the owner's before, or whose lease has ended. Cells: owner, until, set, key, owner, now. */
export const acquireLease = ({ table, key, owner, until }: LeaseColumns, { set = [], returning = [key] }: More = {}) =>
  `UPDATE "${table}" SET "${owner}" = ?, "${until}" = ?${assigned(set)} ` +
  `WHERE "${key}" = ? AND ("${owner}" IS NULL OR "${owner}" = ? OR "${until}" <= ?) RETURNING ${quoted(returning)}`;

/** Holds a row for longer, unless another has taken it. Cells: until, set, key, owner. */
export const renewLease = ({ table, key, owner, until }: LeaseColumns, { set = [], returning = [key] }: More = {}) =>
  `UPDATE "${table}" SET "${until}" = ?${assigned(set)} WHERE "${key}" = ? AND "${owner}" = ? RETURNING ${quoted(returning)}`;

/** Gives a row back, unless another has taken it. Cells: set, key, owner. */
export const releaseLease = ({ table, key, owner, until }: LeaseColumns, { set = [], returning = [key] }: More = {}) =>
  `UPDATE "${table}" SET "${owner}" = NULL, "${until}" = NULL${assigned(set)} ` +
  `WHERE "${key}" = ? AND "${owner}" = ? RETURNING ${quoted(returning)}`;

/** What `acquireLease` decides, for a row as it was when it was read. */
export const isLeaseFree = (
  { owner, until }: { readonly owner: string | null; readonly until: number | null },
  asking: string,
  now: number,
) => owner === null || owner === asking || (until ?? 0) <= now;

/** Renewing at half of the time leaves the other half for a store that is slow. */
export const isRenewalDue = (until: number, durationMs: number, now: number) => until - now <= durationMs / 2;

/** SQLite serves one process at a time, so earlier holders are gone, and their leases are free at once. */
export async function freeLeasesOfDead(db: AnyDatabase, { table, owner, until }: LeaseColumns): Promise<void> {
  if (db.dialect.isShared) return;
  await db.query
    .updateTable(table)
    .set({ [owner]: null, [until]: null })
    .where(owner, 'is not', null)
    .execute();
}
