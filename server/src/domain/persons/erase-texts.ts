import type { LooseQuery } from '../archive/next-rows.ts';
import type { Store } from '../schema/tables.ts';

/** Takes away what is about a device or a person without naming it by its id. */

/** Columns that hold an e-mail address. */
export const ADDRESSES: readonly (readonly [table: string, column: string])[] = [
  ['shareGrants', 'email'],
  ['deviceGroupGrants', 'email'],
  ['geofenceListGrants', 'email'],
  ['invitations', 'email'],
  ['mailRecipients', 'address'],
  ['mailLinks', 'address'],
  ['mailRefusals', 'address'],
  ['mailings', 'address'],
  ['outbox', 'address'],
];

export async function eraseTextsOfDevice({ query }: Store, deviceId: number): Promise<void> {
  const device = await query
    .selectFrom('devices')
    .select(['imei', 'serial', 'ownerId'])
    .where('id', '=', deviceId)
    .executeTakeFirst();
  if (device === undefined) return;
  const names = [device.imei, device.serial].filter((name) => name !== null);
  if (names.length > 0) await query.deleteFrom('knocks').where('identity', 'in', names).execute();
  // Answers that are kept for requests that come again.
  await query.deleteFrom('idempotencyKeys').where('userId', '=', device.ownerId).execute();
  // Mails that tell of several devices.
  const reports = query.selectFrom('reportDevices').select('outboxId').where('deviceId', '=', deviceId);
  await query.deleteFrom('outbox').where('id', 'in', reports).execute();
  const digests = await query
    .selectFrom('outbox')
    .select('digestId')
    .distinct()
    .where('deviceId', '=', deviceId)
    .where('digestId', 'is not', null)
    .execute();
  for (const { digestId } of digests) await query.deleteFrom('outbox').where('id', '=', digestId).execute();
}

export async function eraseTextsOfUser({ query }: Store, userId: number): Promise<void> {
  const user = await query.selectFrom('users').select('email').where('id', '=', userId).executeTakeFirst();
  if (user === undefined) return;
  const loose = query as unknown as LooseQuery;
  for (const [table, column] of ADDRESSES) await loose.deleteFrom(table).where(column, '=', user.email).execute();
  await query.deleteFrom('passwordFailures').where('account', '=', `user:${userId}`).execute();
  const own = query.selectFrom('notifications').select('id').where('userId', '=', userId);
  await query.deleteFrom('escalations').where('notificationId', 'in', own).execute();
  const holders = await query
    .selectFrom('queueHolders')
    .select(['id', 'allowed'])
    .where('allowed', 'is not', null)
    .execute();
  for (const { id, allowed } of holders) {
    const others = (JSON.parse(allowed!) as unknown[]).filter((one) => one !== userId);
    if (others.length < (JSON.parse(allowed!) as unknown[]).length)
      await query
        .updateTable('queueHolders')
        .set({ allowed: JSON.stringify(others) })
        .where('id', '=', id)
        .execute();
  }
}
