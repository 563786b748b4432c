import { type RawBuilder, sql } from 'kysely';
import type { ChannelRegistry, HeldChannel } from '../../calls.ts';
import { RecentMap } from '../../platform/caches.ts';
import { NODE_GONE_MS } from '../../platform/storage/migrations.ts';
import type { Store } from '../schema/tables.ts';

/** What nodes ask was asked at most so long ago when it is found, and is not done twice. */
const FOUND_MS = 60_000;
const REMEMBERED = 10_000;
/** A node that contests a channel repeats it within this time. */
const CONTESTED_MS = 10_000;
/** A released channel is blocked for this time, so that all nodes can end their connections of the device. */
const RELEASED_MS = 5000;

interface ThisNode {
  readonly id: string;
  /** How many nodes run, as far as known. */
  count(): number;
  /** Looks who else is there. */
  beat(): Promise<void>;
}

/**
 * Which node has the connection that receives the commands of a device. The first node that holds a channel keeps it
 * until it releases it or its time is over; a node that wants it meanwhile contests it.
 */
export function channelRegistry({ query }: Pick<Store, 'query'>, { id: node, count, beat }: ThisNode): ChannelRegistry {
  const done = new RecentMap<string, true>(REMEMBERED);

  const ask = async (deviceId: number, asked: 'send' | 'release', now: number) => {
    if (asked === 'release') {
      // Noted also where no node has registered a connection yet.
      const released = { deviceId, node, heldUntil: now + RELEASED_MS, contestedUntil: null, asked, askedAt: now };
      await query
        .insertInto('commandChannels')
        .values(released)
        .onConflict((on) => on.column('deviceId').doUpdateSet({ asked, askedAt: now }))
        .execute();
    } else
      await query
        .updateTable('commandChannels')
        .set({ asked, askedAt: now })
        .where('deviceId', '=', deviceId)
        .where('node', '!=', node)
        .execute();
  };

  const hold = ({ deviceId, until }: HeldChannel, now: number) => {
    const free = sql<boolean>`("commandChannels"."node" = ${node} OR "commandChannels"."heldUntil" <= ${now})`;
    const wasOwn = sql<boolean>`"commandChannels"."node" = ${node}`;
    // What another node asked just now is not overwritten: the next round contests it.
    const contest = sql<boolean>`(NOT ${free} AND COALESCE("commandChannels"."contestedUntil", 0) <= ${now}
      AND COALESCE("commandChannels"."askedAt", 0) <= ${now - RELEASED_MS})`;
    const either = <T>(when: RawBuilder<boolean>, then: unknown, otherwise: string) =>
      sql<T>`CASE WHEN ${when} THEN ${then} ELSE ${sql.ref(`commandChannels.${otherwise}`)} END`;
    return query
      .insertInto('commandChannels')
      .values({ deviceId, node, heldUntil: until, contestedUntil: null, asked: null, askedAt: null })
      .onConflict((on) =>
        on.column('deviceId').doUpdateSet({
          node: either<string>(free, node, 'node'),
          heldUntil: either<number>(free, sql`CAST(${until} AS BIGINT)`, 'heldUntil'),
          // Who takes over from a node that is gone begins anew.
          contestedUntil: sql<number | null>`CASE WHEN ${wasOwn} THEN "commandChannels"."contestedUntil"
            WHEN ${free} THEN NULL
            WHEN ${contest} OR "commandChannels"."contestedUntil" > ${now} THEN CAST(${now + CONTESTED_MS} AS BIGINT)
            ELSE "commandChannels"."contestedUntil" END`,
          asked: either<'probe'>(contest, sql`'probe'`, 'asked'),
          askedAt: either<number>(contest, sql`CAST(${now} AS BIGINT)`, 'askedAt'),
        }),
      )
      .returning(['node', 'heldUntil', 'contestedUntil', 'asked', 'askedAt'])
      .executeTakeFirstOrThrow();
  };

  const isRunning = async (id: string, now: number) => {
    const running = query.selectFrom('nodes').select('id').where('id', '=', id).where('goneAt', 'is', null);
    return (await running.where('seenAt', '>', now - NODE_GONE_MS).executeTakeFirst()) !== undefined;
  };

  return {
    isNeeded: () => count() > 1,

    async isNeededNow() {
      await beat();
      return count() > 1;
    },

    async hold(channel, now) {
      const held = await hold(channel, now);
      if (held.node === node) {
        const state = (held.contestedUntil ?? 0) > now ? 'contested' : 'held';
        return { state, until: held.heldUntil };
      }
      if (held.asked === 'release' && held.askedAt! > now - RELEASED_MS)
        return { state: 'elsewhere', until: held.heldUntil, releasedAt: held.askedAt! };
      // What a node held that is gone is free.
      if (await isRunning(held.node, now)) return { state: 'elsewhere', until: held.heldUntil };
      await query
        .deleteFrom('commandChannels')
        .where('deviceId', '=', channel.deviceId)
        .where('node', '=', held.node)
        .execute();
      return this.hold(channel, now);
    },

    async leave(deviceId, now) {
      const own = { deviceId, node };
      const { numUpdatedRows } = await query
        .updateTable('commandChannels')
        .set({ heldUntil: now + RELEASED_MS })
        .where((of) => of.and(own))
        .where('asked', '=', 'release')
        .where('askedAt', '>', now - RELEASED_MS)
        .executeTakeFirst();
      if (numUpdatedRows > 0n) return;
      await query
        .deleteFrom('commandChannels')
        .where((of) => of.and(own))
        .execute();
      await query
        .updateTable('commandChannels')
        .set({ contestedUntil: null })
        .where('deviceId', '=', deviceId)
        .where('node', '!=', node)
        .where('contestedUntil', 'is not', null)
        .execute();
    },

    ask,

    async asked(now) {
      const rows = await query
        .selectFrom('commandChannels')
        .select(['deviceId', 'asked', 'askedAt'])
        .where('node', '=', node)
        .where('askedAt', '>', now - FOUND_MS)
        .execute();
      return rows.flatMap(({ deviceId, asked, askedAt }) => {
        const key = `${deviceId} ${asked} ${askedAt}`;
        if (asked === null || done.get(key)) return [];
        done.set(key, true);
        return [{ deviceId, asked, askedAt: askedAt! }];
      });
    },
  };
}
