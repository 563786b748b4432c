import type { AuditAction } from '@trackway/contract/audit.ts';
import {
  type deviceGroupOperations as contract,
  deviceGroupShare,
} from '@trackway/contract/resources/many/device-group.ts';
import type { Call, Handlers } from '../../../calls.ts';
import { NotUnique } from '../../../platform/storage/database.ts';
import { childNotFound, invalidField, modelNotFound, quotaExceeded } from '../../../refusals.ts';
import { byCaller, recordAudit } from '../../audit/record.ts';
import { children, familyOf, listOf, refuseMoved } from '../../family.ts';
import { countRows, findRow } from '../../rows.ts';
import { endDependants } from '../../schema/dependants.ts';
import type { GrantRow } from '../../schema/rows/rule-rows.ts';
import { collectionOf } from '../../schema/table.ts';
import type { Store, Tx } from '../../schema/tables.ts';
import { endUnusedInvitation } from '../../users/invite.ts';
import type { ShareFollowers } from '../grants.ts';
import { addressIn, countNewAddress, isKnownById, mailShare, type SharePolicy } from '../share-mail.ts';
import { devicesIn, lockTrees, type OwnGroup, ownGroup, subtreeOf } from './groups.ts';
import { settleDevices } from './members.ts';

type GroupShareOperation = Extract<
  keyof typeof contract,
  'listDeviceGroupShares' | 'createDeviceGroupShare' | 'updateDeviceGroupShare' | 'deleteDeviceGroupShare'
>;
type ShareCall = Pick<Call, 'caller' | 'userId' | 'now' | 'address'>;

const MOST_SHARES = 200;

/** As for shares of devices: what is answered about an address is the same whether or not an account has it. */
export function groupShareOperations(
  store: Store,
  followers: ShareFollowers,
  policy: SharePolicy,
): Handlers<GroupShareOperation> {
  const rows = collectionOf(store, 'grants', deviceGroupShare);
  const family = familyOf('deviceGroupShare', rows, (call) => children('groupId', call.key));

  async function grantOf(tx: Tx, group: OwnGroup, id: number): Promise<GrantRow & { readonly id: never }> {
    const grant = await tx
      .selectFrom('grants')
      .selectAll()
      .where('id', '=', id)
      .where('groupId', '=', group.id)
      .executeTakeFirst();
    if (grant === undefined) throw childNotFound('deviceGroupShare', id);
    return grant as never;
  }

  const changing = <T>(call: ShareCall & Pick<Call, 'key'>, change: (tx: Tx, group: OwnGroup) => Promise<T>) =>
    store.transaction(async (tx) => {
      await lockTrees(tx, call.userId);
      return change(tx, await ownGroup(tx, call.userId, call.key));
    });

  return {
    async listDeviceGroupShares(call) {
      await ownGroup(store.query, call.userId, call.key);
      return listOf(family, call);
    },

    async createDeviceGroupShare(call) {
      const { rights } = call.body;
      try {
        const shown = await changing(call, async (tx, group) => {
          const { userId, email, holderId } = await shareeOf(tx, call);
          await requireRoom(tx, group.id);
          const thing = { groupOfDevices: group.name, rights: rights ?? 'view' };
          const by = { userId: call.userId, admin: call.caller.admin };
          const to = email === null ? undefined : { email, by, thing };
          if (to) await countNewAddress(tx, policy, to, call.now);
          const values = { groupId: group.id, userId, email, rights, created: call.now };
          const row = await rows.insert(values, tx, { holderId });
          await settleGrant(tx, followers, group.id, holderId, call.now);
          if (to) await mailShare(tx, policy, to, call.now);
          await record(tx, call, 'group.shared', { ...values, id: row.id as number, rights: thing.rights });
          return rows.present(row);
        });
        policy.mailer.wake();
        return shown;
      } catch (error) {
        if (!(error instanceof NotUnique)) throw error;
        const field = call.body.userId ? 'userId' : 'email';
        throw invalidField(
          'deviceGroupShare',
          field,
          'uniqueness',
          'already has a share of this group: update that share',
        );
      }
    },

    updateDeviceGroupShare: (call) =>
      changing(call, async (tx, group) => {
        const id = call.keys.shareid;
        const grant = await grantOf(tx, group, id);
        refuseMoved(call.sent, { id, groupId: group.id, userId: grant.userId });
        const { rights } = call.body;
        if (rights === undefined || rights === null || rights === grant.rights) return rows.present({ ...grant });
        const changed = (await rows.update(id, { rights }, tx))!;
        await settleGrant(tx, followers, group.id, grant.holderId, call.now);
        await record(tx, call, 'group.shareUpdated', { ...grant, rights });
        return rows.present(changed);
      }),

    async deleteDeviceGroupShare(call) {
      await changing(call, async (tx, group) => {
        const { id } = await grantOf(tx, group, call.keys.shareid);
        await endGroupGrants(tx, followers, call, { groupId: group.id, id });
      });
    },
  };
}

