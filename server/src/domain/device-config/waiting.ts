import { deviceConfig } from '@trackway/contract/device-config.ts';
import { geofence } from '@trackway/contract/geofence.ts';
import { columnsOf, presentRow, type Row, type TableShape } from '../../platform/storage/shape.ts';
import { shapeOf } from '../schema/shape.ts';
import type { Store } from '../schema/tables.ts';

/** The settings that wait for a device: its configuration while it is modified, and its safe zone while that is. */
export function waitingConfig(store: Store) {
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
     WHERE c."deviceId" = ? AND g."modified" = 1`,
  );
  return {
    config: async (deviceId: number) => shown(shape, await modified.get(deviceId)),
    zone: async (deviceId: number) => shown(zoneShape, await zone.get(deviceId)),

    /** What was taken is settled only if nothing changed since: it must be the very version that waits. */
    async taken(deviceId: number, version: number, now: number): Promise<void> {
      await store.query
        .updateTable('deviceConfigs')
        .set({ modified: null, receivedAt: now, reset: null, command: null })
        .where('deviceId', '=', deviceId)
        .where('modified', '=', version)
        .execute();
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

    async firmware(deviceId: number, currentFW: string): Promise<void> {
      await store.query
        .updateTable('deviceConfigs')
        .set({ currentFW })
        .where('deviceId', '=', deviceId)
        .where((when) => when.or([when('currentFW', 'is', null), when('currentFW', '!=', currentFW)]))
        .execute();
    },
  };
}

const shown = <Shown extends object>(shape: TableShape<Shown>, row: Row | undefined) =>
  row ? presentRow(shape, row) : undefined;
