import { fenceThresholds, geofence } from '@trackway/contract/resources/geofence.ts';
import { noun, type Sent, type Shown } from '@trackway/contract/schema.ts';
import type { Call } from '../../calls.ts';
import { Collection, type Values } from '../../platform/collection.ts';
import { noteCreated } from '../../platform/keyed-request.ts';
import type { AnyQuery } from '../../platform/storage/database.ts';
import { type Row, storeValues, type TableShape } from '../../platform/storage/shape.ts';
import { childNotFound, invalidField } from '../../refusals.ts';
import { byCaller, recordAudit } from '../audit/record.ts';
import { endZones, setZoneOfConfig } from '../commands/config-operations.ts';
import type { DeviceAccess } from '../devices/access.ts';
import { changedFields } from '../family.ts';
import { hasRights } from '../rights.ts';
import { findRow } from '../rows.ts';
import { shapeOf } from '../schema/shape.ts';
import type { Store, Tx } from '../schema/tables.ts';
import { type Quotas, requireRoom, UNLIMITED } from '../users/quotas.ts';
import { listSeenBy, lockList } from './list-access.ts';
import { type FenceThresholds, inMeta, requireOrder } from './thresholds.ts';
import { fenceChanged, fenceRemoved, type ShapedFence } from './versions.ts';

/** Creates, changes and deletes fences, for all operations. */
export interface Fences {
  readonly rows: Collection<StoredFence>;
  create(call: FenceCall, values: FenceValues, beyond?: Beyond): Promise<Row>;
  update(call: FenceCall, before: Row, values: FenceValues, beyond?: Beyond): Promise<Row>;
  remove(call: FenceCall, row: Row): Promise<void>;
  /** Removes everything that depends on deleted fences. */
  removed(tx: Tx, call: FenceCall, ids: readonly number[], detail: object): Promise<void>;
}

export type Geofence = Shown<typeof geofence>;
export type StoredFence = Geofence & Required<FenceThresholds> & { readonly listId: number | null };
type FenceValues = Sent<typeof geofence> & FenceThresholds;
/** Determines which devices are inside a fence that is new or has another shape. */
export type FenceShaped = (fence: ShapedFence) => Promise<void>;
type FenceCall = Pick<Call, 'caller' | 'userId' | 'now' | 'address'>;

/** Additional data of version 2. */
interface Beyond {
  readonly listId?: number | null;
  /** Presents a new fence in the response. */
  readonly present?: (row: Row) => object;
}

export const STORED: TableShape<StoredFence> = [
  ...shapeOf(geofence),
  ...shapeOf(noun('geofence', fenceThresholds)),
  { name: 'listId', kind: 'integer' },
];

export const shownInV1 = (stored: StoredFence): Geofence => {
  const { listId: _, ...fence } = inMeta(stored);
  return fence;
};

/** Changes of these fields must be sent to the device. */
const SENT_TO_DEVICE: readonly (keyof StoredFence)[] = ['outline', 'center', 'radius', 'deviceId', 'configId'];

