import type { LaneRange, LogBounds } from '../../platform/live/log-position.ts';
import type { LiveEventRow } from '../schema/rows/tracking-rows.ts';
import { SLOTS } from '../schema/slot.ts';
import type { Store } from '../schema/tables.ts';
import { forgottenOf } from './forget.ts';

/** An entry of the live log. Its lane is its slot where slots have an order each, else 0. */
export type Entry = Omit<LiveEventRow, 'id' | 'slot'> & { readonly id: number; readonly lane: number };

/** The live log as it is stored. */
export interface LiveLog {
  readonly lanes: number;
  head(): Promise<readonly number[]>;
  bounds(): Promise<LogBounds>;
  /** Returns up to `limit` entries, by lane and then by id. */
  read(ranges: readonly LaneRange[], limit: number): Promise<Entry[]>;
}

export const liveLog = (store: Store): LiveLog => (store.storeKind === 'sqlite' ? oneLane(store) : laneBySlot(store));

/** One process writes: the log has one order. */
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
  readonly last: number;
  readonly forgotten: number;
  readonly since: number;
}

const listed = (ids: readonly number[]) => ids.join(',');
const given = "string_to_array(?, ',')::bigint[]";

function laneBySlot(store: Store): LiveLog {
  const rows = store.prepare<SlotRow>('live.slots', 'SELECT "last", "forgotten", "since" FROM "slots" ORDER BY "slot"');
  const read = store.groupOfSlot === undefined ? readOfEach(store) : readOfAll(store);
  return {
    lanes: SLOTS,
    // One statement shows all slots as they were at one moment.
    head: async () => (await rows.all()).map(({ last }) => last),
    async bounds() {
      const all = await rows.all();
      return {
        head: all.map(({ last }) => last),
        forgotten: all.map(({ forgotten }) => forgotten),
        since: Math.min(...all.map(({ since }) => since)),
      };
    },
    read,
  };
}

/** The ranges of lanes as a table. */
const WANTED = `unnest(${given}, ${given}, ${given}) AS wanted ("slot", "after", "upTo")`;
const cellsOf = (ranges: readonly LaneRange[]) => [
  listed(ranges.map(({ lane }) => lane)),
  listed(ranges.map(({ after }) => after)),
  listed(ranges.map(({ upTo }) => upTo)),
];

/** No lane is read further than needed. */
function readOfEach(store: Store): LiveLog['read'] {
  const between = store.prepare<Entry>(
    'live.between',
    `SELECT found.*, found."slot" AS "lane" FROM ${WANTED}
      CROSS JOIN LATERAL (SELECT * FROM "liveEvents" AS entries WHERE entries."slot" = wanted."slot"
        AND entries."id" > wanted."after" AND entries."id" <= wanted."upTo" ORDER BY entries."id" LIMIT ?) AS found
      ORDER BY found."slot", found."id" LIMIT ?`,
  );
  return (ranges, limit) => between.all(...cellsOf(ranges), limit, limit);
}

/** The same where several servers have the lanes: each reads its own, and only those that have one of them are asked. */
function readOfAll(store: Store): LiveLog['read'] {
  const between = store.prepare<Entry>(
    'live.between',
    `SELECT entries.*, entries."slot" AS "lane" FROM "liveEvents" AS entries JOIN ${WANTED}
      ON entries."slot" = wanted."slot" AND entries."id" > wanted."after" AND entries."id" <= wanted."upTo"
      WHERE entries."slot" = ANY(string_to_array(?, ',')::smallint[]) ORDER BY entries."slot", entries."id" LIMIT ?`,
  );
  return (ranges, limit) => between.all(...cellsOf(ranges), listed(ranges.map(({ lane }) => lane)), limit);
}
