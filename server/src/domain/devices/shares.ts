import { type deviceOperations as contract, share as shareNoun } from '@trackway/contract/resources/device.ts';
import type { Kysely } from 'kysely';
import type { Call, Handlers } from '../../calls.ts';
import { NotUnique } from '../../platform/storage/database.ts';
import { accessDenied, invalidField } from '../../refusals.ts';
import { children, countOf, familyOf, listOf, readOf, refuseMoved, rowOf } from '../family.ts';
import { collectionOf } from '../schema/collection.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { type Quotas, requireRoom, UNLIMITED } from '../users/quotas.ts';

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

export function shareOperations(
  store: Store,
  { began, ended }: ShareFollowers,
  quotas: Quotas = UNLIMITED,
): Handlers<ShareOperation> {
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

  async function end(shareId: number, now: number): Promise<void> {
    await store.transaction(async (tx) => {
      const share = await tx.deleteFrom('shares').where('id', '=', shareId).returningAll().executeTakeFirst();
      if (share === undefined) return;
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

  function requireShareRoom(tx: Kysely<Tables>, { caller }: Call, ownerId: number): Promise<void> {
    const room = { storeKind: store.storeKind, quotas, caller, userId: ownerId };
    return requireRoom(tx, room, 'shares', (on) =>
      on
        .selectFrom('shares as s')
        .innerJoin('devices as d', 'd.id', 's.deviceId')
        .select((of) => of.fn.countAll<number>().as('count'))
        .where('d.ownerId', '=', ownerId),
    );
  }

  return {
    listShares: (call) => listOf(family, call),
    countShares: (call) => countOf(family, call),
    getShare: (call) => readOf(family, call),

    async createShare(call) {
      const user = await userToShareWith(call.body);
      const ownerId = await ownerOf(call);
      if (user.id === ownerId) throw invalidField('share', 'userId', 'owner', 'already owns this device');
      try {
        const values = {
          deviceId: call.deviceId,
          userId: user.id,
          email: user.email,
          rights: call.body.rights,
          created: call.now,
        };
        return await store.transaction(async (tx) => {
          await requireShareRoom(tx, call, ownerId);
          const row = await rows.insert(values, tx);
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
        // A user who may only view has no triggers or forwarders on the device.
        const followers = rights === 'view' ? ended : began;
        for (const follow of followers) await follow(tx, call.deviceId, row.userId as number, call.now);
        return rows.present(changed ?? row);
      });
    },

    async deleteShare(call) {
      const row = await rowOf(family, call);
      if (call.right !== 'own' && row.userId !== call.caller.userId) throw accessDenied();
      await end(call.key, call.now);
      return undefined;
    },

    async deleteShares(call) {
      const shares = await store.query
        .selectFrom('shares')
        .select('id')
        .where('deviceId', '=', call.deviceId)
        .execute();
      for (const { id } of shares) await end(id, call.now);
      return undefined;
    },
  };
}
