import { invalidField, quotaExceeded } from '../../../refusals.ts';
import { countRows } from '../../rows.ts';
import type { Tx } from '../../schema/tables.ts';
import { type ShareFollowers, settleShares } from '../grants.ts';
import { rulesDue } from '../rules-changed.ts';
import { holdersOf, withAncestors } from './groups.ts';

/** Which devices are in a group. */

interface Group {
  readonly id: number;
  readonly ownerId: number;
}

const MOST_DEVICES = 20_000;
/** Groups that one device can be in. */
const MOST_GROUPS_OF_DEVICE = 50;
const AT_ONCE = 500;

export async function addDevices(
  tx: Tx,
  followers: ShareFollowers,
  group: Group,
  wanted: readonly number[],
  now: number,
): Promise<void> {
  const deviceIds = [...new Set(wanted)].sort((a, b) => a - b);
  await requireOwned(tx, group.ownerId, deviceIds);
  const before = await countOf(tx, group.id);
  for (let start = 0; start < deviceIds.length; start += AT_ONCE) {
    const some = deviceIds.slice(start, start + AT_ONCE);
    await tx
      .insertInto('deviceGroupMembers')
      .values(some.map((deviceId) => ({ deviceId, groupId: group.id, created: now })))
      .onConflict((on) => on.doNothing())
      .execute();
    await requireFewGroups(tx, some);
  }
  const after = await countOf(tx, group.id);
  if (after > MOST_DEVICES && after > before) throw quotaExceeded('devices in a group', MOST_DEVICES);
  await settle(tx, followers, group, deviceIds, now);
}

export async function removeDevices(
  tx: Tx,
  followers: ShareFollowers,
  group: Group,
  wanted: readonly number[],
  now: number,
): Promise<void> {
  const left = await tx
    .deleteFrom('deviceGroupMembers')
    .where('groupId', '=', group.id)
    .where('deviceId', 'in', [...new Set(wanted)])
    .returning('deviceId')
    .execute();
  const deviceIds = left.map(({ deviceId }) => deviceId).sort((a, b) => a - b);
  await settle(tx, followers, group, deviceIds, now);
}

/** A device that gets another owner is in none of the groups of the former one. */
export async function leaveGroups(tx: Tx, followers: ShareFollowers, deviceId: number, now: number): Promise<void> {
  const left = await tx
    .deleteFrom('deviceGroupMembers')
    .where('deviceId', '=', deviceId)
    .returning('groupId')
    .execute();
  const userIds: number[] = [];
  for (const { groupId } of left) userIds.push(...(await holdersOf(tx, await withAncestors(tx, groupId))));
  await settleDevices(tx, followers, { deviceIds: [deviceId], userIds }, now);
}

async function settle(
  tx: Tx,
  followers: ShareFollowers,
  group: Group,
  deviceIds: readonly number[],
  now: number,
): Promise<void> {
  if (deviceIds.length === 0) return;
  const userIds = await holdersOf(tx, await withAncestors(tx, group.id));
  await settleDevices(tx, followers, { deviceIds, userIds }, now);
}

async function requireOwned(tx: Tx, ownerId: number, deviceIds: readonly number[]): Promise<void> {
  const owned = new Set<number>();
  for (let start = 0; start < deviceIds.length; start += AT_ONCE) {
    const rows = await tx
      .selectFrom('devices')
      .select('id')
      .where('id', 'in', deviceIds.slice(start, start + AT_ONCE))
      .where('ownerId', '=', ownerId)
      .where('deletedAt', 'is', null)
      .execute();
    for (const { id } of rows) owned.add(id);
  }
  const foreign = deviceIds.find((id) => !owned.has(id));
  if (foreign !== undefined)
    throw invalidField('deviceGroup', 'ids', 'unknown', `has a device that this user does not own: ${foreign}`);
}

async function requireFewGroups(tx: Tx, deviceIds: readonly number[]): Promise<void> {
  const full = await tx
    .selectFrom('deviceGroupMembers')
    .select('deviceId')
    .where('deviceId', 'in', [...deviceIds])
    .groupBy('deviceId')
    .having((of) => of.fn.countAll<number>(), '>', MOST_GROUPS_OF_DEVICE)
    .executeTakeFirst();
  if (full !== undefined) throw quotaExceeded('groups for one device', MOST_GROUPS_OF_DEVICE);
}

async function countOf(tx: Tx, groupId: number): Promise<number> {
  const count = await countRows(tx.selectFrom('deviceGroupMembers').where('groupId', '=', groupId));
  return count;
}

/** Rights that one change may have to look at: a transaction must end. */
const MOST_SETTLED = 400_000;

/** After a change of groups: rights and rules of the devices follow. `userIds` may have had, or have now, a right by it. */
export async function settleDevices(
  tx: Tx,
  followers: ShareFollowers,
  { deviceIds, userIds }: { readonly deviceIds: readonly number[]; readonly userIds: readonly number[] },
  now: number,
): Promise<void> {
  const users = [...new Set(userIds)].sort((a, b) => a - b);
  if (deviceIds.length * users.length > MOST_SETTLED)
    throw invalidField(
      'deviceGroup',
      'id',
      'size',
      'has too many devices and shares to change at once: end some shares first, or change its subgroups one by one',
    );
  await rulesDue(tx, deviceIds, now);
  for (const userId of users) await settleShares(tx, followers, { deviceIds, userId }, now);
}
