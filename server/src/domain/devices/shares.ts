import { type deviceOperations as contract, share as shareNoun } from '@trackway/contract/resources/device.ts';
import type { Call, Handlers } from '../../calls.ts';
import { NotUnique } from '../../platform/storage/database.ts';
import { accessDenied, invalidField, modelNotFound } from '../../refusals.ts';
import { recordDeviceAudit } from '../audit/record.ts';
import { children, countOf, familyOf, listOf, readOf, refuseMoved, rowOf } from '../family.ts';
import { findRow } from '../rows.ts';
import type { ShareGrantRow } from '../schema/rows/device-rows.ts';
import { collectionOf } from '../schema/table.ts';
import type { Store, Tx } from '../schema/tables.ts';
import { endUnusedInvitation } from '../users/invite.ts';
import { type Quotas, requireRoom, UNLIMITED } from '../users/quotas.ts';
import { recordDeviceEvent } from './device-events.ts';
import { type ShareFollowers, settleShare } from './grants.ts';
import { addressIn, countNewAddress, isKnownById, mailShare, QUIET_SHARING, type SharePolicy } from './share-mail.ts';

type ShareOperation = Extract<
  keyof typeof contract,
  'listShares' | 'countShares' | 'createShare' | 'getShare' | 'updateShare' | 'deleteShare' | 'deleteShares'
>;

type ShareCall = Pick<Call, 'caller' | 'deviceId' | 'now' | 'address'>;

/** The person a device is shared with: as given by the caller, and the user it refers to. */
interface Sharee {
  readonly userId: number | null;
  readonly email: string | null;
  readonly holderId: number | null;
}

/**
 * Owners see what they gave, never who took it: what is answered about an address is the same whether or not an account
 * has it.
 */
export function shareOperations(
  store: Store,
  followers: ShareFollowers,
  policy: SharePolicy = QUIET_SHARING,
  quotas: Quotas = UNLIMITED,
): Handlers<ShareOperation> {
  const rows = collectionOf(store, 'shareGrants', shareNoun);
  const family = familyOf('share', rows, (call) => children('deviceId', call.deviceId));

  async function shareeOf(tx: Tx, call: Call, owner: Owner): Promise<Sharee> {
    const { userId, email } = call.body as { userId?: number | null; email?: string | null };
    if (userId) {
      if (userId === owner.id) throw ownsIt('userId');
      if (!call.caller.admin && !(await isKnownById(tx, call.caller.userId, userId)))
        throw modelNotFound('user', userId);
      const user = await findRow(tx, 'users', { id: userId }, ['id']);
      if (user === undefined) throw modelNotFound('user', userId);
      return { userId, email: null, holderId: userId };
    }
    if (!email) throw invalidField('share', 'email', 'presence', "can't be blank: send the e-mail address");
    const address = addressIn('share', email);
    if (address === owner.email) throw ownsIt('email');
    const account = await tx
      .selectFrom('users')
      .select('id')
      .where('email', '=', address)
      .where('emailConfirmedAt', 'is not', null)
      .executeTakeFirst();
    return { userId: null, email: address, holderId: account?.id ?? null };
  }

  function requireShareRoom(tx: Tx, { caller }: Call, ownerId: number): Promise<void> {
    const room = { quotas, caller, userId: ownerId };
    return requireRoom(tx, room, 'shares', (on, userIds) =>
      on
        .selectFrom('shareGrants as g')
        .innerJoin('devices as d', 'd.id', 'g.deviceId')
        .where('d.ownerId', 'in', userIds),
    );
  }

  const ownerOf = (tx: Tx, deviceId: number): Promise<Owner> =>
    tx
      .selectFrom('devices as d')
      .innerJoin('users as u', 'u.id', 'd.ownerId')
      .select(['u.id', 'u.email', 'd.name as deviceName'])
      .where('d.id', '=', deviceId)
      .executeTakeFirstOrThrow();

  return {
    listShares: (call) => listOf(family, call),
    countShares: (call) => countOf(family, call),
    getShare: (call) => readOf(family, call),

    async createShare(call) {
      const { deviceId, caller, now } = call;
      const { rights } = call.body;
      try {
        const shown = await store.transaction(async (tx) => {
          const owner = await ownerOf(tx, deviceId);
          const sharee = await shareeOf(tx, call, owner);
          await requireShareRoom(tx, call, owner.id);
          await refuseSecond(tx, deviceId, sharee);
          const { userId, email, holderId } = sharee;
          const thing = { device: owner.deviceName ?? `Device ${deviceId}`, rights: rights ?? 'view' };
          const to = email === null ? undefined : { email, by: caller, thing };
          if (to) await countNewAddress(tx, policy, to, now);
          const row = await rows.insert({ deviceId, userId, email, rights, created: now }, tx, { holderId });
          if (holderId !== null) await settleShare(tx, followers, { deviceId, userId: holderId }, now);
          if (to) await mailShare(tx, policy, to, now);
          await record(tx, call, 'share.created', {
            id: row.id as number,
            userId,
            email,
            rights: to?.thing.rights ?? rights!,
          });
          return rows.present(row);
        });
        policy.mailer.wake();
        return shown;
      } catch (error) {
        // Another call shared it with the same person at the same time.
        if (error instanceof NotUnique) throw sharedAlready(call.body.userId ? 'userId' : 'email');
        throw error;
      }
    },

    async updateShare(call) {
      const row = await rowOf(family, call);
      refuseMoved(call.sent, { id: call.key, deviceId: call.deviceId, userId: row.userId as number | null });
      const { rights } = call.body;
      if (rights === undefined || rights === row.rights) return rows.present(row);
      return store.transaction(async (tx) => {
        const changed = await rows.update(call.key, { rights }, tx, { deviceId: call.deviceId });
        if (changed === undefined) return rows.present(row);
        const holderId = changed.holderId as number | null;
        if (holderId !== null)
          await settleShare(tx, followers, { deviceId: call.deviceId, userId: holderId }, call.now);
        await record(tx, call, 'share.updated', changed as unknown as AuditedGrant);
        return rows.present(changed);
      });
    },

    async deleteShare(call) {
      await rowOf(family, call);
      const { caller, key: id } = call;
      await store.transaction(async (tx) => {
        if (call.right === 'own') return endGrants(tx, followers, call, { id });
        const grant = await findRow(tx, 'shareGrants', { id }, ['holderId']);
        if (grant?.holderId !== caller.userId) throw accessDenied();
        // Leaving ends all shares of the device with this user.
        await endGrants(tx, followers, call, { holderId: caller.userId }, true);
      });
    },

    async deleteShares(call) {
      await store.transaction((tx) => endGrants(tx, followers, call));
    },
  };
}

