import { sql } from 'kysely';
import type { Store } from '../schema/tables.ts';

const KEPT_MS = 90 * 86_400_000;
const SLICE = 500;

/** Forgets modes long after their end and commands long after they were sent off, in small steps. */
export async function forgetOldCommands(store: Store, now: number): Promise<void> {
  const before = now - KEPT_MS;
  const { query } = store;
  await inSlices(async () => {
    const old = await query
      .selectFrom('transients')
      .select('id')
      .where('triggeredAt', '<', before)
      .where(sql<number>`COALESCE("end", "sent", "triggeredAt")`, '<', before)
      .limit(SLICE)
      .execute();
    const ids = old.map(({ id }) => id);
    if (ids.length > 0) await query.deleteFrom('transients').where('id', 'in', ids).execute();
    return ids.length;
  });
  await inSlices(async () => {
    const old = await query.selectFrom('rtkCommands').select('id').where('created', '<', before).limit(SLICE).execute();
    const ids = old.map(({ id }) => id);
    if (ids.length > 0) await query.deleteFrom('rtkCommands').where('id', 'in', ids).execute();
    return ids.length;
  });
}

async function inSlices(forgetSome: () => Promise<number>): Promise<void> {
  while ((await forgetSome()) === SLICE) await new Promise((resolve) => setImmediate(resolve));
}
