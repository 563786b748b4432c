import { type deviceOperations as contract, device as deviceNoun } from '@trackway/contract/resources/device.ts';
import type { Shown } from '@trackway/contract/schema.ts';
import { type Call, type Handlers, JsonText } from '../../calls.ts';
import type { Scope } from '../../platform/collection.ts';
import { fingerprint } from '../../platform/secrets.ts';
import { accessDenied, invalidField, modelNotFound } from '../../refusals.ts';
import { countOf, type Family, familyOf, listOf, refuseMoved, requestOf } from '../family.ts';
import { accessChanged, appendLiveEvents } from '../live/append-live-events.ts';
import type { RightsEnded } from '../rights.ts';
import { collectionOf } from '../schema/collection.ts';
import type { Store } from '../schema/tables.ts';
import { type Quotas, requireRoom, UNLIMITED } from '../users/quotas.ts';
import { DELETED_DEVICES, EVERY_DEVICE, visibleTo, withinToken } from './access.ts';
import { createDevice, identified, newDeviceKey, uniqueDevice } from './create.ts';
import { type Included, withIncluded } from './include.ts';

type DeviceOperation = Exclude<
  keyof typeof contract,
  'listShares' | 'countShares' | 'createShare' | 'getShare' | 'updateShare' | 'deleteShare' | 'deleteShares'
>;

type Device = Shown<typeof deviceNoun>;
/** The key of the cipher that OwnTracks uses. */
const MAX_SECRET_BYTES = 32;

export function deviceOperations(
  store: Store,
  included: Included,
  rightsEnded: RightsEnded = async () => {},
  quotas: Quotas = UNLIMITED,
): Handlers<DeviceOperation> {
  const rows = collectionOf(store, 'devices', deviceNoun, { relations: Object.keys(included) });
  const seen = ({ caller }: Call): Scope => withinToken(caller, caller.admin ? EVERY_DEVICE : visibleTo(caller.userId));
  const ofCaller = familyOf('device', rows, seen);
  const ofUser = familyOf('device', rows, (call) => withinToken(call.caller, visibleTo(call.userId)));
  const deleted = familyOf('device', rows, () => DELETED_DEVICES);

  async function found(scope: Scope, deviceId: number): Promise<Device> {
    const row = await rows.find(scope, deviceId);
    if (row === undefined) throw modelNotFound('device', deviceId);
    return rows.present(row);
  }

  async function listed(family: Family<Device>, call: Call): Promise<JsonText<Device[]>> {
    const filter = rows.parse(call.query);
    if (filter.include.length === 0) return listOf(family, call);
    // Includes are found by the device's id, so it is read even if the caller does not request it.
    const text = await rows.listBy({ ...filter, shape: rows.shape }, family.scope(call), requestOf(call));
    return new JsonText<Device[]>(await withIncluded(JSON.parse(text), filter, included, call));
  }

  /** Deletes or restores a device, and notifies the live streams that see it. */
  async function setDeleted(deviceId: number, deletedAt: number | null, now: number): Promise<void> {
    await store.transaction(async (tx) => {
      await tx.updateTable('devices').set({ deletedAt }).where('id', '=', deviceId).execute();
      if (deletedAt !== null) await rightsEnded(tx, { deviceId }, now);
      await appendLiveEvents(tx, store.storeKind, [accessChanged(deviceId)], now);
    });
  }

  const create = (ownerId: number, call: Call<Readonly<Record<string, unknown>>>) =>
    createDevice(store, rows, ownerId, call.body, call.now, (tx) => {
      const room = { storeKind: store.storeKind, quotas, caller: call.caller, userId: ownerId };
      return requireRoom(tx, room, 'devices', (on) =>
        on
          .selectFrom('devices')
          .select((of) => of.fn.countAll<number>().as('count'))
          .where('ownerId', '=', ownerId)
          .where('deletedAt', 'is', null),
      );
    });

  return {
    listDevices: (call) => listed(ofCaller, call),
    countDevices: (call) => countOf(ofCaller, call),
    listDeletedDevices: (call) => listOf(deleted, call),
    createDevice: (call) => create(call.caller.userId, call),
    listUserDevices: (call) => listed(ofUser, call),
    countUserDevices: (call) => countOf(ofUser, call),
    createUserDevice: (call) => create(call.userId, call),

    async getDevice(call) {
      const device = await found(EVERY_DEVICE, call.deviceId);
      if (call.query.length === 0) return device;
      const [one] = JSON.parse(await withIncluded([device], rows.parse(call.query), included, call)) as [Device];
      return one;
    },

    async getDeviceAccess({ deviceId, caller, right }) {
      const { keyHash } = await store.query
        .selectFrom('devices')
        .select('keyHash')
        .where('id', '=', deviceId)
        .executeTakeFirstOrThrow();
      const share = await store.query
        .selectFrom('shareGrants')
        .select('id')
        .where('deviceId', '=', deviceId)
        .where('holderId', '=', caller.userId)
        .orderBy('id')
        .executeTakeFirst();
      return { right, shareId: right === 'own' ? null : (share?.id ?? null), hasKey: keyHash !== null };
    },

    async updateDevice(call) {
      const before = await found(EVERY_DEVICE, call.deviceId);
      refuseMoved(call.sent, { id: call.deviceId, ownerId: before.ownerId });
      const values = identified(call.body);
      const opens = values.allowKeyless !== undefined && values.allowKeyless !== before.allowKeyless;
      if (opens && call.right !== 'own') throw accessDenied();
      const row = await uniqueDevice(() => rows.update(call.deviceId, values));
      if (row === undefined) throw modelNotFound('device', call.deviceId);
      return rows.present(row);
    },

    async deleteDevice({ deviceId, now }) {
      await setDeleted(deviceId, now, now);
      return undefined;
    },

    async restoreDevice({ key, now }) {
      await found(DELETED_DEVICES, key);
      await uniqueDevice(() => setDeleted(key, null, now));
      return found(EVERY_DEVICE, key);
    },

    async rotateDeviceKey({ deviceId }) {
      const deviceKey = newDeviceKey();
      await store.query
        .updateTable('devices')
        .set({ keyHash: fingerprint(deviceKey) })
        .where('id', '=', deviceId)
        .execute();
      return { ...(await found(EVERY_DEVICE, deviceId)), deviceKey };
    },

    async getDeviceSecret({ deviceId }) {
      const { secret } = await store.query
        .selectFrom('devices')
        .select('secret')
        .where('id', '=', deviceId)
        .executeTakeFirstOrThrow();
      return { secret };
    },

    async setDeviceSecret({ deviceId, body }) {
      const secret = body.secret!;
      if (Buffer.byteLength(secret) > MAX_SECRET_BYTES)
        throw invalidField('device secret', 'secret', 'length', `is longer than ${MAX_SECRET_BYTES} bytes in UTF-8`);
      await store.query.updateTable('devices').set({ secret }).where('id', '=', deviceId).execute();
      return { secret };
    },

    async removeDeviceSecret({ deviceId }) {
      await store.query.updateTable('devices').set({ secret: null }).where('id', '=', deviceId).execute();
      return undefined;
    },

    async revokeDeviceKey({ deviceId }) {
      await store.query.updateTable('devices').set({ keyHash: null }).where('id', '=', deviceId).execute();
      return undefined;
    },
  };
}
