import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';

/**
 * What depends on a row and goes with it, or no longer refers to it. Foreign keys would do the same on SQLite, and most of
 * it on PostgreSQL; Citus cannot hold a key between rows that may be on two servers.
 */
interface Dependant {
  readonly table: keyof Tables;
  readonly column: string;
  readonly becomes: 'deleted' | 'null';
}

const DEPENDANTS = {
  notificationTriggers: [
    { table: 'proximities', column: 'triggerId', becomes: 'deleted' },
    { table: 'firedOccasions', column: 'triggerId', becomes: 'deleted' },
  ],
  messages: [
    { table: 'transients', column: 'messageId', becomes: 'null' },
    { table: 'rtkCommands', column: 'queuedMessageId', becomes: 'null' },
    { table: 'messages', column: 'replyId', becomes: 'null' },
  ],
  maintenanceTasks: [
    { table: 'maintenanceRecords', column: 'taskId', becomes: 'null' },
    { table: 'firedOccasions', column: 'taskId', becomes: 'deleted' },
  ],
  geofences: [{ table: 'deviceConfigs', column: 'safeZoneId', becomes: 'null' }],
  deviceConfigs: [{ table: 'geofences', column: 'configId', becomes: 'null' }],
  drivers: [{ table: 'driverSignOns', column: 'driverId', becomes: 'deleted' }],
  deviceGroups: [{ table: 'deviceGroupMembers', column: 'groupId', becomes: 'deleted' }],
  outbox: [{ table: 'reportDevices', column: 'outboxId', becomes: 'deleted' }],
} as const satisfies { readonly [Table in keyof Tables]?: readonly Dependant[] };

type WithDependants = keyof typeof DEPENDANTS;

/** All tables whose rows go with their device. Tables of many rows are emptied before, in small steps. */
const OF_DEVICE = [
  ...(['shares', 'shareGrants', 'deviceStates', 'checkpoints', 'triggerVersions', 'trips'] as const),
  ...(['stops', 'notifications', 'forwarders', 'receivedItems', 'transients', 'rtkStates', 'rtkCommands'] as const),
  'commandChannels' as const,
  ...(['rtkLogs', 'deviceEvents', 'ignitionChanges', 'undecodedFrames', 'placeQueue', 'deviceGroupMembers'] as const),
  ...([
    'deviceKeys',
    'vehicles',
    'ruleQueue',
    'links',
    'historyImports',
    'maintenanceRecords',
    'driverSignOns',
    'outboxRelay',
  ] as const),
  ...(['geofenceChecks', 'readingRelay', 'subscriptions'] as const),
];
const OF_DEVICE_WITH_DEPENDANTS = [
  ...(['notificationTriggers', 'messages', 'maintenanceTasks', 'geofences', 'deviceConfigs'] as const),
];

/** Those whose rows go with their user, and those whose rows forget who it was. */
const OF_USER = ['shares', 'shareGrants', 'triggerVersions', 'forwarders', 'notifications', 'outboxRelay'] as const;
const OF_USER_WITH_DEPENDANTS = ['notificationTriggers', 'outbox', 'drivers', 'geofences'] as const;
const NAMING_USER = [
  ['shareGrants', 'holderId'],
  ['historyImports', 'userId'],
  ['maintenanceRecords', 'userId'],
  ['driverSignOns', 'userId'],
  ['messages', 'userId'],
  ['notifications', 'acknowledgedBy'],
] as const;

const CHUNK = 500;

type AnyRows = Kysely<Record<string, Record<string, number | null>>>;

export const hasDependants = (table: string): table is WithDependants => table in DEPENDANTS;

/** To be called before the rows are deleted, in their transaction. */
export async function endDependants(tx: unknown, table: WithDependants, ids: readonly number[]): Promise<void> {
  const rows = tx as AnyRows;
  for (let done = 0; done < ids.length; done += CHUNK) {
    const some = ids.slice(done, done + CHUNK);
    for (const { table: dependant, column, becomes } of DEPENDANTS[table] as readonly Dependant[])
      if (becomes === 'deleted') await rows.deleteFrom(dependant).where(column, 'in', some).execute();
      else
        await rows
          .updateTable(dependant)
          .set({ [column]: null })
          .where(column, 'in', some)
          .execute();
  }
}

/** Deletes a device and all that goes with it. */
export async function deleteDevice(tx: Kysely<Tables>, deviceId: number): Promise<void> {
  const rows = tx as unknown as AnyRows;
  for (const table of OF_DEVICE_WITH_DEPENDANTS) await deleteWithDependants(rows, table, 'deviceId', deviceId);
  for (const table of OF_DEVICE) await rows.deleteFrom(table).where('deviceId', '=', deviceId).execute();
  await tx.deleteFrom('proximities').where('otherDeviceId', '=', deviceId).execute();
  await tx.deleteFrom('devices').where('id', '=', deviceId).execute();
}

/** Deletes a user, who has no devices any more, and all that goes with them. */
export async function deleteUserRow(tx: Kysely<Tables>, userId: number): Promise<void> {
  const rows = tx as unknown as AnyRows;
  for (const table of OF_USER_WITH_DEPENDANTS) await deleteWithDependants(rows, table, 'userId', userId);
  await deleteWithDependants(rows, 'deviceGroups', 'ownerId', userId);
  // Before those in them forget the user by a foreign key: a row that was changed so must not refer to a list that is gone.
  await tx.deleteFrom('geofenceLists').where('ownerId', '=', userId).execute();
  for (const table of OF_USER) await rows.deleteFrom(table).where('userId', '=', userId).execute();
  for (const [table, column] of NAMING_USER)
    await rows
      .updateTable(table)
      .set({ [column]: null })
      .where(column, '=', userId)
      .execute();
  await handOnQuota(tx, userId);
  await tx.deleteFrom('users').where('id', '=', userId).execute();
}

/** Users who shared the quota of a user continue to share one: that of the first of them. */
async function handOnQuota(tx: Kysely<Tables>, userId: number): Promise<void> {
  const invited = await tx.selectFrom('users').select('id').where('invitedBy', '=', userId).orderBy('id').execute();
  const [first, ...others] = invited.map(({ id }) => id);
  if (first === undefined || others.length === 0) return;
  await tx.updateTable('users').set({ invitedBy: first }).where('id', 'in', others).execute();
}

async function deleteWithDependants(
  rows: AnyRows,
  table: WithDependants,
  column: string,
  value: number,
): Promise<void> {
  const found = await rows.selectFrom(table).select('id').where(column, '=', value).execute();
  await endDependants(
    rows,
    table,
    found.map(({ id }) => id!),
  );
  await rows.deleteFrom(table).where(column, '=', value).execute();
}
