import type { LaneRange, LogBounds } from '../../platform/live/log-position.ts';
import { SLOT_KEYS, SLOTS } from '../schema/owned-devices.ts';
import type { LiveEventRow } from '../schema/rows/tracking-rows.ts';
import type { Store } from '../schema/tables.ts';

/** How far back a stream can be resumed. */
export const RESUMABLE_MS = 24 * 3_600_000;
const CHUNK = 2000;
const FORGOTTEN = 'liveForgotten';

/** Returns the highest deleted id of a log with one order. */
function forgottenOf(store: Store): () => Promise<number> {
  const read = store.prepare<{ value: string }>('live.forgotten', 'SELECT "value" FROM "settings" WHERE "name" = ?');
  return async () => Number((await read.get(FORGOTTEN))?.value ?? 0);
}

/**
 * Deletes events that are too old to be resumed, in small steps, and records the last deleted id in the same
 * transaction.
 */
export async function forgetLiveEvents(store: Store, now: number, chunk = CHUNK): Promise<number> {
  if (!store.dialect.hasSlots) return forgetIn(store, undefined, now, chunk);
  let count = 0;
  for (const slot of SLOT_KEYS) count += await forgetIn(store, slot, now, chunk);
  return count;
}

async function forgetIn(store: Store, slot: number | undefined, now: number, chunk: number): Promise<number> {
  let count = 0;
  for (;;) {
    const oldest = await store.query
      .selectFrom('liveEvents')
      .select(['id', 'created'])
      .$if(slot !== undefined, (query) => query.where('slot', '=', slot!))
      .orderBy('id')
      .limit(chunk)
      .execute();
    const firstKept = oldest.findIndex(({ created }) => created >= now - RESUMABLE_MS);
    const old = firstKept === -1 ? oldest : oldest.slice(0, firstKept);
    const last = old.at(-1);
    if (last === undefined) return count;
    await (slot === undefined ? forgetUpTo(store, last.id) : forgetInSlot(store, slot, last.id));
    count += old.length;
    if (old.length < chunk) return count;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function forgetUpTo(store: Store, id: number): Promise<void> {
  await store.transaction(async (tx) => {
    await tx.deleteFrom('liveEvents').where('id', '<=', id).execute();
    const value = String(id);
    await tx
      .insertInto('settings')
      .values({ name: FORGOTTEN, value })
      .onConflict((on) => on.column('name').doUpdateSet({ value }))
      .execute();
  });
}

async function forgetInSlot(store: Store, slot: number, id: number): Promise<void> {
  await store.transaction(async (tx) => {
    await tx.deleteFrom('liveEvents').where('slot', '=', slot).where('id', '<=', id).execute();
    // Last, because the row is the lock of the slot.
    await tx.updateTable('slots').set({ deletedId: id }).where('slot', '=', slot).where('deletedId', '<', id).execute();
  });
}

/** An entry of the live log. Its lane is its slot if slots are ordered separately, else 0. */
export type Entry = Omit<LiveEventRow, 'id' | 'slot'> & { readonly id: number; readonly lane: number };

/** The stored live log. */
export interface LiveLog {
  readonly lanes: number;
  head(): Promise<readonly number[]>;
  bounds(): Promise<LogBounds>;
  /** Returns up to `limit` entries, by lane and then by id. */
  read(ranges: readonly LaneRange[], limit: number): Promise<Entry[]>;
}

export const liveLog = (store: Store): LiveLog => (store.dialect.hasSlots ? laneBySlot(store) : oneLane(store));

/** With a single writing process, the log has one order. */
function oneLane(store: Store): LiveLog {
  const newest = store.prepare<{ id: number | null }>('live.head', 'SELECT MAX("id") AS "id" FROM "liveEvents"');
  const between = store.prepare<Entry>(
    'live.between',
    'SELECT *, 0 AS "lane" FROM "liveEvents" WHERE "id" > ? AND "id" <= ? ORDER BY "id" LIMIT ?',
  );
  const forgotten = forgottenOf(store);
  const head = async () => [(await newest.get())?.id ?? (await forgotten())];
  return {
    lanes: 1,
    head,
    bounds: async () => ({ head: await head(), forgotten: [await forgotten()], since: Number.POSITIVE_INFINITY }),
    read: async ([range], limit) => (range ? between.all(range.after, range.upTo, limit) : []),
  };
}

interface SlotRow {
  readonly lastId: number;
  readonly deletedId: number;
  readonly startId: number;
}

const listed = (ids: readonly number[]) => ids.join(',');
const keysOf = (ranges: readonly LaneRange[]) => listed(ranges.map(({ lane }) => SLOT_KEYS[lane]!));
const given = "string_to_array(?, ',')::bigint[]";

function laneBySlot(store: Store): LiveLog {
  const rows = store.prepare<SlotRow>(
    'live.slots',
    'SELECT "lastId", "deletedId", "startId" FROM "slots" ORDER BY "slot"',
  );
  const read = store.dialect.isDistributed ? readOfAll(store) : readOfEach(store);
  return {
    lanes: SLOTS,
    // One statement reads a consistent state of all slots.
    head: async () => (await rows.all()).map(({ lastId }) => lastId),
    async bounds() {
      const all = await rows.all();
      return {
        head: all.map(({ lastId }) => lastId),
        forgotten: all.map(({ deletedId }) => deletedId),
        since: Math.min(...all.map(({ startId }) => startId)),
      };
    },
    read,
  };
}

/** The ranges of lanes as a table. Lanes are the slots, in the order of their keys. */
const WANTED = `unnest(${given}, ${given}, ${given}, ${given}) AS wanted ("slot", "lane", "after", "upTo")`;
const cellsOf = (ranges: readonly LaneRange[]) => [
  keysOf(ranges),
  listed(ranges.map(({ lane }) => lane)),
  listed(ranges.map(({ after }) => after)),
  listed(ranges.map(({ upTo }) => upTo)),
];

/** No lane is read further than needed. */
function readOfEach(store: Store): LiveLog['read'] {
  const between = store.prepare<Entry>(
    'live.between',
    `SELECT found.*, wanted."lane" FROM ${WANTED}
      CROSS JOIN LATERAL (SELECT * FROM "liveEvents" AS entries WHERE entries."slot" = wanted."slot"
        AND entries."id" > wanted."after" AND entries."id" <= wanted."upTo" ORDER BY entries."id" LIMIT ?) AS found
      ORDER BY found."slot", found."id" LIMIT ?`,
  );
  return (ranges, limit) => between.all(...cellsOf(ranges), limit, limit);
}

/** The same if several servers have the lanes: each reads its own, and only the servers concerned are queried. */
function readOfAll(store: Store): LiveLog['read'] {
  const between = store.prepare<Entry>(
    'live.between',
    `SELECT entries.*, wanted."lane" FROM "liveEvents" AS entries JOIN ${WANTED}
      ON entries."slot" = wanted."slot" AND entries."id" > wanted."after" AND entries."id" <= wanted."upTo"
      WHERE entries."slot" = ANY(string_to_array(?, ',')::bigint[]) ORDER BY entries."slot", entries."id" LIMIT ?`,
  );
  return (ranges, limit) => between.all(...cellsOf(ranges), keysOf(ranges), limit);
}