/** Ends grants on a device (all, one, or all of a user) and everything that depends on them. */
export async function endGrants(
  tx: Tx,
  followers: ShareFollowers,
  call: ShareCall,
  which: { readonly id?: number; readonly holderId?: number } = {},
  isLeaving = false,
): Promise<void> {
  let grants = tx.deleteFrom('shareGrants').where('deviceId', '=', call.deviceId);
  if (which.id !== undefined) grants = grants.where('id', '=', which.id);
  if (which.holderId !== undefined) grants = grants.where('holderId', '=', which.holderId);
  const ended = await grants.returning(['id', 'userId', 'email', 'rights', 'holderId']).execute();
  for (const { holderId } of ended)
    if (holderId !== null) await settleShare(tx, followers, { deviceId: call.deviceId, userId: holderId }, call.now);
  for (const grant of ended) {
    if (grant.email !== null && grant.holderId === null) await endUnusedInvitation(tx, grant.email);
    await record(tx, call, isLeaving ? 'share.left' : 'share.ended', grant);
  }
}

interface Owner {
  readonly id: number;
  readonly email: string;
  readonly deviceName: string | null;
}

/** Compared only with earlier input, so that it reveals nothing about accounts. */
async function refuseSecond(tx: Tx, deviceId: number, { userId, email }: Sharee): Promise<void> {
  const [field, value] = userId === null ? (['email', email] as const) : (['userId', userId] as const);
  const second = await tx
    .selectFrom('shareGrants')
    .select('id')
    .where('deviceId', '=', deviceId)
    .where(field, '=', value as never)
    .executeTakeFirst();
  if (second !== undefined) throw sharedAlready(field);
}

const ownsIt = (field: string) => invalidField('share', field, 'owner', 'already owns this device');
const sharedAlready = (field: string) =>
  invalidField('share', field, 'uniqueness', 'already has a share of this device: update that share');

type AuditedGrant = Pick<ShareGrantRow, 'userId' | 'email' | 'rights'> & { readonly id: number };

/** What the owner may read, in the audit trail and the timeline: never who has the address. */
async function record(
  tx: Tx,
  call: ShareCall,
  action: 'share.created' | 'share.updated' | 'share.ended' | 'share.left',
  { id, userId, email, rights }: AuditedGrant,
): Promise<void> {
  const { deviceId, now } = call;
  const detail = { shareId: id, ...(userId === null ? { email } : { userId }), rights };
  await recordDeviceAudit(tx, call, { action, deviceId, detail });
  const isShared = action === 'share.created' || action === 'share.updated';
  const event = isShared
    ? ({
        type: 'pairing/shared',
        description: `The device was shared (${rights === 'manage' ? 'can manage' : 'view only'}).`,
      } as const)
    : ({ type: 'pairing/unshared', description: 'A share of the device was ended.' } as const);
  await recordDeviceEvent(tx, { ...event, deviceId, meta: detail }, now);
}
