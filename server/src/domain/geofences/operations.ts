import { type geofenceOperations as contract, geofence } from '@trackway/contract/resources/geofence.ts';
import type { Call, Handlers } from '../../calls.ts';
import { columnsOf, type Row } from '../../platform/storage/shape.ts';
import { childNotFound } from '../../refusals.ts';
import { recordDeviceAudit } from '../audit/record.ts';
import { setZoneOfConfig } from '../commands/config-operations.ts';
import type { DeviceAccess } from '../devices/access.ts';
import { children, countOf, familyOf, listOf, readOf, refuseMoved, rowOf } from '../family.ts';
import { mayText } from '../rights.ts';
import { shapeOf } from '../schema/shape.ts';
import { collectionOf } from '../schema/table.ts';
import type { Store, Tx } from '../schema/tables.ts';
import { type Quotas, requireRoom, UNLIMITED } from '../users/quotas.ts';
import { type FenceShaped, type Fences, fencesCounted, fencesOf, requireCorners, STORED, shownInV1 } from './fences.ts';
import { META_WITH_THRESHOLDS, withThresholds } from './thresholds.ts';
import { fenceChanged } from './versions.ts';

const COLUMNS = shapeOf(geofence)
  .flatMap(columnsOf)
  .filter((column) => column !== 'meta')
  .map((column) => `"${column}"`)
  .join(', ');

export function geofenceOperations(
  store: Store,
  access: DeviceAccess,
  shaped?: FenceShaped,
  quotas?: Quotas,
): Handlers<keyof typeof contract> {
  const fences = fencesOf(store, access, shaped, quotas);
  const { rows } = fences;
  const family = familyOf('geofence', rows, (call) => children('userId', call.userId));
  const from = {
    sql: `(SELECT ${COLUMNS}, ${store.dialect.pick(META_WITH_THRESHOLDS)} AS "meta" FROM "geofences") AS "geofences"`,
    cells: [],
  };
  const shown = familyOf('geofence', collectionOf(store, 'geofences', geofence), (call) => ({
    ...family.scope(call),
    from,
  }));

  return {
    ...safeZoneOperations(store, fences, shaped, quotas),
    listGeofences: (call) => listOf(shown, call),
    countGeofences: (call) => countOf(shown, call),
    getGeofence: (call) => readOf(shown, call),
    async deleteGeofence(call) {
      await fences.remove(call, await rowOf(family, call));
    },
    async deleteGeofences(call) {
      await rows.removeAll(family.scope(call), (tx, ids) => fences.removed(tx as Tx, call, ids, { ids }));
    },
    createGeofence: async (call) => shownInV1(rows.present(await fences.create(call, withThresholds(call.body, null)))),
    async updateGeofence(call) {
      const before = await rowOf(family, call);
      refuseMoved(call.sent, { id: call.key, userId: call.userId });
      return shownInV1(rows.present(await fences.update(call, before, withThresholds(call.body, null))));
    },
  };
}

type Operation = Extract<keyof typeof contract, 'setSafeZone' | 'getSafeZone'>;

const MOST_NAME = 200;

