import type { AuditAction } from '@trackway/contract/audit.ts';
import { type geofenceListOperations as contract, geofenceList } from '@trackway/contract/resources/geofence-list.ts';
import type { Kysely } from 'kysely';
import type { Call, Handlers } from '../../../calls.ts';
import { badRequest } from '../../../platform/errors.ts';
import { accessDenied, childNotFound } from '../../../refusals.ts';
import { byCaller, recordAudit } from '../../audit/record.ts';
import { addressIn, countNewAddress, mailShare, QUIET_SHARING, type SharePolicy } from '../../devices/share-mail.ts';
import { familyOf, readOf, refuseMoved } from '../../family.ts';
import { pageOf } from '../../pages.ts';
import { collectionOf } from '../../schema/collection.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { type Quotas, requireRoom, UNLIMITED } from '../../users/quotas.ts';
import { isKnownUser, isMember } from './known-members.ts';
import { listSeenBy, listsSeenBy, lockedList, type SeenList } from './list-access.ts';
import { addMember, endGrant, endMembership, grantToAddress } from './members.ts';
import { sharingOf } from './sharing.ts';

type ListCall = Pick<Call, 'caller' | 'userId' | 'now' | 'address'>;

/** What is answered about an address is the same whether or not an account has it. */
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
    change: (tx: Kysely<Tables>, list: SeenList) => Promise<unknown>,
  ): Promise<Record<never, never>> => {
    await store.transaction(async (tx) => change(tx, await lockedList(tx, store.storeKind, call.userId, listId)));
    return {};
  };

  const roomOf = ({ caller }: ListCall, userId: number) => ({ storeKind: store.storeKind, quotas, caller, userId });

  /** Members and addresses that wait count alike, so that a full list tells nothing of accounts. */
  const requireMemberRoom = (tx: Kysely<Tables>, call: ListCall, { id, ownerId }: SeenList) =>
    requireRoom(tx, roomOf(call, ownerId), 'listMembers', (on) =>
      on
        .selectFrom((of) =>
          of
            .selectFrom('geofenceListGrants')
            .select('id')
            .where('listId', '=', id)
            .unionAll(of.selectFrom('geofenceListUsers').select('id').where('listId', '=', id).where('byId', '=', 1))
            .as('member'),
        )
        .select((of) => of.fn.countAll<number>().as('count')),
    );

  return {
    listGeofenceLists: (call) => pageOf(family, call, { show: (list) => list }),
    getGeofenceList: (call) => readOf(family, call),

    async createGeofenceList(call) {
      return store.transaction(async (tx) => {
        await requireRoom(tx, roomOf(call, call.userId), 'geofenceLists', (on) =>
          on
            .selectFrom('geofenceLists')
            .select((of) => of.fn.countAll<number>().as('count'))
            .where('ownerId', '=', call.userId),
        );
        const row = await rows.insert({ ...call.body, ownerId: call.userId }, tx, { created: call.now });
        return rows.present(row);
      });
    },

    updateGeofenceList: (call) =>
      store.transaction(async (tx) => {
        const { id, ownerId } = await lockedList(tx, store.storeKind, call.userId, call.keys.listid);
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
        // Its fences stay: the database takes them off.
        await tx.deleteFrom('geofenceLists').where('id', '=', list.id).execute();
        await audit(tx, call, list, 'geofenceList.deleted', { name: list.name });
      }),

    async shareGeofenceList(call) {
      const email = addressIn('geofenceListShare', call.body.email ?? '');
      const answer = await changing(call, call.keys.listid, async (tx, list) => {
        const again = await tx
          .selectFrom('geofenceListGrants')
          .select('id')
          .where('listId', '=', list.id)
          .where('email', '=', email)
          .executeTakeFirst();
        if (again !== undefined) return;
        await requireMemberRoom(tx, call, list);
        const by = { userId: call.userId, admin: call.caller.admin };
        const to = { email, by, thing: { listOfGeofences: list.name } };
        await countNewAddress(tx, policy, to, call.now);
        await grantToAddress(tx, { listId: list.id, email, givenBy: call.userId }, list.ownerId, call.now);
        await mailShare(tx, store.storeKind, policy, to, call.now);
        await audit(tx, call, list, 'geofenceList.shared', { email });
      });
      policy.desk.wake();
      return answer;
    },

    unshareGeofenceList(call) {
      const email = addressIn('geofenceListShare', call.parameters.email);
      return changing(call, call.keys.listid, async (tx, list) => {
        if (await endGrant(tx, list.id, email)) await audit(tx, call, list, 'geofenceList.unshared', { email });
      });
    },

    addGeofenceListUser: (call) =>
      changing(call, call.keys.listid, async (tx, list) => {
        const userId = call.keys.targetid;
        if (!(await isThere(tx, call, userId))) throw childNotFound('user', userId);
        if (userId === list.ownerId || (await isNamed(tx, list.id, userId))) return;
        await requireMemberRoom(tx, call, list);
        await addMember(tx, { listId: list.id, userId, byId: true }, call.now);
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

/** Whether the caller may name this user: an admin everybody who is there, others those whom they know. */
async function isThere(tx: Kysely<Tables>, { caller, userId: by }: ListCall, userId: number): Promise<boolean> {
  const user = await tx.selectFrom('users').select('id').where('id', '=', userId).executeTakeFirst();
  return user !== undefined && (caller.admin || (await isKnownUser(tx, by, userId)));
}

async function isNamed(tx: Kysely<Tables>, listId: number, userId: number): Promise<boolean> {
  const member = await tx
    .selectFrom('geofenceListUsers')
    .select('byId')
    .where('listId', '=', listId)
    .where('userId', '=', userId)
    .executeTakeFirst();
  return member?.byId === 1;
}

async function end(tx: Kysely<Tables>, call: ListCall, list: SeenList, userId: number): Promise<void> {
  await endMembership(tx, list.id, userId);
  const action = userId === call.userId ? 'geofenceList.left' : 'geofenceList.unshared';
  await audit(tx, call, list, action, { userId });
}

/** What the owner of the list may read: never who has an address. */
const audit = (
  tx: Kysely<Tables>,
  call: ListCall,
  { id, ownerId }: SeenList,
  action: Extract<AuditAction, `geofenceList.${string}`>,
  detail: Readonly<Record<string, unknown>>,
) => recordAudit(tx, { action, ...byCaller(call), userId: ownerId, detail: { listId: id, ...detail } }, call.now);
