import type { AuditAction } from '@trackway/contract/audit.ts';
import type { AnswerOf } from '@trackway/contract/operations.ts';
import { type deviceOperations as contract, device as deviceNoun } from '@trackway/contract/resources/device.ts';
import type { Shown } from '@trackway/contract/schema.ts';
import { type Call, type Handlers, JsonText } from '../../calls.ts';
import type { Scope } from '../../platform/collection.ts';
import { badRequest } from '../../platform/errors.ts';
import type { Include } from '../../platform/filter/clauses.ts';
import { type Filter, parseFilterObject } from '../../platform/filter/parse.ts';
import { fingerprint } from '../../platform/secrets.ts';
import type { Vault } from '../../platform/vault.ts';
import { accessDenied, invalidField, modelNotFound } from '../../refusals.ts';
import { recordDeviceAudit } from '../audit/record.ts';
import { changedFields, countOf, type Family, familyOf, listOf, refuseMoved, requestOf } from '../family.ts';
import type { RightsEnded } from '../rights.ts';
import { getRow } from '../rows.ts';
import { collectionOf } from '../schema/table.ts';
import type { Store } from '../schema/tables.ts';
import { type Quotas, UNLIMITED } from '../users/quotas.ts';
import { DELETED_DEVICES, EVERY_DEVICE, visibleTo, withinToken } from './access.ts';
import { switchActive } from './activity.ts';
import {
  createDevice,
  hasIdentity,
  identified,
  newDeviceKey,
  requireClaimRoom,
  requireDeviceRoom,
  uniqueDevice,
} from './create.ts';
import { recordDeviceEvent, simEvents } from './device-events.ts';
import { approveIdentity, deviceSecretContext, IDENTITY, keysChanged } from './device-keys.ts';
import { addTrackers, isCommandSource } from './known-trackers.ts';
import { setDeleted } from './purge.ts';
import { rulesDue } from './rules-changed.ts';
import { shownTo } from './shown-devices.ts';
import { withOneTagPerName } from './tags.ts';

type DeviceOperation =
  | Exclude<
      keyof typeof contract,
      'listShares' | 'countShares' | 'createShare' | 'getShare' | 'updateShare' | 'deleteShare' | 'deleteShares'
    >
  | 'getDevicesByTag';

type Device = Shown<typeof deviceNoun>;
/** Fields that determine how a device reports. */
const REPORTING_FIELDS: readonly (keyof Device)[] = ['allowKeyless', 'commandsFrom', 'imei', 'serial', 'btMac'];
/** The key of the cipher that OwnTracks uses. */
const MAX_SECRET_BYTES = 32;

/** Whether a device can be claimed is for admins to say. */
function requireMayClaim({ caller }: Pick<Call, 'caller'>, wanted: unknown, before: string): void {
  if (wanted !== undefined && wanted !== null && wanted !== before && !caller.admin) throw accessDenied();
}

function requireSources(sources: unknown): void {
  const wrong = (sources as readonly string[] | null | undefined)?.find((source) => !isCommandSource(source));
  if (wrong !== undefined)
    throw invalidField(
      'device',
      'commandsFrom',
      'format',
      `${JSON.stringify(wrong)} is neither a network nor the word key`,
    );
}

