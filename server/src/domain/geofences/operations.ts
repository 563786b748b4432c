import { type geofenceOperations as contract, geofence } from '@trackway/contract/geofence.ts';
import type { Call, Handlers } from '../../calls.ts';
import type { Row } from '../../platform/storage/shape.ts';
import { childNotFound, invalidField } from '../../refusals.ts';
import type { DeviceAccess } from '../devices/access.ts';
import { children, countOf, type Family, listOf, readOf, refuseMoved, rowOf, type Shown } from '../family.ts';
import { collectionOf } from '../schema/collection.ts';
import type { Store } from '../schema/tables.ts';
import { requireSound } from './shape/outline.ts';
import { fenceChanged, fenceRemoved, type ShapedFence } from './versions.ts';

/** A change of these is something its device must hear of. */
const SENT_TO_DEVICE = ['outline', 'center', 'radius', 'deviceId', 'configId'];

/** @param shaped looks who is inside a fence that is new or has another shape */
export function geofenceOperations(
  store: Store,
  access: DeviceAccess,
  shaped: (fence: ShapedFence) => Promise<void> = async () => {},
): Handlers<keyof typeof contract> {
  const rows = collectionOf(store, 'geofences', geofence);
  const family: Family = { name: 'geofence', rows, scope: (call) => children('userId', call.userId) };

  async function requireKeys(call: Call, values: Record<string, unknown>): Promise<void> {
    await access.requireVisible(call.caller, values.deviceId, 'geofence', 'deviceId');
    if (values.configId === undefined || values.configId === null) return;
    const configId = values.configId as number;
    const config = await store.query
      .selectFrom('deviceConfigs')
      .select('deviceId')
      .where('id', '=', configId)
      .executeTakeFirst();
    if (config === undefined || (await access.rightOn(call.caller, config.deviceId)) === undefined) {
      throw invalidField('geofence', 'configId', 'unknown', `names no configuration that you may see: ${configId}`);
    }
  }

  /** As it is once it is known who is inside. */
  async function shownAfter(call: Call, row: Row, fence: ShapedFence | undefined): Promise<Shown> {
    if (fence === undefined) return rows.present(row) as Shown;
    await shaped(fence);
    return rows.present((await rows.find(family.scope(call), row.id as number)) ?? row) as Shown;
  }

  return {
    listGeofences: (call) => listOf(family, call) as Promise<Shown>,
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
      const values = call.body as Record<string, unknown>;
      requireSound(values);
      await requireKeys(call, values);
      const modified = Boolean(values.deviceId || values.configId);
      const { row, fence } = await store.transaction(async (tx) => {
        const row = await rows.insert({ ...values, modified, userId: call.userId }, tx);
        return { row, fence: await fenceChanged(tx, undefined, row, call.now) };
      });
      return shownAfter(call, row, fence);
    },

    async updateGeofence(call) {
      const before = await rowOf(family, call);
      refuseMoved(call.sent, { id: call.key, userId: call.userId });
      const values = call.body as Record<string, unknown>;
      requireSound(values);
      const shown = rows.present(before);
      const changes = Object.keys(values).filter(
        (name) => JSON.stringify(values[name]) !== JSON.stringify(shown[name]),
      );
      await requireKeys(call, Object.fromEntries(changes.map((name) => [name, values[name]])));
      const deviceHears = Boolean(values.deviceId ?? before.deviceId) || Boolean(values.configId ?? before.configId);
      const modified = deviceHears && changes.some((name) => SENT_TO_DEVICE.includes(name));
      const { row, fence } = await store.transaction(async (tx) => {
        const row = await rows.update(call.key, modified ? { ...values, modified } : values, tx);
        const isChanged = row !== undefined && changes.length > 0;
        return { row, fence: isChanged ? await fenceChanged(tx, before, row, call.now) : undefined };
      });
      if (row === undefined) throw childNotFound('geofence', call.key);
      return shownAfter(call, row, fence);
    },
  };
}
