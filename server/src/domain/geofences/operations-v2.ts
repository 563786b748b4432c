import { otherNames } from '@trackway/contract/other-names.ts';
import { geofenceList } from '@trackway/contract/resources/geofence-list.ts';
import {
  type geofenceV2Operations as contract,
  type ShownGeofence,
  shownGeofence,
} from '@trackway/contract/resources/v2/geofence-v2.ts';
import type { Shown } from '@trackway/contract/schema.ts';
import type { Call, Handlers } from '../../calls.ts';
import { Refusal } from '../../platform/errors.ts';
import type { Row } from '../../platform/storage/shape.ts';
import { accessDenied, childNotFound } from '../../refusals.ts';
import type { DeviceAccess } from '../devices/access.ts';
import { familyOf, pageOf, refuseMoved } from '../family.ts';
import { collectionOf } from '../schema/table.ts';
import type { Store } from '../schema/tables.ts';
import type { Quotas } from '../users/quotas.ts';
import { type FenceShaped, fencesOf, type StoredFence } from './fences.ts';
import { fencesSeenBy, listSeenBy, listsSeenBy, lockedList } from './list-access.ts';
import { withThresholds } from './thresholds.ts';

const NAMES = otherNames(shownGeofence, { ownerId: 'userId' });

/** The radius is stored as sent, and returned in whole metres. */
const shownRadius = (radius: number | null) => (radius === null ? null : Math.max(1, Math.round(radius)));

const shownInV2 = (stored: StoredFence): ShownGeofence => ({
  ...NAMES.show(stored),
  radius: shownRadius(stored.radius),
  meta: stored.meta ?? {},
});

/** The geofences of version 2: the same as in version 1, and those on lists that are shared with the user. */
export function geofenceV2Operations(
  store: Store,
  access: DeviceAccess,
  shaped?: FenceShaped,
  quotas?: Quotas,
): Handlers<keyof typeof contract> {
  const fences = fencesOf(store, access, shaped, quotas);
  const { rows } = fences;
  const family = familyOf('geofence', rows, (call) => fencesSeenBy(call.userId));
  const lists = collectionOf(store, 'geofenceLists', geofenceList);
  const present = (row: Row) => shownInV2(rows.present(row));

  async function seen(call: Pick<Call, 'userId'>, fenceId: number): Promise<Row> {
    const row = await rows.find(fencesSeenBy(call.userId), fenceId);
    if (row === undefined) throw childNotFound('geofence', fenceId);
    return row;
  }

  async function own(call: Pick<Call, 'userId'>, fenceId: number): Promise<Row> {
    const row = await seen(call, fenceId);
    if (row.userId !== call.userId) throw accessDenied();
    return row;
  }

  /** With the list of each fence, as far as the user sees it. */
  async function withLists(call: Pick<Call, 'userId'>, shown: readonly ShownGeofence[]): Promise<ShownGeofence[]> {
    const found = new Map<number | null, Shown<typeof geofenceList> | null>([[null, null]]);
    for (const { listId } of shown) {
      if (listId === null || found.has(listId)) continue;
      const row = await lists.find(listsSeenBy(call.userId), listId);
      found.set(listId, row === undefined ? null : lists.present(row));
    }
    return shown.map((fence) => ({ ...fence, list: found.get(fence.listId) ?? null }));
  }

  return {
    async listGeofencesV2(call) {
      const page = await pageOf(family, call, { show: shownInV2 });
      return call.parameters._include?.includes('list') ? { ...page, data: await withLists(call, page.data) } : page;
    },

    async getGeofenceV2(call) {
      const shown = present(await seen(call, call.keys.fenceid));
      return call.parameters._include?.includes('list') ? (await withLists(call, [shown]))[0]! : shown;
    },

    async createGeofenceV2(call) {
      const { listId, ...values } = withThresholds(call.body);
      return present(await fences.create(call, values, { listId, present }));
    },

    async updateGeofenceV2(call) {
      const before = await own(call, call.keys.fenceid);
      refuseMoved(call.sent, { id: call.keys.fenceid, ownerId: call.userId });
      const { listId, ...values } = withThresholds(call.body);
      // A client that sends back unchanged values changes nothing.
      const { radius, ...others } = values;
      const isAsShown = radius === shownRadius(before.radius as number | null);
      return present(await fences.update(call, before, isAsShown ? others : values, { listId }));
    },

    async deleteGeofenceV2(call) {
      await fences.remove(call, await own(call, call.keys.fenceid));
    },

    async putGeofenceOnList(call) {
      const { fenceid: fenceId, listid: listId } = call.keys;
      const fence = await seen(call, fenceId);
      await store.transaction(async (tx) => {
        await lockedList(tx, call.userId, listId);
        if (fence.userId !== call.userId) throw accessDenied();
        await tx.updateTable('geofences').set({ listId }).where('id', '=', fenceId).execute();
      });
      return {};
    },

    async takeGeofenceOffList(call) {
      const fence = await seen(call, call.keys.fenceid);
      const listId = fence.listId as number | null;
      if (listId === null) throw onNoList();
      const list = await listSeenBy(store.query, call.userId, listId);
      if (fence.userId !== call.userId && list?.ownerId !== call.userId) throw accessDenied();
      const { numUpdatedRows } = await store.query
        .updateTable('geofences')
        .set({ listId: null })
        .where('id', '=', call.keys.fenceid)
        .where('listId', '=', listId)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) throw onNoList();
      return {};
    },
  };
}

const onNoList = () => new Refusal(410, 'The geofence is on no list');
