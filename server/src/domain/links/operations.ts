import { type linkOperations as contract, link } from '@trackway/contract/resources/link.ts';
import { type groupLinkOperations as groupContract, groupLink } from '@trackway/contract/resources/many/group-link.ts';
import type { Handlers } from '../../calls.ts';
import { childNotFound, invalidField } from '../../refusals.ts';
import { byCaller, endedBy, recordAudit, recordDeviceAudit } from '../audit/record.ts';
import { children, countOf, familyOf, listOf, readOf, refuseMoved, rowOf } from '../family.ts';
import { countRows } from '../rows.ts';
import { lockDevices } from '../schema/lock-device.ts';
import { collectionOf } from '../schema/table.ts';
import type { Store, Tx } from '../schema/tables.ts';
import { managersOfGroup } from '../triggers/rule-applies.ts';
import { endOf, newAddress, requireFewLinks } from './end-links.ts';
import { openLink, type RouteOf } from './look.ts';

/**
 * @param publicUrl public address of the server; empty if not configured
 * @param routeOf absent without a routing service
 */
export function linkOperations(store: Store, publicUrl: string, routeOf?: RouteOf): Handlers<keyof typeof contract> {
  const rows = collectionOf(store, 'links', link);
  const family = familyOf('link', rows, ({ deviceId, right, caller }) =>
    right === 'own'
      ? children('deviceId', deviceId)
      : { sql: '"deviceId" = ? AND "userId" = ?', cells: [deviceId, caller.userId] },
  );
  const ofUser = familyOf('link', rows, ({ userId }) => ({
    sql: '"userId" = ? AND "deviceId" IS NOT NULL',
    cells: [userId],
  }));

  return {
    listLinks: (call) => listOf(family, call),
    countLinks: (call) => countOf(family, call),
    getLink: (call) => readOf(family, call),
    listUserLinks: (call) => listOf(ofUser, call),
    openLink: openLink(store, routeOf),

    async createLink(call) {
      const { deviceId, caller, now, body } = call;
      const expiresAt = endOf('link', body.expiresAt, now);
      const { handle, hash, url } = newAddress(publicUrl);
      const values = { ...body, deviceId, userId: caller.userId, handle, expiresAt, views: 0, created: now };
      const row = await store.transaction(async (tx) => {
        await requireRoom(tx, deviceId, now);
        const made = await rows.insert(values, tx, { secret: hash });
        const detail = { id: made.id, expiresAt: new Date(expiresAt).toISOString(), trail: made.trail === 1 };
        await recordDeviceAudit(tx, call, { action: 'link.created', deviceId, detail });
        return made;
      });
      return { ...rows.present(row), url };
    },

    async updateLink(call) {
      const { deviceId, key, now, body } = call;
      const before = await rowOf(family, call);
      refuseMoved(call.sent, { id: key, deviceId, userId: before.userId as number });
      const isLater = body.expiresAt !== undefined && body.expiresAt !== null;
      const values = { ...body, ...(isLater && { expiresAt: endOf('link', body.expiresAt, now) }) };
      const row = await store.transaction(async (tx) => {
        // An ended link that is extended counts again.
        if (isLater) await requireRoom(tx, deviceId, now, key);
        const changed = await rows.update(key, values, tx);
        const detail = { id: key, userId: before.userId, fields: Object.keys(body) };
        if (changed) await recordDeviceAudit(tx, call, { action: 'link.updated', deviceId, detail });
        return changed;
      });
      if (row === undefined) throw childNotFound('link', key);
      return rows.present(row);
    },

    async deleteLink(call) {
      const { id, userId } = await rowOf(family, call);
      await store.transaction(async (tx) => {
        await rows.remove(call.key, tx);
        await recordDeviceAudit(tx, call, { action: 'link.deleted', deviceId: call.deviceId, detail: { id, userId } });
        if (userId !== call.caller.userId)
          await recordAudit(tx, endedBy(call, 'link.ended', userId as number, { id }), call.now);
      });
    },
  };
}

