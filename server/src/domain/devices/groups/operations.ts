import type { AuditAction } from '@trackway/contract/audit.ts';
import {
  type deviceGroupOperations as contract,
  deviceGroup,
  groupMember,
} from '@trackway/contract/resources/many/device-group.ts';
import type { Call, Handlers } from '../../../calls.ts';
import { childNotFound, invalidField, outOfScope, quotaExceeded } from '../../../refusals.ts';
import { byCaller, recordAudit } from '../../audit/record.ts';
import { countOf, familyOf, listOf, readOf, refuseMoved, searchOf } from '../../family.ts';
import { countRows, getRow } from '../../rows.ts';
import { shapeOf } from '../../schema/shape.ts';
import { collectionOf } from '../../schema/table.ts';
import type { Store, Tx } from '../../schema/tables.ts';
import type { ShareFollowers } from '../grants.ts';
import { QUIET_SHARING, type SharePolicy } from '../share-mail.ts';
import { endGroupGrants, groupShareOperations } from './group-shares.ts';
import {
  devicesIn,
  groupsSeenBy,
  holdersOf,
  lockTrees,
  MOST_LEVELS,
  membersSeenBy,
  ownGroup,
  subtreeOf,
  withAncestors,
} from './groups.ts';
import { addDevices, removeDevices, settleDevices } from './members.ts';

const MOST_GROUPS = 1000;
const MEMBER = shapeOf(groupMember);

interface GroupParts {
  readonly followers: ShareFollowers;
  readonly policy?: SharePolicy;
  /** Lets triggers follow what was changed, as far as that is quickly done. */
  readonly follow: () => Promise<void>;
}

export function deviceGroupOperations(
  store: Store,
  { followers, policy = QUIET_SHARING, follow }: GroupParts,
): Handlers<keyof typeof contract> {
  const rows = collectionOf(store, 'deviceGroups', deviceGroup);
  const family = familyOf('group', rows, (call) => groupsSeenBy(call.userId));

  const shown = async (call: Call, id: number) => {
    const row = await rows.find(family.scope(call), id);
    if (row === undefined) throw childNotFound('group', id);
    return rows.present(row);
  };

  /** Changes the trees of the user, one change after the other. */
  async function changing<T>(call: Call, change: (tx: Tx) => Promise<T>): Promise<T> {
    const changed = await store.transaction(async (tx) => {
      await lockTrees(tx, call.userId);
      return change(tx);
    });
    await follow();
    return changed;
  }

  async function requireParent(tx: Tx, call: Call, parentId: number, levelsBelow: number): Promise<void> {
    const parent = await tx
      .selectFrom('deviceGroups')
      .select('id')
      .where('id', '=', parentId)
      .where('ownerId', '=', call.userId)
      .where('deletedAt', 'is', null)
      .executeTakeFirst();
    if (parent === undefined)
      throw invalidField('deviceGroup', 'parentId', 'unknown', `is not a group of this user: ${parentId}`);
    const { length: levelsAbove } = await withAncestors(tx, parentId);
    if (levelsAbove + levelsBelow > MOST_LEVELS)
      throw invalidField('deviceGroup', 'parentId', 'depth', `would make more than ${MOST_LEVELS} levels of groups`);
  }

  async function move(tx: Tx, call: Call, id: number, parentId: number | null): Promise<void> {
    const { ids, levels } = await subtreeOf(tx, id);
    if (parentId !== null) {
      if (ids.includes(parentId))
        throw invalidField('deviceGroup', 'parentId', 'cycle', 'is the group itself, or one of its subgroups');
      await requireParent(tx, call, parentId, levels);
      await refuseSharing(tx, call, parentId);
    }
    const above = await withAncestors(tx, id);
    await tx.updateTable('deviceGroups').set({ parentId }).where('id', '=', id).execute();
    const userIds = await holdersOf(tx, [...above, ...(await withAncestors(tx, id))]);
    await settleDevices(tx, followers, { deviceIds: await devicesIn(tx, ids), userIds }, call.now);
  }

  /** Deletes or restores groups that are a tree. */
  async function setDeleted(tx: Tx, call: Call, ids: readonly number[], deletedAt: number | null): Promise<void> {
    const userIds = await holdersOf(tx, [...ids, ...(await withAncestors(tx, ids[0]!))]);
    await tx
      .updateTable('deviceGroups')
      .set({ deletedAt })
      .where('id', 'in', [...ids])
      .execute();
    await settleDevices(tx, followers, { deviceIds: await devicesIn(tx, ids), userIds }, call.now);
  }

  return {
    listDeviceGroups: (call) => listOf(family, call),
    countDeviceGroups: (call) => countOf(family, call),
    getDeviceGroup: (call) => readOf(family, call),

    async createDeviceGroup(call) {
      const { name, parentId = null } = call.body;
      const id = await changing(call, async (tx) => {
        await requireGroupRoom(tx, call.userId, 1);
        if (parentId !== null) await requireParent(tx, call, parentId, 1);
        const values = { name: name!, parentId, ownerId: call.userId, created: call.now };
        const made = await tx.insertInto('deviceGroups').values(values).returning('id').executeTakeFirstOrThrow();
        return made.id;
      });
      return shown(call, id);
    },

    async updateDeviceGroup(call) {
      await changing(call, async (tx) => {
        const group = await ownGroup(tx, call.userId, call.key);
        refuseMoved(call.sent, { id: group.id, ownerId: group.ownerId });
        const { name, parentId } = call.body;
        if (name) await tx.updateTable('deviceGroups').set({ name }).where('id', '=', group.id).execute();
        if (parentId !== undefined && parentId !== group.parentId) await move(tx, call, group.id, parentId);
        await recordGroup(tx, call, 'group.updated', { groupId: group.id, fields: Object.keys(call.body) });
      });
      return shown(call, call.key);
    },

    async deleteDeviceGroup(call) {
      await changing(call, async (tx) => {
        const seen = await rows.find(family.scope(call), call.key);
        if (seen !== undefined && seen.ownerId !== call.userId)
          return endGroupGrants(tx, followers, call, { groupId: call.key, holderId: call.userId });
        const group = await ownGroup(tx, call.userId, call.key);
        const { ids } = await subtreeOf(tx, group.id);
        await setDeleted(tx, call, ids, call.now);
        await recordGroup(tx, call, 'group.deleted', { groupId: group.id, name: group.name });
      });
    },

    async restoreDeviceGroup(call) {
      await changing(call, async (tx) => {
        const group = await ownGroup(tx, call.userId, call.key, true);
        const { ids, levels } = await subtreeOf(tx, group.id, group.deletedAt);
        await requireGroupRoom(tx, call.userId, ids.length);
        const isParentThere = await parentFor(tx, group.parentId, levels);
        if (!isParentThere)
          await tx.updateTable('deviceGroups').set({ parentId: null }).where('id', '=', group.id).execute();
        await setDeleted(tx, call, ids, null);
        await recordGroup(tx, call, 'group.restored', { groupId: group.id, name: group.name });
      });
      return shown(call, call.key);
    },

    async listDeviceGroupDevices(call) {
      const { id } = await shown(call, call.key);
      const { ids } = call.parameters.below === false ? { ids: [id] } : await subtreeOf(store.query, id);
      const found = await store.query
        .selectFrom('deviceGroupMembers as m')
        .innerJoin('devices as d', 'd.id', 'm.deviceId')
        .select('m.deviceId')
        .distinct()
        .where('m.groupId', 'in', [...ids])
        .where('d.deletedAt', 'is', null)
        .orderBy('m.deviceId')
        .execute();
      return { deviceIds: found.map(({ deviceId }) => deviceId) };
    },

    listGroupMembers: ({ userId, caller }) =>
      searchOf(store, { ...membersSeenBy(userId), shape: MEMBER, owner: `user:${caller.userId}` }),

    async addDeviceGroupDevices(call) {
      await changing(call, async (tx) => {
        const group = await ownGroup(tx, call.userId, call.key);
        await refuseSharing(tx, call, group.id);
        await addDevices(tx, followers, group, call.body.ids!, call.now);
        await recordGroup(tx, call, 'group.updated', { groupId: group.id, added: call.body.ids });
      });
      return shown(call, call.key);
    },

    async removeDeviceGroupDevices(call) {
      await changing(call, async (tx) => {
        const group = await ownGroup(tx, call.userId, call.key);
        await removeDevices(tx, followers, group, call.body.ids!, call.now);
        await recordGroup(tx, call, 'group.updated', { groupId: group.id, removed: call.body.ids });
      });
      return shown(call, call.key);
    },

    ...groupShareOperations(store, followers, policy),
  };
}

