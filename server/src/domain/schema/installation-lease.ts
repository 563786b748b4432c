import { randomUUID } from 'node:crypto';
import type { Store } from './tables.ts';

/** A right that one process of the installation has at a time, kept under a name. */
export function installationLease(store: Pick<Store, 'query' | 'dialect'>, name: string, durationMs: number) {
  const owner = randomUUID();
  // SQLite serves one process at a time, so an earlier holder is gone.
  let isFirst = !store.dialect.isShared;
  let heldUntil = 0;

  const exchange = async (before: string, after: string) => {
    const { numUpdatedRows } = await store.query
      .updateTable('settings')
      .set({ value: after })
      .where('name', '=', name)
      .where('value', '=', before)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  };

  return {
    /** Takes it, or holds it for longer; false where another has it. */
    async hold(now: number): Promise<boolean> {
      const before = await installationValue(store, name, () => FREE);
      const [holder, until] = before.split(' ');
      const isMine = isFirst || holder === owner || Number(until) <= now;
      if (!isMine || !(await exchange(before, `${owner} ${now + durationMs}`))) {
        heldUntil = 0;
        return false;
      }
      isFirst = false;
      heldUntil = now + durationMs;
      return true;
    },

    /** Whether it is held, by the last answer of the store. */
    isHeld: (now: number) => now < heldUntil,

    async release(): Promise<void> {
      heldUntil = 0;
      const before = await installationValue(store, name, () => FREE);
      if (before.startsWith(`${owner} `)) await exchange(before, FREE);
    },
  };
}

const FREE = 'nobody 0';

/**
 * What this installation keeps under a name; where there is nothing yet, what is made is kept. Of several processes that
 * start at once, all get what the first of them made.
 */
export async function installationValue(
  store: Pick<Store, 'query'>,
  name: string,
  make: () => string,
): Promise<string> {
  const read = () => store.query.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst();
  const there = await read();
  if (there !== undefined) return there.value;
  await store.query
    .insertInto('settings')
    .values({ name, value: make() })
    .onConflict((on) => on.column('name').doNothing())
    .execute();
  return (await read())!.value;
}

/** A text that this installation keeps under a name, and changes. */
export const installationText = ({ query }: Pick<Store, 'query'>, name: string) => ({
  async load(): Promise<string | undefined> {
    return (await query.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst())?.value;
  },
  async save(value: string): Promise<void> {
    await query
      .insertInto('settings')
      .values({ name, value })
      .onConflict((on) => on.column('name').doUpdateSet({ value }))
      .execute();
  },
});
