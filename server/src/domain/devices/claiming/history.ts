import type { Kysely } from 'kysely';
import type { StoreKind } from '../../../platform/storage/store-kind.ts';
import { forgetPositions } from '../../positions/write.ts';
import { endDependants, hasDependants } from '../../schema/dependants.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { forgetReadingSegments, forgetToldRows } from '../../stored-readings/pack-readings.ts';
import { purgeLong } from '../purge.ts';

/** Everything that was recorded of a device: whoever claims it does not inherit the tracks of others. */

/** Tables that hold what was recorded, and the columns by which their rows are the device's. */
export const RECORDED = {
  positions: ['deviceId'],
  segments: ['deviceId'],
  gatewayReadings: ['gatewayId'],
  readingSegments: ['gatewayId'],
  messages: ['deviceId'],
  trips: ['deviceId'],
  stops: ['deviceId'],
  notifications: ['deviceId'],
  checkpoints: ['deviceId'],
  historyImports: ['deviceId'],
  placesDue: ['deviceId'],
  escalations: ['deviceId'],
  quarantine: ['deviceId'],
  undecodedFrames: ['deviceId'],
  receivedItems: ['deviceId'],
  deviceEvents: ['deviceId'],
  ignitionChanges: ['deviceId'],
  maintenanceTasks: ['deviceId'],
  maintenanceRecords: ['deviceId'],
  driverSignOns: ['deviceId'],
  transients: ['deviceId'],
  rtkStates: ['deviceId'],
  rtkCommands: ['deviceId'],
  rtkLogs: ['deviceId'],
  triggerVersions: ['deviceId'],
  fenceChecks: ['deviceId'],
  liveEvents: ['deviceId', 'otherDeviceId'],
} as const satisfies { readonly [Table in keyof Tables]?: readonly string[] };

/**
 * Tables that name a device and keep their rows when it is claimed: settings and what is in the hardware, what belongs to
 * a user rather than to the device, and what ends in other ways.
 */
export const STAYING: readonly (keyof Tables)[] = [
  'auditEntries',
  'auditTrail',
  'deliveries',
  'deviceConfigs',
  'deviceGroupMembers',
  'deviceKeys',
  'deviceStates',
  'fenceVersions',
  'forwarders',
  'forwarderStates',
  'geofences',
  'links',
  'notificationTriggers',
  'outbox',
  'outgoing',
  // A view.
  'points',
  'reportDevices',
  'ruleDue',
  'shareGrants',
  'shares',
  'subscriptions',
];

/** Deletes most of a long history in small steps, as long as `goOn` says so. */
export async function thinHistory(store: Store, deviceId: number, goOn: () => Promise<boolean>): Promise<void> {
  await purgeLong(store, deviceId, goOn);
}

/** Deletes what is left of it, in the transaction that gives the device to somebody else. */
export async function forgetHistory(
  tx: Kysely<Tables>,
  storeKind: StoreKind,
  deviceId: number,
  now: number,
): Promise<void> {
  await forgetPositions(tx, storeKind, deviceId);
  const rows = tx as unknown as Kysely<Record<string, Record<string, number | null>>>;
  const { positions: _, ...others } = RECORDED;
  for (const [table, columns] of Object.entries(others))
    for (const column of columns) {
      if (hasDependants(table)) {
        const found = await rows.selectFrom(table).select('id').where(column, '=', deviceId).execute();
        await endDependants(
          tx,
          table,
          found.map(({ id }) => id!),
        );
      }
      await rows.deleteFrom(table).where(column, '=', deviceId).execute();
    }
  // Before and behind the rows, since some may be packed or unpacked meanwhile.
  await forgetReadingSegments(tx, deviceId);
  await forgetToldRows(tx, deviceId);
  // What gateways of others heard of it is theirs.
  await tx.updateTable('gatewayReadings').set({ deviceId: null }).where('deviceId', '=', deviceId).execute();
  await forgetReadingSegments(tx, deviceId);
  const nothing = { lastConnection: null, batteryPct: null, batteryVoltage: null, currentMode: null };
  await tx
    .updateTable('devices')
    .set({ ...nothing, firstSeen: now })
    .where('id', '=', deviceId)
    .execute();
  await tx
    .updateTable('deviceStates')
    .set((of) => ({
      form: 0,
      state: '{}',
      newest: null,
      checkpointAt: null,
      sinceCheckpoint: 0,
      lateFrom: null,
      hasRest: 0,
      replayFrom: null,
      replayBy: null,
      replayUntil: null,
      dueAt: null,
      heardAt: null,
      placedUntil: null,
      silentUntil: null,
      importFrom: null,
      rebuilds: 0,
      writes: of('writes', '+', 1),
    }))
    .where('deviceId', '=', deviceId)
    .execute();
}
