import type { Kysely } from 'kysely';
import { invalidField } from '../../../refusals.ts';
import type { Tables } from '../../schema/tables.ts';
import { type ShareFollowers, settleShares } from '../grants.ts';
import { rulesDue } from './rules-due.ts';

/** Rights that one change may have to look at: a transaction must end. */
const MOST_SETTLED = 400_000;

/** After a change of groups: rights and rules of the devices follow. `userIds` may have had, or have now, a right by it. */
export async function settleDevices(
  tx: Kysely<Tables>,
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
      'has too many devices and shares to change at once: end some shares first, or change the groups below it one by one',
    );
  await rulesDue(tx, deviceIds, now);
  for (const userId of users) await settleShares(tx, followers, { deviceIds, userId }, now);
}
