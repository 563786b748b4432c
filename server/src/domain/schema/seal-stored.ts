import { isSealed, type Vault } from '../../platform/vault.ts';
import { installationValue } from './installation-lease.ts';
import { ERASURE_KEY, SEALED_PLACES, type SealedPlace } from './sealed-places.ts';
import type { Store } from './tables.ts';

const SLICE = 200;
const MARK = 'sealedWith';

interface Cell {
  readonly key: number | string;
  readonly about: string;
  readonly value: string;
}

/**
 * Encrypts every secret of the database with the current key, in slices; answers how many it were. What is done is not
 * done again, so it can be interrupted and repeated. Once it is complete, a mark saves later starts the search.
 */
export async function sealStored(store: Store, vault: Vault): Promise<number> {
  const done = `${vault.keyId} ${SEALED_PLACES.map(({ name }) => name).join(' ')}`;
  if ((await installationValue(store, MARK, () => '')) === done) return 0;
  let sealed = 0;
  for (const place of SEALED_PLACES) sealed += await eachCell(store, place, (cell) => resealed(vault, place, cell));
  await setMark(store, done);
  return sealed;
}

/** Removes every secret that the key cannot open, and answers how many it were. */
export async function discardUnreadable(store: Store, vault: Vault): Promise<number> {
  let gone = 0;
  for (const place of SEALED_PLACES)
    gone += await eachCell(store, place, (cell) => {
      try {
        place.reseal(cell.value, (text, context) => vault.open(text, context), cell.about);
        return undefined;
      } catch {
        return place.without;
      }
    });
  // An empty one is made anew by the next start.
  const made = ['vapidKeys', 'acmeAccount', 'acmeCertificate', ERASURE_KEY];
  await store.query.deleteFrom('settings').where('name', 'in', made).where('value', '=', '').execute();
  await setMark(store, '');
  return gone;
}

function resealed(vault: Vault, place: SealedPlace, { value, about }: Cell): string | undefined {
  const next = place.reseal(
    value,
    (text, context) =>
      isSealed(text) && vault.isCurrent(text) ? text : vault.seal(vault.open(text, context), context),
    about,
  );
  return next === value ? undefined : next;
}

/** @param change the new value of a cell; null where it goes away, undefined where it stays */
async function eachCell(
  store: Store,
  { table, key, about, column, condition }: SealedPlace,
  change: (cell: Cell) => string | null | undefined,
): Promise<number> {
  // The places name tables and columns of many types; all of these cells are texts.
  const query = store.query as unknown as import('kysely').Kysely<
    Record<string, Record<string, string | number | null>>
  >;
  let after: number | string = key === 'name' ? '' : 0;
  let changed = 0;
  for (;;) {
    let next = query
      .selectFrom(table)
      .select([`${key} as key`, `${about} as about`, `${column} as value`])
      .where(key, '>', after)
      .where(column, 'is not', null)
      .orderBy(key)
      .limit(SLICE);
    if (condition !== undefined) next = next.where(condition.column, '=', condition.value);
    const rows = (await next.execute()) as unknown as Cell[];
    const last = rows.at(-1);
    if (last === undefined) return changed;
    const changes = rows.flatMap((cell) => {
      const value = change(cell);
      return value === undefined ? [] : [{ cell, value }];
    });
    if (changes.length > 0)
      await store.transaction(async (tx) => {
        const on = tx as unknown as typeof query;
        // Only what is still as it was read: a server may have set another value meanwhile.
        for (const { cell, value } of changes)
          await on
            .updateTable(table)
            .set({ [column]: value })
            .where(key, '=', cell.key)
            .where(column, '=', cell.value)
            .execute();
      });
    changed += changes.length;
    after = last.key;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function setMark(store: Store, value: string): Promise<void> {
  await store.query.updateTable('settings').set({ value }).where('name', '=', MARK).execute();
}
