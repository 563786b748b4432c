import { type Kysely, sql } from 'kysely';
import type { Caller } from '../../calls.ts';
import type { StoreKind } from '../../platform/storage/store-kind.ts';
import { quotaExceeded } from '../../refusals.ts';
import type { Tables } from '../schema/tables.ts';

/** How many things of each kind a user may have; 0 = no limit. Admins may have any number. */
export interface Quotas {
  readonly devices: number;
  readonly triggers: number;
  /** Triggers of one user on one device. */
  readonly deviceTriggers: number;
  readonly geofences: number;
  readonly tokens: number;
  /** Shares of a user's devices. */
  readonly shares: number;
  readonly geofenceLists: number;
  /** Of one list of geofences. */
  readonly listMembers: number;
}

export const UNLIMITED: Quotas = {
  devices: 0,
  triggers: 0,
  deviceTriggers: 0,
  geofences: 0,
  tokens: 0,
  shares: 0,
  geofenceLists: 0,
  listMembers: 0,
};

const WORDS: Record<keyof Quotas, string> = {
  devices: 'devices',
  triggers: 'triggers',
  deviceTriggers: 'triggers on this device',
  geofences: 'geofences',
  tokens: 'personal access tokens',
  shares: 'shares',
  geofenceLists: 'lists of geofences',
  listMembers: 'members of this list',
};

export interface Room {
  readonly storeKind: StoreKind;
  readonly quotas: Quotas;
  readonly caller: Pick<Caller, 'admin'>;
  /** Whose quota it is. */
  readonly userId: number;
}

/**
 * Refuses to create one more than a user may have. It is asked in the transaction that creates it: no other of the same
 * user is past this point until that ends, so that nobody can have more by asking for several at once.
 * @param counted how many there are, as a query
 */
export async function requireRoom(
  tx: Kysely<Tables>,
  { storeKind, quotas, caller, userId }: Room,
  what: keyof Quotas,
  counted: (tx: Kysely<Tables>) => { executeTakeFirstOrThrow(): Promise<{ count: number }> },
): Promise<void> {
  const most = quotas[what];
  if (most === 0 || caller.admin) return;
  // On SQLite a transaction is the only one that writes from its first statement on.
  if (storeKind === 'postgres') await sql`SELECT "id" FROM "users" WHERE "id" = ${userId} FOR UPDATE`.execute(tx);
  const { count } = await counted(tx).executeTakeFirstOrThrow();
  if (Number(count) >= most) throw quotaExceeded(WORDS[what], most);
}
