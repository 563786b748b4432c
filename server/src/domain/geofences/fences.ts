import { geofence } from '@trackway/contract/resources/geofence.ts';
import type { Sent, Shown } from '@trackway/contract/schema.ts';
import type { Kysely } from 'kysely';
import type { Call } from '../../calls.ts';
import type { Collection, Values } from '../../platform/collection.ts';
import { noteCreated } from '../../platform/keyed-request.ts';
import type { AnyQuery } from '../../platform/storage/database.ts';
import { type Row, storeValues } from '../../platform/storage/shape.ts';
import { childNotFound, invalidField } from '../../refusals.ts';
import { byCaller, recordAudit } from '../audit/record.ts';
import { endZones, setZoneOfConfig } from '../device-config/safe-zone.ts';
import type { DeviceAccess } from '../devices/access.ts';
import { changedFields } from '../family.ts';
import { hasRights } from '../rights.ts';
import { collectionOf } from '../schema/collection.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { type Quotas, requireRoom, UNLIMITED } from '../users/quotas.ts';
import { listSeenBy, lockList } from './lists/list-access.ts';
import { requireSound } from './shape/outline.ts';
import { fenceChanged, fenceRemoved, type ShapedFence } from './versions.ts';

/** How fences are made, changed and deleted, whichever operation asks for it. */
export interface Fences {
  readonly rows: Collection<Geofence>;
  create(call: FenceCall, values: FenceValues, beyond?: Beyond): Promise<Row>;
  update(call: FenceCall, before: Row, values: FenceValues, beyond?: Beyond): Promise<Row>;
  remove(call: FenceCall, row: Row): Promise<void>;
  /** Removes what hangs on fences that were just deleted. */
  removed(tx: Kysely<Tables>, call: FenceCall, ids: readonly number[], detail: object): Promise<void>;
}

export type Geofence = Shown<typeof geofence>;
export type FenceValues = Sent<typeof geofence>;
/** Looks who is inside a fence that is new or has another shape. */
export type FenceShaped = (fence: ShapedFence) => Promise<void>;
type FenceCall = Pick<Call, 'caller' | 'userId' | 'now' | 'address'>;

/** What only version 2 knows of. */
interface Beyond {
  readonly listId?: number | null;
  /** A new fence as it is answered. */
  readonly present?: (row: Row) => object;
}

/** A change of these fields must be sent to the device. */
const SENT_TO_DEVICE: readonly (keyof Geofence)[] = ['outline', 'center', 'radius', 'deviceId', 'configId'];

export function fencesOf(
  store: Store,
  access: DeviceAccess,
  shaped: FenceShaped = async () => {},
  quotas: Quotas = UNLIMITED,
): Fences {
  const rows = collectionOf(store, 'geofences', geofence);

  /** Makes the fence the safe zone of the device whose configuration it names. */
  async function tieToConfig(tx: Kysely<Tables>, call: FenceCall, fenceId: number, configId: number): Promise<void> {
    const config = await tx
      .selectFrom('deviceConfigs')
      .select('deviceId')
      .where('id', '=', configId)
      .executeTakeFirst();
    const right = config && (await access.rightOn(call.caller, config.deviceId));
    // Not visible and too little right look alike, as does a user for whom an admin asks and who may not manage it.
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
    await setZoneOfConfig(tx, configId, fenceId, call.now);
  }

  async function requireList(tx: Kysely<Tables>, { userId }: FenceCall, listId: number): Promise<void> {
    await lockList(tx, store.storeKind, listId);
    if ((await listSeenBy(tx, userId, listId)) === undefined)
      throw invalidField('geofence', 'listId', 'unknown', `is not a list you have access to: ${listId}`);
  }

  const insert = async (tx: Kysely<Tables>, values: Values<Geofence>, listId: number | null): Promise<Row> =>
    (await (tx as unknown as AnyQuery)
      .insertInto('geofences')
      .values({ ...storeValues(rows.shape, values), listId })
      .returningAll()
      .executeTakeFirstOrThrow()) as Row;

  /** As it is once it is known who is inside. */
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

  async function removed(tx: Kysely<Tables>, call: FenceCall, ids: readonly number[], detail: object): Promise<void> {
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

    async create(call, values, { listId = null, present = (row: Row) => rows.present(row) } = {}) {
      requireSound(values);
      await access.requireVisible(call.caller, values.deviceId, 'geofence', 'deviceId');
      const modified = Boolean(values.deviceId || values.configId);
      const { row, fence } = await store.transaction(async (tx) => {
        const room = { storeKind: store.storeKind, quotas, caller: call.caller, userId: call.userId };
        await requireRoom(tx, room, 'geofences', fencesCounted(call.userId));
        if (listId !== null) await requireList(tx, call, listId);
        const row = await insert(tx, { ...values, modified, userId: call.userId }, listId);
        noteCreated(() => JSON.stringify(present(row)));
        if (values.configId) await tieToConfig(tx, call, row.id as number, values.configId);
        return { row, fence: await fenceChanged(tx, undefined, row, call.now) };
      });
      return settled(row, fence);
    },

    async update(call, before, values, { listId } = {}) {
      requireSound(values);
      const id = before.id as number;
      const changes = changedFields(values, rows.present(before));
      if (changes.includes('deviceId'))
        await access.requireVisible(call.caller, values.deviceId, 'geofence', 'deviceId');
      const deviceHears = Boolean(values.deviceId ?? before.deviceId) || Boolean(values.configId ?? before.configId);
      const modified = deviceHears && changes.some((name) => SENT_TO_DEVICE.includes(name));
      const { row, fence } = await store.transaction(async (tx) => {
        if (listId !== undefined && listId !== before.listId) {
          if (listId !== null) await requireList(tx, call, listId);
          await tx.updateTable('geofences').set({ listId }).where('id', '=', id).execute();
        }
        if (changes.includes('configId')) {
          if (before.configId !== null) await endZones(tx, [id], call.now, before.configId as number);
          if (values.configId) await tieToConfig(tx, call, id, values.configId);
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

/** How many fences a user has, as a query. */
export const fencesCounted = (userId: number) => (on: Kysely<Tables>) =>
  on
    .selectFrom('geofences')
    .select((of) => of.fn.countAll<number>().as('count'))
    .where('userId', '=', userId);
