import type { AuditAction } from '@trackway/contract/audit.ts';
import { type deviceOperations as contract, device as deviceNoun } from '@trackway/contract/resources/device.ts';
import type { Shown } from '@trackway/contract/schema.ts';
import { type Call, type Handlers, JsonText } from '../../calls.ts';
import type { Scope } from '../../platform/collection.ts';
import { parseFilterObject } from '../../platform/filter/parse.ts';
import { fingerprint } from '../../platform/secrets.ts';
import type { Vault } from '../../platform/vault.ts';
import { accessDenied, invalidField, modelNotFound } from '../../refusals.ts';
import { recordDeviceAudit } from '../audit/record.ts';
import { changedFields, countOf, type Family, familyOf, listOf, refuseMoved, requestOf } from '../family.ts';
import type { RightsEnded } from '../rights.ts';
import { collectionOf } from '../schema/collection.ts';
import type { Store } from '../schema/tables.ts';
import { type Quotas, UNLIMITED } from '../users/quotas.ts';
import { abilitiesOf } from './abilities.ts';
import { DELETED_DEVICES, EVERY_DEVICE, visibleTo, withinToken } from './access.ts';
import { switchActive } from './activity.ts';
import { createDevice, identified, newDeviceKey, requireDeviceRoom, uniqueDevice } from './create.ts';
import { recordDeviceEvent } from './device-events.ts';
import { keysChanged } from './device-keys.ts';
import { rulesDue } from './groups/rules-due.ts';
import { type Included, withIncluded } from './include.ts';
import { deviceSecretContext } from './keys.ts';
import { setDeleted } from './set-deleted.ts';
import { shownTo } from './shown-devices.ts';
import { simEvents } from './sim-events.ts';
import { withOneTagPerName } from './tags.ts';

type DeviceOperation =
  | Exclude<
      keyof typeof contract,
      'listShares' | 'countShares' | 'createShare' | 'getShare' | 'updateShare' | 'deleteShare' | 'deleteShares'
    >
  | 'getDevicesByTag';

type Device = Shown<typeof deviceNoun>;
/** Fields by which a device reports. */
const REPORTING_FIELDS: readonly (keyof Device)[] = ['allowKeyless', 'imei', 'serial', 'btMac'];
/** The key of the cipher that OwnTracks uses. */
const MAX_SECRET_BYTES = 32;

/** Whether a device can be claimed is for admins to say. */
function requireMayClaim({ caller }: Pick<Call, 'caller'>, wanted: unknown, before: string): void {
  if (wanted !== undefined && wanted !== null && wanted !== before && !caller.admin) throw accessDenied();
}

