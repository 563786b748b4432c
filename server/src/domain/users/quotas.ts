import type { Caller } from '../../calls.ts';
import { quotaExceeded } from '../../refusals.ts';
import { type CountedQuery, countRows, findRow } from '../rows.ts';
import type { Tx } from '../schema/tables.ts';

/**
 * How many things of each kind a user may have; 0 = no limit. Admins may have any number. A user and the people invited
 * by this user's shares have one common quota, so that more accounts do not increase it.
 */
export interface Quotas {
  readonly devices: number;
  readonly triggers: number;
  /** Triggers of one user on one device. */
  readonly deviceTriggers: number;
  readonly geofences: number;
  readonly tokens: number;
  /** Messages of one user that wait for devices. */
  readonly messages: number;
  /** Pending messages for one device, of all senders. */
  readonly deviceMessages: number;
  /** Shares of a user's devices. */
  readonly shares: number;
  readonly geofenceLists: number;
  /** Of one list of geofences. */
  readonly listMembers: number;
  /** Devices of a user whose IMEI or serial number waits for an admin. */
  readonly identityClaims: number;
}

export const UNLIMITED: Quotas = {
  devices: 0,
  triggers: 0,
  deviceTriggers: 0,
  geofences: 0,
  tokens: 0,
  messages: 0,
  deviceMessages: 0,
  shares: 0,
  geofenceLists: 0,
  listMembers: 0,
  identityClaims: 0,
};

const WORDS: Record<keyof Quotas, string> = {
  devices: 'devices',
  triggers: 'triggers',
  deviceTriggers: 'triggers on this device',
  geofences: 'geofences',
  tokens: 'personal access tokens',
  messages: 'pending messages to devices',
  deviceMessages: 'pending messages to this device',
  shares: 'shares',
  geofenceLists: 'geofence lists',
  listMembers: 'members of this list',
  identityClaims: 'devices whose IMEI or serial number waits for approval',
};

export interface Room {
  readonly quotas: Quotas;
  readonly caller: Pick<Caller, 'admin'>;
  /** Whose quota it is. */
  readonly userId: number;
}

/**
 * Refuses to create one more than a user may have. It is checked in the transaction that creates the item. That locks
 * the quota, so that the limit also applies to simultaneous calls.
 * @param counted how many there are of the users that share the quota, as a query
 * @param refusal what is thrown if there are too many
 */
export async function requireRoom(
  tx: Tx,
  { quotas, caller, userId }: Room,
  what: keyof Quotas,
  counted: (tx: Tx, userIds: readonly number[]) => CountedQuery,
  refusal = (most: number) => quotaExceeded(WORDS[what], most),
): Promise<void> {
  const most = quotas[what];
  if (most === 0 || caller.admin) return;
  const first = await quotaHolder(tx, userId);
  await tx.selectFrom('users').select('id').where('id', '=', first).forUpdate().execute();
  const others = await tx
    .selectFrom('users')
    .select('id')
    .where('invitedBy', '=', first)
    .where('admin', '=', 0)
    .execute();
  const userIds = new Set([userId, first, ...others.map(({ id }) => id)]);
  if ((await countRows(counted(tx, [...userIds]))) >= most) throw refusal(most);
}

/** The user whose quota another one uses. */
export async function quotaHolder(tx: Tx, userId: number): Promise<number> {
  const user = await findRow(tx, 'users', { id: userId }, ['invitedBy']);
  return user?.invitedBy ?? userId;
}
