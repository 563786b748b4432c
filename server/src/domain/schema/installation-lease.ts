import { randomUUID } from 'node:crypto';
import { installationValue } from './installation-value.ts';
import type { Store } from './tables.ts';

/** A right that one process of the installation has at a time, kept under a name. */
export function installationLease(store: Pick<Store, 'query' | 'storeKind'>, name: string, durationMs: number) {
  const owner = randomUUID();
  // SQLite serves one process at a time, so whoever held it before this one started is gone.
  let isFirst = store.storeKind === 'sqlite';
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

    /** Whether it is held, as far as this process knows. */
    isHeld: (now: number) => now < heldUntil,

    async release(): Promise<void> {
      heldUntil = 0;
      const before = await installationValue(store, name, () => FREE);
      if (before.startsWith(`${owner} `)) await exchange(before, FREE);
    },
  };
}

const FREE = 'nobody 0';
