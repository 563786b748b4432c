import type { AuditAction } from '@trackway/contract/audit.ts';
import { type geofenceListOperations as contract, geofenceList } from '@trackway/contract/resources/geofence-list.ts';
import type { Call, Handlers } from '../../calls.ts';
import { badRequest } from '../../platform/errors.ts';
import { accessDenied, childNotFound } from '../../refusals.ts';
import { byCaller, recordAudit } from '../audit/record.ts';
import {
  addressIn,
  countNewAddress,
  isKnownById,
  mailShare,
  QUIET_SHARING,
  type SharePolicy,
} from '../devices/share-mail.ts';
import { familyOf, pageOf, readOf, refuseMoved } from '../family.ts';
import { findRow } from '../rows.ts';
import { collectionOf } from '../schema/table.ts';
import type { Store, Tx } from '../schema/tables.ts';
import { type Quotas, requireRoom, UNLIMITED } from '../users/quotas.ts';
import { listSeenBy, listsSeenBy, lockedList, type SeenList } from './list-access.ts';
import { endGrant, endMembership, grantToAddress, grantToUser } from './list-members.ts';

type ListCall = Pick<Call, 'caller' | 'userId' | 'now' | 'address'>;

/** Responses about an address do not depend on whether an account has it. */
export function geofenceListOperations(
  store: Store,
  policy: SharePolicy = QUIET_SHARING,
  quotas: Quotas = UNLIMITED,
): Handlers<keyof typeof contract> {
  const rows = collectionOf(store, 'geofenceLists', geofenceList);
  const family = familyOf('geofenceList', rows, (call) => listsSeenBy(call.userId));

  /** Changes a list that the user sees, in one transaction. */
  const changing = async (
    call: ListCall,
    listId: number,
    change: (tx: Tx, list: SeenList) => Promise<unknown>,
  ): Promise<Record<never, never>> => {
    await store.transaction(async (tx) => change(tx, await lockedList(tx, call.userId, listId)));
    return {};
  };

  const roomOf = ({ caller }: ListCall, userId: number) => ({ quotas, caller, userId });

  /** Members and pending addresses count equally, so that a full list reveals nothing about accounts. */
  const requireMemberRoom = (tx: Tx, call: ListCall, { id, ownerId }: SeenList) =>
    requireRoom(tx, roomOf(call, ownerId), 'listMembers', (on) => on.selectFrom('grants').where('listId', '=', id));

  return {
    listGeofenceLists: (call) => pageOf(family, call, { show: (list) => list }),
    getGeofenceList: (call) => readOf(family, call),

    async createGeofenceList(call) {
      return store.transaction(async (tx) => {
        await requireRoom(tx, roomOf(call, call.userId), 'geofenceLists', (on, userIds) =>
          on.selectFrom('geofenceLists').where('ownerId', 'in', userIds),
        );
        const row = await rows.insert({ ...call.body, ownerId: call.userId }, tx, { created: call.now });
        return rows.present(row);
      });
    },

    updateGeofenceList: (call) =>
      store.transaction(async (tx) => {
        const { id, ownerId } = await lockedList(tx, call.userId, call.keys.listid);
        if (ownerId !== call.userId) throw accessDenied();
        refuseMoved(call.sent, { id, ownerId });
        return rows.present((await rows.update(id, call.body, tx))!);
      }),

    async listGeofenceListShares(call) {
      const list = await listSeenBy(store.query, call.userId, call.keys.listid);
      if (list === undefined) throw childNotFound('geofenceList', call.keys.listid);
      return sharingOf(store.query, list, call.userId);
    },

    deleteGeofenceList: (call) =>
      changing(call, call.keys.listid, async (tx, list) => {
        if (list.ownerId !== call.userId) return end(tx, call, list, call.userId);
        // Its fences stay: the database removes them from the list.
        await tx.deleteFrom('geofenceLists').where('id', '=', list.id).execute();
        await audit(tx, call, list, 'geofenceList.deleted', { name: list.name });
      }),

    async shareGeofenceList(call) {
      const email = addressIn('geofenceListShare', call.body.email ?? '');
      const answer = await changing(call, call.keys.listid, async (tx, list) => {
        const again = await findRow(tx, 'grants', { listId: list.id, email }, ['id']);
        if (again !== undefined) return;
        await requireMemberRoom(tx, call, list);
        const by = { userId: call.userId, admin: call.caller.admin };
        const to = { email, by, thing: { listOfGeofences: list.name } };
        await countNewAddress(tx, policy, to, call.now);
        await grantToAddress(tx, { listId: list.id, email, grantedBy: call.userId }, call.now);
        await mailShare(tx, policy, to, call.now);
        await audit(tx, call, list, 'geofenceList.shared', { email });
      });
      policy.mailer.wake();
      return answer;
    },

    unshareGeofenceList(call) {
      const email = addressIn('geofenceListShare', call.parameters.email);
      return changing(call, call.keys.listid, async (tx, list) => {
        if (await endGrant(tx, list, email)) await audit(tx, call, list, 'geofenceList.unshared', { email });
      });
    },

    addGeofenceListUser: (call) =>
      changing(call, call.keys.listid, async (tx, list) => {
        const userId = call.keys.targetid;
        if (!(await isThere(tx, call, userId))) throw childNotFound('user', userId);
        if (userId === list.ownerId || (await isNamed(tx, list.id, userId))) return;
        await requireMemberRoom(tx, call, list);
        await grantToUser(tx, list.id, userId, call.now);
        await audit(tx, call, list, 'geofenceList.shared', { userId });
      }),

    removeGeofenceListUser: (call) =>
      changing(call, call.keys.listid, async (tx, list) => {
        const userId = call.keys.targetid;
        if (userId === list.ownerId) throw badRequest('The owner of a list cannot be removed from it: delete the list');
        if (!(await isMember(tx, list.id, userId))) throw childNotFound('user', userId);
        await end(tx, call, list, userId);
      }),
  };
}