export function fencesOf(
  store: Store,
  access: DeviceAccess,
  shaped: FenceShaped = async () => {},
  quotas: Quotas = UNLIMITED,
): Fences {
  const rows = new Collection<StoredFence>(store, 'geofences', { shape: STORED });

  /** Refuses a configuration whose safe zone the caller may not set. */
  async function requireConfig(tx: Tx, call: FenceCall, configId: number): Promise<void> {
    const config = await findRow(tx, 'deviceConfigs', { id: configId }, ['deviceId']);
    const right = config && (await access.rightOn(call.caller, config.deviceId));
    // Missing visibility and insufficient rights give the same error, also if an admin acts for a user.
    const mayTie =
      (right === 'manage' || right === 'own') &&
      (await hasRights(tx, call.userId, [{ deviceId: config!.deviceId, right: 'manage' }]));
    if (!mayTie)
      throw invalidField(
        'geofence',
        'configId',
        'unknown',
        `is not a configuration of a device you may manage: ${configId}`,
      );
  }

  async function requireList(tx: Tx, { userId }: FenceCall, listId: number): Promise<void> {
    await lockList(tx, listId);
    if ((await listSeenBy(tx, userId, listId)) === undefined)
      throw invalidField('geofence', 'listId', 'unknown', `is not a list you have access to: ${listId}`);
  }

  const insert = async (tx: Tx, values: Values<StoredFence>, listId: number | null): Promise<Row> =>
    (await (tx as unknown as AnyQuery)
      .insertInto('geofences')
      .values({ ...storeValues(rows.shape, values), listId })
      .returningAll()
      .executeTakeFirstOrThrow()) as Row;

  /** The fence once it is known which devices are inside. */
  async function settled(row: Row, fence: ShapedFence | undefined): Promise<Row> {
    if (fence === undefined) return row;
    await shaped(fence);
    const now = await store.query
      .selectFrom('geofences')
      .selectAll()
      .where('id', '=', fence.fenceId)
      .executeTakeFirst();
    return (now as unknown as Row | undefined) ?? row;
  }

  async function removed(tx: Tx, call: FenceCall, ids: readonly number[], detail: object): Promise<void> {
    await endZones(tx, ids, call.now);
    for (const id of ids) await fenceRemoved(tx, id, call.userId, call.now);
    await recordAudit(
      tx,
      { action: 'geofence.deleted', ...byCaller(call), userId: call.userId, detail: { ...detail } },
      call.now,
    );
  }

  return {
    rows,
    removed,

    async create(call, values, { listId = null, present = (row: Row) => shownInV1(rows.present(row)) } = {}) {
      requireCorners(values.outline);
      requireOrder(values);
      await access.requireVisible(call.caller, values.deviceId, 'geofence', 'deviceId');
      const modified = Boolean(values.deviceId || values.configId);
      const { row, fence } = await store.transaction(async (tx) => {
        const room = { quotas, caller: call.caller, userId: call.userId };
        await requireRoom(tx, room, 'geofences', fencesCounted);
        if (listId !== null) await requireList(tx, call, listId);
        if (values.configId) await requireConfig(tx, call, values.configId);
        const row = await insert(tx, { ...values, modified, userId: call.userId }, listId);
        noteCreated(() => JSON.stringify(present(row)));
        if (values.configId) await setZoneOfConfig(tx, values.configId, row.id as number, call.now);
        return { row, fence: await fenceChanged(tx, undefined, row, call.now) };
      });
      return settled(row, fence);
    },

    async update(call, before, values, { listId } = {}) {
      requireCorners(values.outline);
      const shown = rows.present(before);
      requireOrder(values, shown);
      const id = before.id as number;
      const changes = changedFields<StoredFence>(values, shown);
      if (changes.includes('deviceId'))
        await access.requireVisible(call.caller, values.deviceId, 'geofence', 'deviceId');
      const isSentToDevice = Boolean(values.deviceId ?? before.deviceId) || Boolean(values.configId ?? before.configId);
      const modified = isSentToDevice && changes.some((name) => SENT_TO_DEVICE.includes(name));
      const { row, fence } = await store.transaction(async (tx) => {
        if (listId !== undefined && listId !== before.listId) {
          if (listId !== null) await requireList(tx, call, listId);
          await tx.updateTable('geofences').set({ listId }).where('id', '=', id).execute();
        }
        if (changes.includes('configId')) {
          if (before.configId !== null) await endZones(tx, [id], call.now, before.configId as number);
          if (values.configId) {
            await requireConfig(tx, call, values.configId);
            await setZoneOfConfig(tx, values.configId, id, call.now);
          }
        }
        const row = await rows.update(id, modified ? { ...values, modified } : values, tx);
        const isChanged = row !== undefined && changes.length > 0;
        return { row, fence: isChanged ? await fenceChanged(tx, before, row, call.now) : undefined };
      });
      if (row === undefined) throw childNotFound('geofence', id);
      return settled(row, fence);
    },

    async remove(call, row) {
      const id = row.id as number;
      await store.transaction(async (tx) => {
        await rows.remove(id, tx);
        await removed(tx, call, [id], { id, name: row.name });
      });
    },
  };
}

/** A query for the number of fences of these users. */
export const fencesCounted = (on: Tx, userIds: readonly number[]) =>
  on.selectFrom('geofences').where('userId', 'in', userIds);

/** An outline, closed or not, needs three different vertices. */
export function requireCorners(
  outline: readonly { readonly lat: number; readonly lng: number }[] | null | undefined,
  field = 'outline',
): void {
  if (!outline) return;
  const corners = new Set(outline.map(({ lat, lng }) => `${lat},${lng}`));
  if (corners.size < 3) throw invalidField('geofence', field, 'length', 'must have at least 3 different vertices');
}
