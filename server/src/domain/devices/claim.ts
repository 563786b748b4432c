import type { claimOperations as contract } from '@trackway/contract/resources/v2/plan-v2.ts';
import type { Kysely } from 'kysely';
import type { Call, Handlers } from '../../calls.ts';
import { badRequest } from '../../platform/errors.ts';
import { byCaller, recordAudit } from '../audit/record.ts';
import { accessChanged, appendLiveEvents } from '../live/append-live-events.ts';
import { endSubscription } from '../plans/subscriptions.ts';
import { deletePositionsOf } from '../positions/pack.ts';
import { clearNamed, deleteReportedBy } from '../positions/pack-readings.ts';
import type { RightsEnded } from '../rights.ts';
import { endDependants, hasDependants } from '../schema/dependants.ts';
import type { Store, Tables, Tx } from '../schema/tables.ts';
import { attemptGuess } from '../users/password-guard.ts';
import type { Quotas } from '../users/quotas.ts';
import { requireDeviceRoom } from './create.ts';
import { recordDeviceEvent } from './device-events.ts';
import type { ShareFollowers } from './grants.ts';
import { leaveGroups } from './groups/members.ts';
import { deviceInV2 } from './page-v2.ts';
import { purgeLong } from './purge.ts';
import { rulesChanged, rulesDue } from './rules-changed.ts';
import { endGrants } from './shares.ts';

/** Everything that was recorded of a device: a new owner does not inherit the tracks of the previous one. */

/** Tables with recorded data, and the columns that identify the device in their rows. */
export const RECORDED = {
  positions: ['deviceId'],
  positionSegments: ['deviceId'],
  gatewayReadings: ['gatewayId'],
  readingSegments: ['gatewayId'],
  messages: ['deviceId'],
  trips: ['deviceId'],
  stops: ['deviceId'],
  notifications: ['deviceId'],
  checkpoints: ['deviceId'],
  historyImports: ['deviceId'],
  placeQueue: ['deviceId'],
  escalations: ['deviceId'],
  quarantine: ['deviceId'],
  undecodedFrames: ['deviceId'],
  receivedItems: ['deviceId'],
  deviceEvents: ['deviceId'],
  ignitionChanges: ['deviceId'],
  vehicles: ['deviceId'],
  maintenanceTasks: ['deviceId'],
  maintenanceRecords: ['deviceId'],
  driverSignOns: ['deviceId'],
  transients: ['deviceId'],
  rtkStates: ['deviceId'],
  rtkCommands: ['deviceId'],
  rtkLogs: ['deviceId'],
  triggerVersions: ['deviceId'],
  geofenceChecks: ['deviceId'],
  readingRelay: ['deviceId', 'otherDeviceId'],
  liveEvents: ['deviceId', 'otherDeviceId'],
} as const satisfies { readonly [Table in keyof Tables]?: readonly string[] };

/**
 * Tables that name a device and keep their rows when it is claimed: settings and what is in the hardware, what belongs to
 * a user rather than to the device, and what ends in other ways.
 */
export const STAYING: readonly (keyof Tables)[] = [
  'auditEntries',
  'auditTrail',
  'commandChannels',
  'deliveries',
  'deviceConfigs',
  'deviceGroupMembers',
  'deviceKeys',
  'deviceStates',
  'geofenceVersions',
  'forwarders',
  'forwarderStates',
  'geofences',
  'links',
  'notificationTriggers',
  'outbox',
  'outboxRelay',
  // A view.
  'points',
  'reportDevices',
  'ruleQueue',
  'shareGrants',
  'shares',
  'subscriptions',
];

/** Deletes most of a long history in small steps, until `goOn` returns false. */
async function thinHistory(store: Store, deviceId: number, goOn: () => Promise<boolean>): Promise<void> {
  await purgeLong(store, deviceId, goOn);
}

/** Deletes what is left of it, in the transaction that gives the device to another user. */
export async function forgetHistory(tx: Tx, deviceId: number, now: number): Promise<void> {
  await deletePositionsOf(tx, deviceId);
  await deleteReportedBy(tx, deviceId);
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
  await clearNamed(tx, deviceId);
  const nothing = { lastConnection: null, batteryPct: null, batteryVoltage: null, currentMode: null };
  await tx
    .updateTable('devices')
    .set({ ...nothing, firstSeen: now })
    .where('id', '=', deviceId)
    .execute();
  await tx
    .updateTable('deviceStates')
    .set((of) => ({
      state: '{}',
      newestAt: null,
      lateFrom: null,
      hasBacklog: 0,
      replayFrom: null,
      replayBy: null,
      replayUntil: null,
      dueAt: null,
      reportedAt: null,
      placedUntil: null,
      importFrom: null,
      isRebuilding: 0,
      version: of('version', '+', 1),
    }))
    .where('deviceId', '=', deviceId)
    .execute();
}

interface ClaimParts {
  readonly store: Store;
  readonly followers: ShareFollowers;
  readonly rightsEnded: RightsEnded;
  readonly quotas: Quotas;
}