export function deviceOperations(
  store: Store,
  included: Included,
  vault: Vault,
  rightsEnded: RightsEnded = async () => {},
  quotas: Quotas = UNLIMITED,
  /** Whether an identity that a user enters who is no admin waits for one. */
  identitiesAreClaims = false,
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
    const filter = rows.parse(call);
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
      const isKey = 'keyHash' in values;
      const description = isKey ? 'The device key was changed.' : 'The encryption key was changed.';
      const meta = { action, key: isKey ? 'device' : 'secret' };
      await recordDeviceEvent(tx, { deviceId, type: 'pairing/keyChanged', description, meta }, call.now);
    });
  }

  const claimRoom = ({ caller }: Pick<Call, 'caller'>, userId: number) =>
    identitiesAreClaims && !caller.admin ? { quotas, caller, userId } : undefined;

  const create = async (ownerId: number, call: Call<Readonly<Record<string, unknown>>>) => {
    requireMayClaim(call, call.body.claimable, 'no');
    requireSources(call.body.commandsFrom);
    const room = claimRoom(call, ownerId);
    return createDevice(store, rows, ownerId, call.body, call.now, {
      by: call,
      requireClaim: room && ((tx, named) => requireClaimRoom(tx, room, named)),
      requireRoom: (tx) => requireDeviceRoom(tx, quotas, call.caller, ownerId),
    });
  };

  return {
    listDevices: (call) => listed(ofCaller, call),
    countDevices: (call) => countOf(ofCaller, call),
    listDeletedDevices: (call) => listOf(deleted, call),
    createDevice: (call) => create(call.caller.userId, call),
    addTrackers: (call) => addTrackers(store, call, (values) => create(call.caller.userId, { ...call, body: values })),
    listUserDevices: (call) => listed(ofUser, call),
    countUserDevices: (call) => countOf(ofUser, call),
    createUserDevice: (call) => create(call.userId, call),

    async getDevicesByTag(call) {
      const { tag, fields } = call.parameters;
      // In a tag, only `%` matches any characters.
      const filter = parseFilterObject({ where: { tags: { ilike: tag.replaceAll(/[\\_]/g, '\\$&') } } }, rows);
      const shape = fields === undefined ? rows.shape : rows.shape.filter(({ name }) => fields.includes(name));
      const text = await rows.listBy({ ...filter, shape }, ofUser.scope(call), requestOf(call));
      return new JsonText<Device[]>(text);
    },

    async getDevice(call) {
      const device = await found(EVERY_DEVICE, call.deviceId, call);
      if (call.query.length === 0) return device;
      const [one] = JSON.parse(await withIncluded([device], rows.parse(call), included, call)) as [Device];
      return one;
    },

    async getDeviceAccess({ deviceId, caller, right }) {
      const { keyHash } = await getRow(store.query, 'devices', { id: deviceId }, ['keyHash']);
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
      const redirects = values.commandsFrom !== undefined && changedFields(values, before).includes('commandsFrom');
      requireSources(values.commandsFrom);
      if ((opens || switches || forgets || redirects) && call.right !== 'own') throw accessDenied();
      requireMayClaim(call, values.claimable, before.claimable);
      const reporting = changedFields(values, before).filter((name) => REPORTING_FIELDS.includes(name));
      const room = hasIdentity(values) ? claimRoom(call, before.ownerId) : undefined;
      const renamed = IDENTITY.filter((field) => reporting.includes(field));
      // Also where it seems the same: another request may have changed it. What had taken effect remains so.
      if (room) values.identityPending = true;
      const row = await uniqueDevice(() =>
        store.transaction(async (tx) => {
          if (room && renamed.length > 0) await requireClaimRoom(tx, room, values, call.deviceId);
          if (switches && (await switchActive(tx, call.deviceId, active, call.now)))
            await recordDeviceAudit(tx, call, {
              action: active ? 'device.activated' : 'device.deactivated',
              deviceId: call.deviceId,
            });
          const after = await rows.update(call.deviceId, values, tx);
          if (values.imei !== undefined || values.serial !== undefined)
            await keysChanged(tx, call.deviceId, room ? [] : renamed);
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
    },

    async restoreDevice(call) {
      const { key } = call;
      await found(DELETED_DEVICES, key, call);
      await uniqueDevice(() => setDeleted(store, rightsEnded, call, key, null));
      return found(EVERY_DEVICE, key, call);
    },

    async approveDeviceIdentity(call) {
      const { key, body } = call;
      await found(EVERY_DEVICE, key, call);
      await uniqueDevice(() =>
        store.transaction(async (tx) => {
          if (!(await approveIdentity(tx, key, [body.identifier!])))
            throw invalidField(
              'identity approval',
              'identifier',
              'unknown',
              'is not the IMEI or serial number of the device',
            );
          const detail = { identityApproved: body.identifier! };
          await recordDeviceAudit(tx, call, { action: 'device.updated', deviceId: key, detail });
        }),
      );
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
      const { secret } = await getRow(store.query, 'devices', { id: deviceId }, ['secret']);
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
    },

    async revokeDeviceKey(call) {
      await setSecret(call, 'deviceKey.revoked', { keyHash: null });
    },
  };
}

const MAX_ANSWER = 32 * 1024 * 1024;

/**
 * Functions that read a relation of a device, by its name in `include`. The module that owns the relation provides its
 * function.
 */
type Included = Readonly<Record<string, (deviceId: number, wanted: Include, call: Call) => Promise<string>>>;

/** Returns the devices as JSON text, with the requested relations and only the requested fields. */
async function withIncluded(
  devices: Record<string, unknown>[],
  filter: Filter,
  included: Included,
  call: Call,
): Promise<string> {
  const texts: string[] = [];
  let size = 0;
  for (const [index, device] of devices.entries()) {
    // Yields to other requests, because there may be many devices.
    if (index % 20 === 19) await new Promise((resolve) => setImmediate(resolve));
    const parts = filter.shape.map(({ name }) => `${JSON.stringify(name)}:${JSON.stringify(device[name])}`);
    for (const wanted of filter.include) {
      const { relation } = wanted;
      parts.push(`${JSON.stringify(relation)}:${await included[relation]!(device.id as number, wanted, call)}`);
    }
    const text = `{${parts.join(',')}}`;
    size += text.length;
    if (size > MAX_ANSWER)
      throw badRequest('include: the response would be too large. Add a limit, or a scope with a limit');
    texts.push(text);
  }
  return `[${texts.join(',')}]`;
}

type Abilities = AnswerOf<'getDeviceAbilities'>;
type Found = { readonly [K in keyof Abilities]: number };

/** So many of the newest reports are looked at: a device may say much without ever knowing where it is. */
const LOOKED_AT = 100;

const isThere = (sql: string, name: keyof Abilities) => `CASE WHEN ${sql} THEN 1 ELSE 0 END AS "${name}"`;
const exists = (sql: string) => `EXISTS (SELECT 1 FROM ${sql})`;

/** A few steps in the indexes of the device, however much it has said. */
const ABILITIES = [
  isThere(
    exists(
      `(SELECT p."locationLat" FROM "points" p WHERE p."deviceId" = d."id"
        ORDER BY p."timestamp" DESC, p."id" DESC LIMIT ${LOOKED_AT}) q WHERE q."locationLat" IS NOT NULL`,
    ),
    'positions',
  ),
  isThere(
    `COALESCE(d."supportedCommands", '[]') <> '[]' OR ${exists('"messages" m WHERE m."deviceId" = d."id"')}`,
    'messages',
  ),
  isThere(
    exists(`"deviceConfigs" c WHERE c."deviceId" = d."id"
      AND (c."receivedAt" IS NOT NULL OR c."currentFW" IS NOT NULL OR c."modified" IS NOT NULL)`),
    'configuration',
  ),
  isThere(exists('"forwarders" f WHERE f."deviceId" = d."id" AND (? = 1 OR f."userId" = ?)'), 'forwarders'),
  isThere(exists('"quarantine" x WHERE x."deviceId" = d."id"'), 'quarantine'),
];

/** As rows, or packed. */
const storedAs = (column: 'deviceId' | 'gatewayId') =>
  `${exists(`"gatewayReadings" r WHERE r."${column}" = ?`)} OR ${exists(`"readingSegments" x WHERE x."${column}" = ?`)}`;

/**
 * Read separately: a reading about a device is stored with the device that reported it, which can be on another server.
 */
const ABILITIES_BY_READINGS = [isThere(storedAs('deviceId'), 'readings'), isThere(storedAs('gatewayId'), 'hearings')];

/** What a device can do, derived from what it has done. Users need not specify its kind. */
export function abilitiesOf(store: Store) {
  const found = store.prepare<Found>(
    'devices.abilities',
    `SELECT ${ABILITIES.join(', ')} FROM "devices" d WHERE d."id" = ?`,
  );
  const byReadings = store.prepare<Found>('devices.abilities.readings', `SELECT ${ABILITIES_BY_READINGS.join(', ')}`);
  return async ({ deviceId, caller, right }: Call): Promise<Abilities> => {
    const row = {
      ...(await found.get(right === 'own' ? 1 : 0, caller.userId, deviceId))!,
      ...(await byReadings.get(deviceId, deviceId, deviceId, deviceId))!,
    };
    const has = (name: keyof Abilities) => Number(row[name]) === 1;
    return {
      positions: has('positions'),
      readings: has('readings'),
      hearings: has('hearings'),
      messages: has('messages'),
      configuration: has('configuration'),
      forwarders: has('forwarders'),
      quarantine: has('quarantine'),
    };
  };
}