/** Ends one grant of a group, or all that a user holds of it, and what follows from them. */
export async function endGroupGrants(
  tx: Tx,
  followers: ShareFollowers,
  call: ShareCall,
  which: { readonly groupId: number; readonly id?: number; readonly holderId?: number },
): Promise<void> {
  let grants = tx.deleteFrom('grants').where('groupId', '=', which.groupId);
  if (which.id !== undefined) grants = grants.where('id', '=', which.id);
  if (which.holderId !== undefined) grants = grants.where('holderId', '=', which.holderId);
  const ended = await grants.returning(['id', 'groupId', 'userId', 'email', 'rights', 'holderId']).execute();
  if (ended.length === 0) throw childNotFound('group', which.groupId);
  for (const grant of ended) {
    await settleGrant(tx, followers, which.groupId, grant.holderId, call.now);
    if (grant.email !== null && grant.holderId === null) await endUnusedInvitation(tx, grant.email);
    await record(tx, call, which.holderId === undefined ? 'group.unshared' : 'group.left', grant);
  }
}

/** The devices of a group follow what a user was given of it, or lost. */
async function settleGrant(
  tx: Tx,
  followers: ShareFollowers,
  groupId: number,
  holderId: number | null,
  now: number,
): Promise<void> {
  if (holderId === null) return;
  const { ids } = await subtreeOf(tx, groupId);
  await settleDevices(tx, followers, { deviceIds: await devicesIn(tx, ids), userIds: [holderId] }, now);
}

async function shareeOf(tx: Tx, call: Call) {
  const { userId, email } = call.body as { userId?: number | null; email?: string | null };
  const ownsIt = (field: string) => invalidField('deviceGroupShare', field, 'owner', 'already owns this group');
  if (userId) {
    if (userId === call.userId) throw ownsIt('userId');
    const isKnown = call.caller.admin || (await isKnownById(tx, call.caller.userId, userId));
    const user = await findRow(tx, 'users', { id: userId }, ['id']);
    if (!isKnown || user === undefined) throw modelNotFound('user', userId);
    return { userId, email: null, holderId: userId };
  }
  if (!email) throw invalidField('deviceGroupShare', 'email', 'presence', "can't be blank: send the e-mail address");
  const address = addressIn('deviceGroupShare', email);
  const account = await findRow(tx, 'users', { email: address }, ['id', 'emailConfirmedAt']);
  if (account?.id === call.userId) throw ownsIt('email');
  const isConfirmed = account !== undefined && account.emailConfirmedAt !== null;
  return { userId: null, email: address, holderId: isConfirmed ? account.id : null };
}

async function requireRoom(tx: Tx, groupId: number): Promise<void> {
  const count = await countRows(tx.selectFrom('grants').where('groupId', '=', groupId));
  if (count >= MOST_SHARES) throw quotaExceeded('shares of a group', MOST_SHARES);
}

/** What the owner may read: never who has the address. */
function record(
  tx: Tx,
  call: ShareCall,
  action: AuditAction,
  { id, groupId, userId, email, rights }: Pick<GrantRow, 'groupId' | 'userId' | 'email' | 'rights'> & { id: number },
): Promise<void> {
  const detail = { groupId, shareId: id, ...(userId === null ? { email } : { userId }), rights };
  return recordAudit(tx, { action, ...byCaller(call), userId: call.userId, detail }, call.now);
}

/** Gives a user the groups that were shared with their address, which is confirmed now. */
export async function claimGroupGrants(
  tx: Tx,
  followers: ShareFollowers,
  { userId, email }: { readonly userId: number; readonly email: string },
  now: number,
): Promise<void> {
  const waiting = await tx
    .selectFrom('grants as x')
    .innerJoin('deviceGroups as g', 'g.id', 'x.groupId')
    .select(['x.id', 'g.id as groupId'])
    .where('x.email', '=', email)
    .where('x.holderId', 'is', null)
    .where('x.userId', 'is', null)
    .where('g.ownerId', '!=', userId)
    .orderBy('x.groupId')
    .execute();
  for (const { id, groupId } of waiting) {
    await tx.updateTable('grants').set({ holderId: userId }).where('id', '=', id).execute();
    await settleGrant(tx, followers, groupId, userId, now);
  }
}

const AT_ONCE = 500;

/** The same for accounts that were made without this server, by the command line or by another process meanwhile. */
export async function claimWaitingGroupGrants(store: Store, followers: ShareFollowers, now: number): Promise<void> {
  const due = await store.query
    .selectFrom('grants as x')
    .innerJoin('users as u', 'u.email', 'x.email')
    .innerJoin('deviceGroups as g', 'g.id', 'x.groupId')
    .select(['u.id', 'u.email'])
    .distinct()
    .where('x.holderId', 'is', null)
    .where('x.userId', 'is', null)
    .where('u.emailConfirmedAt', 'is not', null)
    .whereRef('g.ownerId', '!=', 'u.id')
    .limit(AT_ONCE)
    .execute();
  for (const { id, email } of due)
    await store.transaction((tx) => claimGroupGrants(tx, followers, { userId: id, email }, now));
}

/** How long a deleted group can be restored. */
const KEPT_MS = 30 * 86_400_000;

export async function forgetDeletedGroups(store: Store, now: number): Promise<void> {
  await store.transaction(async (tx) => {
    const old = tx
      .selectFrom('deviceGroups')
      .select('id')
      .where('deletedAt', '<', now - KEPT_MS);
    const ids = (await old.execute()).map(({ id }) => id);
    await endDependants(tx, 'deviceGroups', ids);
    if (ids.length > 0) await tx.deleteFrom('deviceGroups').where('id', 'in', ids).execute();
  });
}