/** The safe zone of a device: the fence in its configuration, which the device monitors itself. */
function safeZoneOperations(
  store: Store,
  fences: Fences,
  shaped: FenceShaped = async () => {},
  quotas: Quotas = UNLIMITED,
): Handlers<Operation> {
  const { rows } = fences;
  const columns = STORED.flatMap(columnsOf)
    .map((column) => `g."${column}"`)
    .join(', ');
  const zone = store.prepare<Row>(
    'geofences.safeZone',
    `SELECT ${columns} FROM "deviceConfigs" c JOIN "geofences" g ON g."id" = c."safeZoneId"
     WHERE c."deviceId" = ? AND ${mayText('manage', 'g."userId"', '?')}`,
  );

  async function settingOf(tx: Tx, deviceId: number): Promise<Setting> {
    // Another call that sets the zone of this device at the same time runs before or after, never in between.
    await tx.selectFrom('deviceConfigs').select('id').where('deviceId', '=', deviceId).forUpdate().execute();
    const { deviceName, ...at } = await tx
      .selectFrom('deviceConfigs as c')
      .innerJoin('devices as d', 'd.id', 'c.deviceId')
      .select(['c.id as configId', 'c.safeZoneId', 'd.ownerId', 'd.name as deviceName'])
      .where('c.deviceId', '=', deviceId)
      .executeTakeFirstOrThrow();
    const name = `Safe zone of ${deviceName || `Device ${deviceId}`}`.slice(0, MOST_NAME);
    return { ...at, name, own: await ownZone(tx, at) };
  }

  async function replace(tx: Tx, own: Row, outline: Outline, now: number) {
    const row = (await rows.update(
      own.id as number,
      { outline, center: null, radius: null, modified: true },
      tx,
    )) as Row;
    return { row, fence: await fenceChanged(tx, own, row, now) };
  }

  async function make(tx: Tx, call: Call, setting: Setting, outline: Outline) {
    const { configId, ownerId, name } = setting;
    const room = { quotas, caller: call.caller, userId: ownerId };
    await requireRoom(tx, room, 'geofences', fencesCounted);
    const row = await rows.insert(
      { outline, type: 'safe', name, deviceId: call.deviceId, configId, userId: ownerId, modified: true },
      tx,
    );
    await setZoneOfConfig(tx, configId, row.id as number, call.now);
    return { row, fence: await fenceChanged(tx, undefined, row, call.now) };
  }

  async function takeAway(tx: Tx, call: Call, { configId, safeZoneId, ownerId, own }: Setting) {
    if (safeZoneId === null) return;
    await setZoneOfConfig(tx, configId, null, call.now);
    // A fence that a user drew stays theirs.
    if (own?.type !== 'safe' || own.deviceId !== call.deviceId) return;
    const id = own.id as number;
    await rows.remove(id, tx);
    await fences.removed(tx, { ...call, userId: ownerId }, [id], { id, name: own.name });
  }

  const shownOf = async (deviceId: number) => {
    const row = await zone.get(deviceId, deviceId, deviceId);
    return row && shownInV1(rows.present(row));
  };

  return {
    async getSafeZone({ deviceId }) {
      const shown = await shownOf(deviceId);
      if (shown === undefined) throw childNotFound('safeZone', deviceId);
      return shown;
    },

    async setSafeZone(call) {
      const outline = call.body.data ?? [];
      if (outline.length > 0) requireCorners(outline, 'data');
      const made = await store.transaction(async (tx) => {
        const setting = await settingOf(tx, call.deviceId);
        const detail = { fields: ['safeZone'] };
        await recordDeviceAudit(tx, call, { action: 'deviceConfig.updated', deviceId: call.deviceId, detail });
        if (outline.length === 0) return takeAway(tx, call, setting);
        const { own } = setting;
        return own ? replace(tx, own, outline, call.now) : make(tx, call, setting, outline);
      });
      if (made === undefined) return null;
      if (made.fence) await shaped(made.fence);
      return (await shownOf(call.deviceId)) ?? shownInV1(rows.present(made.row));
    },
  };
}

type Outline = readonly { readonly lat: number; readonly lng: number }[];

/** The configuration of a device, and the name of its safe zone. */
interface Setting {
  readonly configId: number;
  readonly safeZoneId: number | null;
  readonly ownerId: number;
  readonly name: string;
  readonly own: Row | undefined;
}

/** The safe zone, if it belongs to the owner, was created for this configuration, and is not used by another device. */
async function ownZone(
  tx: Tx,
  { configId, safeZoneId, ownerId }: Pick<Setting, 'configId' | 'safeZoneId' | 'ownerId'>,
): Promise<Row | undefined> {
  if (safeZoneId === null) return undefined;
  const fence = await tx
    .selectFrom('geofences')
    .selectAll()
    .where('id', '=', safeZoneId)
    .where('configId', '=', configId)
    .where('userId', '=', ownerId)
    .executeTakeFirst();
  if (fence === undefined) return undefined;
  const elsewhere = await tx
    .selectFrom('deviceConfigs')
    .select('id')
    .where('safeZoneId', '=', safeZoneId)
    .where('id', '!=', configId)
    .limit(1)
    .executeTakeFirst();
  return elsewhere === undefined ? (fence as unknown as Row) : undefined;
}