/** Whether the caller may name this user: admins any existing one, others only those they know. */
async function isThere(tx: Tx, { caller, userId: by }: ListCall, userId: number): Promise<boolean> {
  const user = await findRow(tx, 'users', { id: userId }, ['id']);
  return user !== undefined && (caller.admin || (await isKnownUser(tx, by, userId)));
}

async function isNamed(tx: Tx, listId: number, userId: number): Promise<boolean> {
  const grant = await findRow(tx, 'grants', { listId, userId }, ['id']);
  return grant !== undefined;
}

async function end(tx: Tx, call: ListCall, list: SeenList, userId: number): Promise<void> {
  await endMembership(tx, list.id, userId);
  const action = userId === call.userId ? 'geofenceList.left' : 'geofenceList.unshared';
  await audit(tx, call, list, action, { userId });
}

/** Data that the owner of the list may read: never the account of an address. */
const audit = (
  tx: Tx,
  call: ListCall,
  { id, ownerId }: SeenList,
  action: Extract<AuditAction, `geofenceList.${string}`>,
  detail: Readonly<Record<string, unknown>>,
) => recordAudit(tx, { action, ...byCaller(call), userId: ownerId, detail: { listId: id, ...detail } }, call.now);

interface Sharing {
  readonly sharedBy: string | null;
  readonly data: { readonly email: string | null; readonly userId: number | null }[];
}

/** The shares of a list that a member may see: the owner all, others those they created. */
async function sharingOf(on: Tx, { id, ownerId }: SeenList, userId: number): Promise<Sharing> {
  const isOwner = ownerId === userId;
  const grants = await on
    .selectFrom('grants')
    .select(['email', 'userId'])
    .where('listId', '=', id)
    .$if(!isOwner, (query) => query.where('grantedBy', '=', userId))
    // Addresses come first.
    .orderBy((of) => of.case().when('userId', 'is', null).then(0).else(1).end())
    .orderBy('id')
    .execute();
  return { sharedBy: isOwner ? null : await sharerOf(on, id, userId), data: grants.map((grant) => ({ ...grant })) };
}

/** Known if it was shared with an address of the user, since the mail contained the same information. */
async function sharerOf(on: Tx, listId: number, userId: number): Promise<string | null> {
  const grant = await on
    .selectFrom('grants as g')
    .innerJoin('users as u', 'u.id', 'g.grantedBy')
    .select('u.email')
    .where('g.listId', '=', listId)
    .where('g.holderId', '=', userId)
    .orderBy('g.id')
    .executeTakeFirst();
  return grant?.email ?? null;
}

/** Whether one of the two users shares a device with the other, by id or by the address of a confirmed account. */
async function isShared(tx: Tx, callerId: number, userId: number): Promise<boolean> {
  const own = await tx
    .selectFrom('shares as s')
    .innerJoin('devices as d', 'd.id', 's.deviceId')
    .select('s.id')
    .where('s.userId', '=', userId)
    .where('d.ownerId', '=', callerId)
    .where('d.deletedAt', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return own !== undefined || isKnownById(tx, callerId, userId);
}

/**
 * Whether the caller may know the id of a user: by a shared device, or because the user owns a list or a fence that the caller
 * sees, or was named by id as a member of such a list. Membership by an address does not reveal the id: otherwise a
 * caller could try ids until one matches the address, and so learn whether it has an account.
 */
async function isKnownUser(tx: Tx, callerId: number, userId: number): Promise<boolean> {
  if (callerId === userId || (await isShared(tx, callerId, userId))) return true;
  const shared = await tx
    .selectFrom('geofenceLists as l')
    .select('l.id')
    .where((when) =>
      when.or([
        when('l.ownerId', '=', callerId),
        when.exists(
          when
            .selectFrom('grants as x')
            .select('x.id')
            .whereRef('x.listId', '=', 'l.id')
            .where('x.holderId', '=', callerId),
        ),
      ]),
    )
    .where((when) =>
      when.or([
        when('l.ownerId', '=', userId),
        when.exists(
          when
            .selectFrom('geofences as f')
            .select('f.id')
            .whereRef('f.listId', '=', 'l.id')
            .where('f.userId', '=', userId),
        ),
        when.exists(
          when
            .selectFrom('grants as x')
            .select('x.id')
            .whereRef('x.listId', '=', 'l.id')
            .where('x.userId', '=', userId),
        ),
      ]),
    )
    .limit(1)
    .executeTakeFirst();
  return shared !== undefined;
}

async function isMember(tx: Tx, listId: number, userId: number): Promise<boolean> {
  const member = await findRow(tx, 'grants', { listId, holderId: userId }, ['id']);
  return member !== undefined;
}