/** A device that can be claimed with its serial number. */
interface Claimable {
  readonly id: number;
  readonly formerId: number;
  readonly claimable: 'yes' | 'keepHistory';
}

/** One sentence for every reason, so that nothing can be learned by trying. */
const refused = () => badRequest('No device with this serial number can be claimed');

/** The id of the device, which the caller owns now. Only this changes the owner of a device. */
export async function claimDevice(parts: ClaimParts, call: Call, serial: string): Promise<number> {
  const { store } = parts;
  const { userId } = call.caller;
  let deviceId: number | undefined;
  const attempt = { userId, name: '', address: call.address, now: call.now };
  await attemptGuess(store, 'claim', attempt, async () => {
    deviceId = (await ownDevice(store.query, serial, userId)) ?? (await claimed(parts, call, serial));
    return deviceId !== undefined;
  });
  if (deviceId === undefined) throw refused();
  return deviceId;
}

async function withSerial(on: Tx, serial: string): Promise<number | undefined> {
  const found = on.selectFrom('deviceKeys').select('deviceId').where('serial', '=', serial);
  return (await found.executeTakeFirst())?.deviceId;
}

async function ownDevice(on: Tx, serial: string, userId: number): Promise<number | undefined> {
  const id = await withSerial(on, serial);
  if (id === undefined) return undefined;
  const own = await on
    .selectFrom('devices')
    .select('id')
    .where('id', '=', id)
    .where('ownerId', '=', userId)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
  return own?.id;
}

/** What can be claimed belongs to an admin, who offered it. */
async function claimableOf(on: Tx, serial: string): Promise<Claimable | undefined> {
  const id = await withSerial(on, serial);
  if (id === undefined) return undefined;
  const found = await on
    .selectFrom('devices as d')
    .innerJoin('users as u', 'u.id', 'd.ownerId')
    .select(['d.id', 'd.ownerId as formerId', 'd.claimable'])
    .where('d.id', '=', id)
    .where('d.deletedAt', 'is', null)
    .where('u.admin', '=', 1)
    .executeTakeFirst();
  return found === undefined || found.claimable === 'no' ? undefined : (found as Claimable);
}

async function claimed(parts: ClaimParts, call: Call, serial: string): Promise<number | undefined> {
  const { store } = parts;
  const offered = await claimableOf(store.query, serial);
  if (offered === undefined) return undefined;
  if (offered.claimable === 'yes') {
    // Before the owner changes, so that no user sees the tracks of another. The quota is checked first, so that tracks
    // are not deleted in vain.
    await store.transaction((tx) => requireDeviceRoom(tx, parts.quotas, call.caller));
    const isStill = async () => (await claimableOf(store.query, serial))?.claimable === 'yes';
    await thinHistory(store, offered.id, isStill);
  }
  const isClaimed = await store.transaction((tx) => moved(tx, parts, call, offered));
  // If another call claimed it first, that may have been the same user.
  return isClaimed ? offered.id : ownDevice(store.query, serial, call.caller.userId);
}

/** Gives the device to the caller, unless it was claimed or withdrawn meanwhile. */
async function moved(
  tx: Tx,
  { followers, rightsEnded, quotas }: ClaimParts,
  call: Call,
  { id: deviceId, formerId, claimable }: Claimable,
): Promise<boolean> {
  const { caller, now } = call;
  // First, because it waits for a running evaluation of the device and for other claims.
  await rulesChanged(tx, deviceId);
  const offered = await tx
    .selectFrom('devices')
    .select('id')
    .where('id', '=', deviceId)
    .where('ownerId', '=', formerId)
    .where('claimable', '=', claimable)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
  if (offered === undefined) return false;
  await requireDeviceRoom(tx, quotas, caller);

  await endGrants(tx, followers, { ...call, deviceId });
  await leaveGroups(tx, followers, deviceId, now);
  await endSubscription(tx, deviceId, now);
  if (claimable === 'yes') await forgetHistory(tx, deviceId, now);
  await tx
    .updateTable('devices')
    .set({ ownerId: caller.userId, claimable: 'no', expires: null })
    .where('id', '=', deviceId)
    .execute();
  await rulesDue(tx, [deviceId], now);
  await rightsEnded(tx, { userId: formerId, deviceId, isGivenAway: true }, now);
  const about = { action: 'device.claimed', ...byCaller(call), deviceId } as const;
  await recordAudit(tx, { ...about, userId: caller.userId }, now);
  await recordAudit(tx, { ...about, userId: formerId }, now);
  await recordDeviceEvent(tx, { deviceId, type: 'activation/claimed', description: 'Claimed by its new owner' }, now);
  await appendLiveEvents(tx, [accessChanged(deviceId)], now);
  return true;
}

export const claimOperations = (parts: ClaimParts): Handlers<keyof typeof contract> => ({
  claimDevice: async (call) => deviceInV2(parts.store, call, await claimDevice(parts, call, call.body.serial!)),
});
