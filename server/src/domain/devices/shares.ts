import type { AuditAction } from '@trackway/contract/audit.ts';
import { type deviceOperations as contract, share as shareNoun } from '@trackway/contract/resources/device.ts';
import type { Kysely } from 'kysely';
import type { Call, Handlers } from '../../calls.ts';
import { NotUnique } from '../../platform/storage/database.ts';
import { accessDenied, invalidField } from '../../refusals.ts';
import { recordDeviceAudit } from '../audit/record.ts';
import { children, countOf, familyOf, listOf, readOf, refuseMoved, rowOf } from '../family.ts';
import { collectionOf } from '../schema/collection.ts';
import type { ShareRow } from '../schema/rows/device-rows.ts';
import type { Store, Tables } from '../schema/tables.ts';

type ShareOperation = Extract<
  keyof typeof contract,
  'listShares' | 'countShares' | 'createShare' | 'getShare' | 'updateShare' | 'deleteShare' | 'deleteShares'
>;

/** Called when a device starts or stops being shared with a user. */
export type ShareFollower = (tx: Kysely<Tables>, deviceId: number, userId: number, now: number) => Promise<void>;

export interface ShareFollowers {
  readonly began: readonly ShareFollower[];
  readonly ended: readonly ShareFollower[];
}

export function shareOperations(store: Store, { began, ended }: ShareFollowers): Handlers<ShareOperation> {
  const rows = collectionOf(store, 'shares', shareNoun);
  const family = familyOf('share', rows, (call) => children('deviceId', call.deviceId));

  async function userToShareWith(body: {
    userId?: number | null;
    email?: string | null;
  }): Promise<{ id: number; email: string }> {
    const users = store.query.selectFrom('users').select(['id', 'email']);
    const user = body.userId
      ? await users.where('id', '=', body.userId).executeTakeFirst()
      : body.email
        ? await users.where('email', '=', body.email.trim().toLowerCase()).executeTakeFirst()
        : undefined;
    if (user !== undefined) return user;
    const field = body.userId ? 'userId' : 'email';
    if (!body.userId && !body.email)
      throw invalidField('share', 'userId', 'presence', "can't be blank: give userId or email");
    throw invalidField('share', field, 'unknown', 'is not a user of this server');
  }

  async function end(call: Call, shareId: number): Promise<void> {
    const { now } = call;
    await store.transaction(async (tx) => {
      const share = await tx.deleteFrom('shares').where('id', '=', shareId).returningAll().executeTakeFirst();
      if (share === undefined) return;
      await recordShare(tx, call, 'share.ended', share);
      for (const endWhat of ended) await endWhat(tx, share.deviceId, share.userId, now);
    });
  }

  async function ownerOf(call: Call): Promise<number> {
    const device = await store.query
      .selectFrom('devices')
      .select('ownerId')
      .where('id', '=', call.deviceId)
      .executeTakeFirstOrThrow();
    return device.ownerId;
  }

  return {
    listShares: (call) => listOf(family, call),
    countShares: (call) => countOf(family, call),
    getShare: (call) => readOf(family, call),

    async createShare(call) {
      const user = await userToShareWith(call.body);
      if (user.id === (await ownerOf(call))) throw invalidField('share', 'userId', 'owner', 'already owns this device');
      try {
        const values = {
          deviceId: call.deviceId,
          userId: user.id,
          email: user.email,
          rights: call.body.rights,
          created: call.now,
        };
        return await store.transaction(async (tx) => {
          const row = await rows.insert(values, tx);
          await recordShare(tx, call, 'share.created', values as Shared);
          for (const follow of began) await follow(tx, call.deviceId, user.id, call.now);
          return rows.present(row);
        });
      } catch (error) {
        if (!(error instanceof NotUnique)) throw error;
        throw invalidField('share', 'userId', 'uniqueness', 'already has a share of this device: update that share');
      }
    },

    async updateShare(call) {
      const row = await rowOf(family, call);
      refuseMoved(call.sent, { id: call.key, deviceId: call.deviceId, userId: row.userId as number });
      const { rights } = call.body;
      if (rights === undefined || rights === row.rights) return rows.present(row);
      return store.transaction(async (tx) => {
        const changed = await rows.update(call.key, { rights }, tx);
        await recordShare(tx, call, 'share.updated', { ...(row as unknown as Shared), rights: rights as string });
        // A user who may only view has no triggers or forwarders on the device.
        const followers = rights === 'view' ? ended : began;
        for (const follow of followers) await follow(tx, call.deviceId, row.userId as number, call.now);
        return rows.present(changed ?? row);
      });
    },

    async deleteShare(call) {
      const row = await rowOf(family, call);
      if (call.right !== 'own' && row.userId !== call.caller.userId) throw accessDenied();
      await end(call, call.key);
      return undefined;
    },

    async deleteShares(call) {
      const shares = await store.query
        .selectFrom('shares')
        .select('id')
        .where('deviceId', '=', call.deviceId)
        .execute();
      for (const { id } of shares) await end(call, id);
      return undefined;
    },
  };
}

type Shared = Pick<ShareRow, 'deviceId' | 'userId'> & { readonly rights: string };

const recordShare = (tx: Kysely<Tables>, call: Call, action: AuditAction, { deviceId, userId, rights }: Shared) =>
  recordDeviceAudit(tx, call, { action, deviceId, detail: { userId, rights } });