export function deviceOperations(
  store: Store,
  included: Included,
  vault: Vault,
  rightsEnded: RightsEnded = async () => {},
  quotas: Quotas = UNLIMITED,
): Handlers<DeviceOperation> {
  const rows = collectionOf(store, 'devices', deviceNoun, { relations: Object.keys(included) });
  const shown = (scope: Scope, { caller, now }: Pick<Call, 'caller' | 'now'>) => shownTo(scope, caller, now);
  const seen = ({ caller }: Call): Scope => withinToken(caller, caller.admin ? EVERY_DEVICE : visibleTo(caller.userId));
  const ofCaller = familyOf('device', rows, (call) => shown(seen(call), call));
  const ofUser = familyOf('device', rows, (call) => shown(withinToken(call.caller, visibleTo(call.userId)), call));
  const deleted = familyOf('device', rows, (call) => shown(DELETED_DEVICES, call));

  async function found(scope: Scope, deviceId: number, call: Pick<Call, 'caller' | 'now'>): Promise<Device> {
    const row = await rows.find(shown(scope, call), deviceId);
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

  /** Sets what a device reports with, and records that it was set. */
  async function setSecret(
    call: Call,
    action: AuditAction,
    values: { readonly keyHash: string | null } | { readonly secret: string | null },
  ): Promise<void> {
    const { deviceId } = call;
    await store.transaction(async (tx) => {
      await tx.updateTable('devices').set(values).where('id', '=', deviceId).execute();
      await keysChanged(tx, deviceId);
      await recordDeviceAudit(tx, call, { action, deviceId });
      const description = 'keyHash' in values ? 'The device key was changed.' : 'The encryption key was changed.';
      await recordDeviceEvent(tx, { deviceId, type: 'pairing/keyChanged', description, meta: { action } }, call.now);
    });
  }

  const create = async (ownerId: number, call: Call<Readonly<Record<string, unknown>>>) => {
    requireMayClaim(call, call.body.claimable, 'no');
    return createDevice(store, rows, ownerId, call.body, call.now, {
      by: call,
      requireRoom: (tx) => requireDeviceRoom(tx, store.storeKind, quotas, call.caller, ownerId),
    });
  };

  return {
    listDevices: (call) => listed(ofCaller, call),
    countDevices: (call) => countOf(ofCaller, call),
    listDeletedDevices: (call) => listOf(deleted, call),
    createDevice: (call) => create(call.caller.userId, call),
    listUserDevices: (call) => listed(ofUser, call),
    countUserDevices: (call) => countOf(ofUser, call),
    createUserDevice: (call) => create(call.userId, call),

    async getDevicesByTag(call) {
      const { tag, fields } = call.parameters;
      // In a tag, `%` alone stands for other characters.
      const filter = parseFilterObject({ where: { tags: { ilike: tag.replaceAll(/[\\_]/g, '\\$&') } } }, rows);
      const shape = fields === undefined ? rows.shape : rows.shape.filter(({ name }) => fields.includes(name));
      const text = await rows.listBy({ ...filter, shape }, ofUser.scope(call), requestOf(call));
      return new JsonText<Device[]>(text);
    },

    async getDevice(call) {
      const device = await found(EVERY_DEVICE, call.deviceId, call);
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

    getDeviceAbilities: abilitiesOf(store),

    async updateDevice(call) {
      const before = await found(EVERY_DEVICE, call.deviceId, call);
      refuseMoved(call.sent, { id: call.deviceId, ownerId: before.ownerId });
      const { active, ...values } = identified(withOneTagPerName(call.body));
      const opens = values.allowKeyless !== undefined && values.allowKeyless !== before.allowKeyless;
      const switches = typeof active === 'boolean' && active !== before.active;
      const forgets = values.keepDays !== undefined && values.keepDays !== before.keepDays;
      if ((opens || switches || forgets) && call.right !== 'own') throw accessDenied();
      requireMayClaim(call, values.claimable, before.claimable);
      const reporting = changedFields(values, before).filter((name) => REPORTING_FIELDS.includes(name));
      const row = await uniqueDevice(() =>
        store.transaction(async (tx) => {
          if (switches && (await switchActive(tx, call.deviceId, active, call.now)))
            await recordDeviceAudit(tx, call, {
              action: active ? 'device.activated' : 'device.deactivated',
              deviceId: call.deviceId,
            });
          const after = await rows.update(call.deviceId, values, tx);
          if (values.imei !== undefined || values.serial !== undefined) await keysChanged(tx, call.deviceId);
          if (values.tags !== undefined) await rulesDue(tx, [call.deviceId], call.now);
          const detail = Object.fromEntries(reporting.map((name) => [name, values[name] ?? null]));
          if (reporting.length > 0)
            await recordDeviceAudit(tx, call, { action: 'device.updated', deviceId: call.deviceId, detail });
          for (const event of simEvents(call.deviceId, before, values)) await recordDeviceEvent(tx, event, call.now);
          return after;
        }),
      );
      if (row === undefined) throw modelNotFound('device', call.deviceId);
      return found(EVERY_DEVICE, call.deviceId, call);
    },

    async deleteDevice(call) {
      await setDeleted(store, rightsEnded, call, call.deviceId, call.now);
      return undefined;
    },

    async restoreDevice(call) {
      const { key } = call;
      await found(DELETED_DEVICES, key, call);
      await uniqueDevice(() => setDeleted(store, rightsEnded, call, key, null));
      return found(EVERY_DEVICE, key, call);
    },

    async rotateDeviceKey(call) {
      const { deviceId } = call;
      const deviceKey = newDeviceKey();
      await setSecret(call, 'deviceKey.replaced', { keyHash: fingerprint(deviceKey) });
      return { ...(await found(EVERY_DEVICE, deviceId, call)), deviceKey };
    },

    async getDeviceSecret(call) {
      const { deviceId } = call;
      const { secret } = await store.query
        .selectFrom('devices')
        .select('secret')
        .where('id', '=', deviceId)
        .executeTakeFirstOrThrow();
      if (secret !== null) await recordDeviceAudit(store.query, call, { action: 'deviceSecret.read', deviceId });
      return { secret: secret && vault.open(secret, deviceSecretContext(deviceId)) };
    },

    async setDeviceSecret(call) {
      const secret = call.body.secret!;
      if (Buffer.byteLength(secret) > MAX_SECRET_BYTES)
        throw invalidField('device secret', 'secret', 'length', `is longer than ${MAX_SECRET_BYTES} bytes in UTF-8`);
      const sealed = vault.seal(secret, deviceSecretContext(call.deviceId));
      await setSecret(call, 'deviceSecret.set', { secret: sealed });
      return { secret };
    },

    async removeDeviceSecret(call) {
      await setSecret(call, 'deviceSecret.removed', { secret: null });
      return undefined;
    },

    async revokeDeviceKey(call) {
      await setSecret(call, 'deviceKey.revoked', { keyHash: null });
      return undefined;
    },
  };
}
