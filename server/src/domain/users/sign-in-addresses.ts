import { findRow } from '../rows.ts';
import type { Store, Tx } from '../schema/tables.ts';

const DAY_MS = 86_400_000;
const KNOWN_MS = 30 * DAY_MS;
/** The most addresses that are remembered of a user; the oldest go first. */
const MOST = 20;

/** Whether the user signed in from this address within 30 days. */
export async function isKnownAddress(on: Tx, userId: number, address: string, now: number): Promise<boolean> {
  const row = await findRow(on, 'signInAddresses', { userId, address }, ['at']);
  return row !== undefined && row.at > now - KNOWN_MS;
}

/** Remembers the address. Writes once a day at most, so that an ordinary sign-in costs no write of its own. */
export async function noteSignIn(store: Store, userId: number, address: string, now: number): Promise<void> {
  const noted = await findRow(store.query, 'signInAddresses', { userId, address }, ['at']);
  if (noted !== undefined && noted.at > now - DAY_MS) return;
  await store.transaction(async (tx) => {
    await tx
      .insertInto('signInAddresses')
      .values({ userId, address, at: now })
      .onConflict((on) => on.columns(['userId', 'address']).doUpdateSet({ at: now }))
      .execute();
    const all = await tx
      .selectFrom('signInAddresses')
      .select('address')
      .where('userId', '=', userId)
      .orderBy('at', 'desc')
      .execute();
    const surplus = all.slice(MOST).map((row) => row.address);
    if (surplus.length > 0)
      await tx.deleteFrom('signInAddresses').where('userId', '=', userId).where('address', 'in', surplus).execute();
  });
}

export async function forgetSignInAddresses(store: Store, now: number): Promise<void> {
  await store.query
    .deleteFrom('signInAddresses')
    .where('at', '<', now - KNOWN_MS)
    .execute();
}
