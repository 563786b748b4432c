import { deviceConfig } from '@trackway/contract/resources/device-config.ts';
import { geofence } from '@trackway/contract/resources/geofence.ts';
import { columnsOf, presentRow, type Row, type TableShape } from '../../platform/storage/shape.ts';
import { recordDeviceEvent } from '../devices/device-events.ts';
import { mayText } from '../rights.ts';
import { shapeOf } from '../schema/shape.ts';
import type { Store } from '../schema/tables.ts';
import { NOTHING_WANTED } from './firmware.ts';

/** The settings pending for a device: its configuration and its safe zone, each while it is modified. */
export function pendingConfig(store: Store) {
  const shape = shapeOf(deviceConfig);
  const zoneShape = shapeOf(geofence);
  const namesOf = (of: TableShape, alias: string) =>
    of
      .flatMap(columnsOf)
      .map((column) => `${alias}."${column}"`)
      .join(', ');
  const modified = store.prepare<Row>(
    'deviceConfigs.waiting',
    `SELECT ${namesOf(shape, 'c')} FROM "deviceConfigs" c WHERE c."deviceId" = ? AND c."modified" IS NOT NULL`,
  );
  const zone = store.prepare<Row>(
    'geofences.waiting',
    `SELECT ${namesOf(zoneShape, 'g')} FROM "deviceConfigs" c JOIN "geofences" g ON g."id" = c."safeZoneId"
     WHERE c."deviceId" = ? AND g."modified" = 1 AND ${mayText('manage', 'g."userId"', 'c."deviceId"')}`,
  );
  const firmwareOf = store.prepare<{ currentFW: string | null }>(
    'deviceConfigs.firmware',
    'SELECT "currentFW" FROM "deviceConfigs" WHERE "deviceId" = ?',
  );
  return {
    /** Counts how often a firmware update is sent. */
    async config(deviceId: number) {
      const row = await modified.get(deviceId);
      if (row !== undefined && row.otaFW !== null && row.otaFW !== row.currentFW)
        await store.query
          .updateTable('deviceConfigs')
          .set((of) => ({ flashTryCount: of(of.fn.coalesce('flashTryCount', of.lit(0)), '+', 1) }))
          .where('deviceId', '=', deviceId)
          .execute();
      return shown(shape, row);
    },
    zone: async (deviceId: number) => shown(zoneShape, await zone.get(deviceId)),

    /** A confirmation counts only for the pending version: a later change stays pending. */
    async taken(deviceId: number, version: number, now: number): Promise<void> {
      await store.transaction(async (tx) => {
        const taken = await tx
          .updateTable('deviceConfigs')
          .set({ modified: null, receivedAt: now, reset: null, command: null })
          .where('deviceId', '=', deviceId)
          .where('modified', '=', version)
          .returning('id')
          .executeTakeFirst();
        if (taken === undefined) return;
        const event = {
          type: 'bootloader/configTaken',
          description: 'The device confirmed its configuration.',
        } as const;
        await recordDeviceEvent(tx, { ...event, deviceId }, now);
      });
    },

    async zoneTaken(deviceId: number, zoneId: number): Promise<void> {
      const config = await store.query
        .selectFrom('deviceConfigs')
        .select('safeZoneId')
        .where('deviceId', '=', deviceId)
        .executeTakeFirst();
      if (config?.safeZoneId !== zoneId) return;
      await store.query.updateTable('geofences').set({ modified: 0 }).where('id', '=', zoneId).execute();
    },

    /** The request ends when the device runs the requested firmware. */
    async firmware(deviceId: number, currentFW: string, now: number): Promise<void> {
      // Usually it is unchanged, and nothing is written.
      const before = (await firmwareOf.get(deviceId))?.currentFW ?? null;
      if (before === currentFW) return;
      await store.transaction(async (tx) => {
        const changed = await tx
          .updateTable('deviceConfigs')
          .set({ currentFW })
          .where('deviceId', '=', deviceId)
          .where((when) => when.or([when('currentFW', 'is', null), when('currentFW', '!=', currentFW)]))
          .returning('id')
          .executeTakeFirst();
        if (changed === undefined) return;
        await tx
          .updateTable('deviceConfigs')
          .set(NOTHING_WANTED)
          .where('id', '=', changed.id)
          .where('otaFW', '=', currentFW)
          .execute();
        const description = `The device runs firmware ${currentFW}.`;
        const meta = { from: before, to: currentFW };
        await recordDeviceEvent(tx, { deviceId, type: 'bootloader/firmware', description, meta }, now);
      });
    },
  };
}

const shown = <Shown extends object>(shape: TableShape<Shown>, row: Row | undefined) =>
  row ? presentRow(shape, row) : undefined;