async function requireRoom(tx: Tx, deviceId: number, now: number, except = 0): Promise<void> {
  // Locking the device's row serializes calls for one device, on either engine.
  await lockDevices(tx, [deviceId]);
  const count = await countRows(
    tx.selectFrom('links').where('deviceId', '=', deviceId).where('expiresAt', '>', now).where('id', '!=', except),
  );
  requireFewLinks('link', 'deviceId', count);
}

const OF_USER = `"groupId" IS NOT NULL AND ("userId" = ? OR "groupId" IN (SELECT "id" FROM "deviceGroups" WHERE "ownerId" = ?))`;

/**
 * Links of groups. A link depends on the right of the user in the path: another caller is an admin who acts for them.
 * @param publicUrl public address of the server; empty if not configured
 */
export function groupLinkOperations(store: Store, publicUrl: string): Handlers<keyof typeof groupContract> {
  const rows = collectionOf(store, 'links', groupLink);
  const family = familyOf('groupLink', rows, ({ userId }) => ({ sql: OF_USER, cells: [userId, userId] }));

  return {
    listGroupLinks: (call) => listOf(family, call),
    countGroupLinks: (call) => countOf(family, call),
    getGroupLink: (call) => readOf(family, call),

    async createGroupLink(call) {
      const { userId, now, body } = call;
      const groupId = body.groupId as number;
      const expiresAt = endOf('groupLink', body.expiresAt, now);
      const { handle, hash, url } = newAddress(publicUrl);
      const values = { ...body, userId, handle, expiresAt, views: 0, created: now };
      const row = await store.transaction(async (tx) => {
        if (!(await managersOfGroup(tx, groupId)).has(userId))
          throw invalidField('groupLink', 'groupId', 'unknown', `is not a group you may manage: ${groupId}`);
        await requireGroupRoom(tx, groupId, now);
        const made = await rows.insert(values, tx, { secret: hash });
        const detail = { id: made.id, groupId, expiresAt: new Date(expiresAt).toISOString(), trail: made.trail === 1 };
        await recordAudit(tx, { action: 'groupLink.created', ...byCaller(call), userId, detail }, now);
        return made;
      });
      return { ...rows.present(row), url };
    },

    async updateGroupLink(call) {
      const { key, now, body } = call;
      const before = await rowOf(family, call);
      const [groupId, userId] = [before.groupId as number, before.userId as number];
      refuseMoved(call.sent, { id: key, groupId, userId });
      const isLater = body.expiresAt !== undefined && body.expiresAt !== null;
      const values = { ...body, groupId, ...(isLater && { expiresAt: endOf('groupLink', body.expiresAt, now) }) };
      const row = await store.transaction(async (tx) => {
        // An ended link that is extended counts again.
        if (isLater) await requireGroupRoom(tx, groupId, now, key);
        const changed = await rows.update(key, values, tx);
        const detail = { id: key, groupId, fields: Object.keys(body) };
        if (changed) await recordAudit(tx, { action: 'groupLink.updated', ...byCaller(call), userId, detail }, now);
        return changed;
      });
      if (row === undefined) throw childNotFound('groupLink', key);
      return rows.present(row);
    },

    async deleteGroupLink(call) {
      const { id, groupId, userId } = await rowOf(family, call);
      const entry = { ...byCaller(call), userId: userId as number, detail: { id, groupId } };
      await store.transaction(async (tx) => {
        await rows.remove(call.key, tx);
        await recordAudit(tx, { action: 'groupLink.deleted', ...entry }, call.now);
      });
    },
  };
}

async function requireGroupRoom(tx: Tx, groupId: number, now: number, except = 0): Promise<void> {
  // Locking the row of the group serializes calls for one group, on either engine.
  await tx.updateTable('deviceGroups').set({ id: groupId }).where('id', '=', groupId).execute();
  const count = await countRows(
    tx.selectFrom('links').where('groupId', '=', groupId).where('expiresAt', '>', now).where('id', '!=', except),
  );
  requireFewLinks('groupLink', 'groupId', count);
}
