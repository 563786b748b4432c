import { type geofenceOperations as contract, geofence } from '@trackway/contract/resources/geofence.ts';
import type { Sent, Shown } from '@trackway/contract/schema.ts';
import type { Call, Handlers } from '../../calls.ts';
import { childNotFound, invalidField } from '../../refusals.ts';
import type { DeviceAccess } from '../devices/access.ts';
import { changedFields, children, countOf, familyOf, listOf, readOf, refuseMoved, rowOf } from '../family.ts';
import { collectionOf } from '../schema/collection.ts';
import type { Store } from '../schema/tables.ts';
import { requireSound } from './shape/outline.ts';
import { fenceChanged, fenceRemoved } from './versions.ts';

type Geofence = Shown<typeof geofence>;

/** A change of these fields must be sent to the device. */
const SENT_TO_DEVICE: readonly (keyof Geofence)[] = ['outline', 'center', 'radius', 'deviceId', 'configId'];

export function geofenceOperations(store: Store, access: DeviceAccess): Handlers<keyof typeof contract> {
  const rows = collectionOf(store, 'geofences', geofence);
  const family = familyOf('geofence', rows, (call) => children('userId', call.userId));

  async function requireKeys(call: Call, values: Sent<typeof geofence>): Promise<void> {
    await access.requireVisible(call.caller, values.deviceId, 'geofence', 'deviceId');
    if (values.configId === undefined || values.configId === null) return;
    const { configId } = values;
    const config = await store.query
      .selectFrom('deviceConfigs')
      .select('deviceId')
      .where('id', '=', configId)
      .executeTakeFirst();
    if (config === undefined || (await access.rightOn(call.caller, config.deviceId)) === undefined) {
      throw invalidField('geofence', 'configId', 'unknown', `is not a configuration you have access to: ${configId}`);
    }
  }

  return {
    listGeofences: (call) => listOf(family, call),
    countGeofences: (call) => countOf(family, call),
    getGeofence: (call) => readOf(family, call),
    async deleteGeofence(call) {
      const row = await rowOf(family, call);
      await store.transaction(async (tx) => {
        await rows.remove(call.key, tx);
        await fenceRemoved(tx, call.key, row.userId as number, call.now);
      });
      return undefined;
    },
    async deleteGeofences(call) {
      await rows.removeAll(family.scope(call), async (tx, ids) => {
        for (const id of ids) await fenceRemoved(tx, id, call.userId, call.now);
      });
      return undefined;
    },

    async createGeofence(call) {
      const values = call.body;
      requireSound(values);
      await requireKeys(call, values);
      const modified = Boolean(values.deviceId || values.configId);
      return store.transaction(async (tx) => {
        const row = await rows.insert({ ...values, modified, userId: call.userId }, tx);
        await fenceChanged(tx, undefined, row, call.now);
        return rows.present(row);
      });
    },

    async updateGeofence(call) {
      const before = await rowOf(family, call);
      refuseMoved(call.sent, { id: call.key, userId: call.userId });
      const values = call.body;
      requireSound(values);
      const changes = changedFields(values, rows.present(before));
      await requireKeys(call, Object.fromEntries(changes.map((name) => [name, values[name]])));
      const deviceHears = Boolean(values.deviceId ?? before.deviceId) || Boolean(values.configId ?? before.configId);
      const modified = deviceHears && changes.some((name) => SENT_TO_DEVICE.includes(name));
      const row = await store.transaction(async (tx) => {
        const after = await rows.update(call.key, modified ? { ...values, modified } : values, tx);
        if (after && changes.length > 0) await fenceChanged(tx, before, after, call.now);
        return after;
      });
      if (row === undefined) throw childNotFound('geofence', call.key);
      return rows.present(row);
    },
  };
}
