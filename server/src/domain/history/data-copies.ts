import { hostname } from 'node:os';
import type { DataCopyRow } from '../schema/rows/account-rows.ts';
import type { Store } from '../schema/tables.ts';

/** Copies of data outside the database: an erasure lists them, because it does not affect them. */

interface DataCopy {
  readonly kind: DataCopyRow['kind'];
  readonly place: string;
  readonly machine: string;
  readonly updated: string;
}

export async function noteCopy({ query }: Store, kind: DataCopy['kind'], place: string, now: number): Promise<void> {
  const copy = { kind, place, machine: hostname(), created: now, updated: now };
  await query
    .insertInto('dataCopies')
    .values(copy)
    .onConflict((on) => on.columns(['kind', 'machine', 'place']).doUpdateSet({ updated: now }))
    .execute();
}

/** @param since earlier copies do not contain the data */
export async function copiesSince({ query }: Pick<Store, 'query'>, since: number): Promise<DataCopy[]> {
  const rows = await query.selectFrom('dataCopies').selectAll().where('updated', '>=', since).orderBy('id').execute();
  return rows.map(({ kind, place, machine, updated }) => ({
    kind,
    place,
    machine,
    updated: new Date(updated).toISOString(),
  }));
}
