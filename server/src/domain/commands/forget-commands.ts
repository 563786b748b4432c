import { sql } from 'kysely';
import { forgetOld } from '../schema/forget-old.ts';
import type { Store } from '../schema/tables.ts';

const KEPT_MS = 90 * 86_400_000;
const SLICE = 500;

/** Forgets modes long after their end and commands long after they were sent off, in small steps. */
export async function forgetOldCommands(store: Store, now: number): Promise<void> {
  const before = now - KEPT_MS;
  await forgetModes(store, before);
  await forgetOld(store, 'rtkCommands', 'created', before);
}

/** A mode lasts, so what is old by the index may still be kept. */
async function forgetModes({ query }: Store, before: number): Promise<void> {
  for (let count = SLICE; count === SLICE; ) {
    const old = await query
      .selectFrom('transients')
      .select('id')
      .where('triggeredAt', '<', before)
      .where(sql<number>`COALESCE("end", "sent", "triggeredAt")`, '<', before)
      .limit(SLICE)
      .execute();
    count = old.length;
    const ids = old.map(({ id }) => id);
    if (count > 0) await query.deleteFrom('transients').where('id', 'in', ids).execute();
    await new Promise((resolve) => setImmediate(resolve));
  }
}
