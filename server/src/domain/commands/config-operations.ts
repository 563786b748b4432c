import { type deviceConfigOperations as contract, deviceConfig } from '@trackway/contract/resources/device-config.ts';
import type { Shown } from '@trackway/contract/schema.ts';
import { sql } from 'kysely';
import type { Call, Handlers } from '../../calls.ts';
import type { Row } from '../../platform/storage/shape.ts';
import { invalidField, modelNotFound } from '../../refusals.ts';
import { recordDeviceAudit } from '../audit/record.ts';
import { changedFields, refuseMoved } from '../family.ts';
import { refuseBelowLimits } from '../plans/limits.ts';
import { type EndedRights, holds } from '../rights.ts';
import { collectionOf } from '../schema/table.ts';
import type { Store, Tx } from '../schema/tables.ts';

/** Fields that the device itself reports: changes of these are not sent to it. */
const REPORTED: ReadonlySet<keyof Shown<typeof deviceConfig>> = new Set([
  'currentFW',
  'flashTryCount',
  'updateAvailibility',
  'modified',
]);

interface DeviceConfigs {
  readonly operations: Handlers<keyof typeof contract>;
  /** Returns the configuration of a device as JSON text, for lists of devices that include it. */
  included(deviceId: number): Promise<string>;
}

export function deviceConfigs(store: Store): DeviceConfigs {
  const rows = collectionOf(store, 'deviceConfigs', deviceConfig);
  const columns = rows.shape.map(({ name }) => `"${name}"`).join(', ');
  const byDevice = store.prepare<Row>(
    'deviceConfigs.byDevice',
    `SELECT ${columns} FROM "deviceConfigs" WHERE "deviceId" = ?`,
  );

  async function configOf(deviceId: number): Promise<Row> {
    const row = await byDevice.get(deviceId);
    if (row === undefined) throw modelNotFound('device', deviceId);
    return row;
  }

  async function requireZone(call: Call, safeZoneId: number | null | undefined): Promise<void> {
    if (safeZoneId === undefined || safeZoneId === null) return;
    let zones = store.query.selectFrom('geofences').select('id').where('id', '=', safeZoneId);
    if (!call.caller.admin) zones = zones.where('userId', '=', call.caller.userId);
    if ((await zones.executeTakeFirst()) === undefined) {
      throw invalidField(
        'deviceConfig',
        'safeZoneId',
        'unknown',
        `is not a geofence you have access to: ${safeZoneId}`,
      );
    }
  }

  return {
    included: async (deviceId) => JSON.stringify(rows.present(await configOf(deviceId))),
    operations: {
      getDeviceConfig: async (call) => rows.present(await configOf(call.deviceId)),

      async updateDeviceConfig(call) {
        const before = await configOf(call.deviceId);
        refuseMoved(call.sent, { id: before.id as number, deviceId: call.deviceId });
        const { modified: pushAgain, ...values } = call.body;
        if (values.safeZoneId !== before.safeZoneId) await requireZone(call, values.safeZoneId);
        const changes = changedFields(values, rows.present(before));
        const { interval, sleepInterval } = values;
        const limited = {
          ...(changes.includes('interval') && { interval }),
          ...(changes.includes('sleepInterval') && { sleepInterval }),
        };
        // Admins may exceed the limits of a plan.
        if (!call.caller.admin) await refuseBelowLimits(store.query, call.deviceId, limited, call.now);
        const waits = changes.some((name) => !REPORTED.has(name)) || (pushAgain !== undefined && pushAgain !== null);
        const row = await store.transaction(async (tx) => {
          if (changes.includes('safeZoneId'))
            await releaseZones(tx, before.id as number, (values.safeZoneId ?? null) as number | null);
          const fields = [...changes, ...(waits && changes.length === 0 ? ['modified'] : [])];
          const entry = { action: 'deviceConfig.updated', deviceId: call.deviceId, detail: { fields } } as const;
          if (fields.length > 0) await recordDeviceAudit(tx, call, entry);
          return rows.update(before.id as number, waits ? { ...values, modified: call.now } : values, tx, {
            deviceId: call.deviceId,
          });
        });
        if (row === undefined) throw modelNotFound('device', call.deviceId);
        return rows.present(row);
      },
    },
  };
}

/**
 * The configuration of a device refers to its safe zone; a fence that was created for a configuration has its id. A
 * configuration has one safe zone, so both change together, here.
 */

/** Sets or removes the safe zone of a configuration. The device receives it with the response to its next report. */
export async function setZoneOfConfig(tx: Tx, configId: number, fenceId: number | null, now: number): Promise<void> {
  await tx
    .updateTable('deviceConfigs')
    .set({ safeZoneId: fenceId, modified: now })
    .where('id', '=', configId)
    .execute();
  await releaseZones(tx, configId, fenceId);
}

/** Fences that were created for a configuration and are no longer its safe zone. */
async function releaseZones(tx: Tx, configId: number, exceptId: number | null): Promise<void> {
  let fences = tx.updateTable('geofences').set({ configId: null }).where('configId', '=', configId);
  if (exceptId !== null) fences = fences.where('id', '!=', exceptId);
  await fences.execute();
}

/** Removes these safe zones from their devices. */
export async function endZones(tx: Tx, fenceIds: readonly number[], now: number, configId?: number): Promise<void> {
  let configs = tx
    .updateTable('deviceConfigs')
    .set({ safeZoneId: null, modified: now })
    .where('safeZoneId', 'in', fenceIds);
  if (configId !== undefined) configs = configs.where('id', '=', configId);
  await configs.execute();
}

/**
 * Removes the safe zones of users who may no longer manage the device. The device is notified, since it may have
 * applied the zone.
 */
export async function endUncoveredSafeZones(
  tx: Tx,
  { userId, deviceId, isGivenAway }: EndedRights,
  now: number,
): Promise<number> {
  let zones = tx.selectFrom('deviceConfigs as c').innerJoin('geofences as g', 'g.id', 'c.safeZoneId').select('c.id');
  if (!isGivenAway) zones = zones.where(sql<boolean>`NOT ${holds('manage', 'g.userId', deviceId ?? 'c.deviceId')}`);
  if (userId !== undefined) zones = zones.where('g.userId', '=', userId);
  if (deviceId !== undefined) zones = zones.where('c.deviceId', '=', deviceId);
  const uncovered = await zones.execute();
  for (const { id } of uncovered) await setZoneOfConfig(tx, id, null, now);
  return uncovered.length;
}