/** What is put into a group is seen by all whom it is shared with, so it takes a token that may share. */
async function refuseSharing(tx: Tx, { caller, now }: Call, groupId: number): Promise<void> {
  const { families } = caller.scope ?? {};
  if (families === undefined || families.includes('shares')) return;
  const ids = await withAncestors(tx, groupId);
  const share = await tx.selectFrom('grants').select('id').where('groupId', 'in', ids).limit(1).execute();
  const link = await tx
    .selectFrom('links')
    .select('id')
    .where('groupId', 'in', ids)
    .where('expiresAt', '>', now)
    .limit(1)
    .execute();
  if (share.length + link.length > 0) throw outOfScope();
}

async function requireGroupRoom(tx: Tx, ownerId: number, more: number): Promise<void> {
  const count = await countRows(
    tx.selectFrom('deviceGroups').where('ownerId', '=', ownerId).where('deletedAt', 'is', null),
  );
  if (count + more > MOST_GROUPS) throw quotaExceeded('groups', MOST_GROUPS);
}

/** Whether the group above is there, and has room for so many levels below it. */
async function parentFor(tx: Tx, parentId: number | null, levels: number): Promise<boolean> {
  if (parentId === null) return true;
  const parent = await getRow(tx, 'deviceGroups', { id: parentId }, ['deletedAt']);
  return parent.deletedAt === null && (await withAncestors(tx, parentId)).length + levels <= MOST_LEVELS;
}

const recordGroup = (
  tx: Tx,
  call: Pick<Call, 'caller' | 'userId' | 'now' | 'address'>,
  action: AuditAction,
  detail: Readonly<Record<string, unknown>>,
) => recordAudit(tx, { action, ...byCaller(call), userId: call.userId, detail }, call.now);
