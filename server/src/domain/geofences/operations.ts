import { type geofenceOperations as contract, geofence } from '@trackway/contract/resources/geofence.ts';
import type { Sent, Shown } from '@trackway/contract/schema.ts';
import type { Call, Handlers } from '../../calls.ts';
import type { Row } from '../../platform/storage/shape.ts';
import { childNotFound, invalidField } from '../../refusals.ts';
import type { DeviceAccess } from '../devices/access.ts';
import { changedFields, children, countOf, familyOf, listOf, readOf, refuseMoved, rowOf } from '../family.ts';
import { collectionOf } from '../schema/collection.ts';
import type { Store } from '../schema/tables.ts';
import { type Quotas, requireRoom, UNLIMITED } from '../users/quotas.ts';
import { requireSound } from './shape/outline.ts';
import { fenceChanged, fenceRemoved, type ShapedFence } from './versions.ts';

type Geofence = Shown<typeof geofence>;

/** A change of these fields must be sent to the device. */
const SENT_TO_DEVICE: readonly (keyof Geofence)[] = ['outline', 'center', 'radius', 'deviceId', 'configId'];

/** @param shaped looks who is inside a fence that is new or has another shape */
export function geofenceOperations(
  store: Store,
  access: DeviceAccess,
  shaped: (fence: ShapedFence) => Promise<void> = async () => {},
  quotas: Quotas = UNLIMITED,
): Handlers<keyof typeof contract> {
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

  /** As it is once it is known who is inside. */
  async function shownAfter(call: Call, row: Row, fence: ShapedFence | undefined): Promise<Geofence> {
    if (fence === undefined) return rows.present(row);
    await shaped(fence);
    return rows.present((await rows.find(family.scope(call), row.id as number)) ?? row);
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
      const { row, fence } = await store.transaction(async (tx) => {
        const room = { storeKind: store.storeKind, quotas, caller: call.caller, userId: call.userId };
        await requireRoom(tx, room, 'geofences', (on) =>
          on
            .selectFrom('geofences')
            .select((of) => of.fn.countAll<number>().as('count'))
            .where('userId', '=', call.userId),
        );
        const row = await rows.insert({ ...values, modified, userId: call.userId }, tx);
        return { row, fence: await fenceChanged(tx, undefined, row, call.now) };
      });
      return shownAfter(call, row, fence);
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
