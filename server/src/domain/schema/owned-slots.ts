import { type RawBuilder, sql } from 'kysely';
import { SLOTS, slotOf } from './slot.ts';

/**
 * The slots whose clock this process keeps: of their devices it alone decides what falls due, sweeps and packs. Others
 * may own the rest.
 */
export interface OwnedSlots {
  /** As it is now, in their order; undefined where they are all. The same list until they change. */
  now(): SlotList;
  /** Whether the slot of a device, or of what else has an id, is among them at this moment. */
  has(id: number): boolean;
}

export type SlotList = readonly number[] | undefined;

/** Of a process that shares the database with nobody. */
export const ALL_SLOTS: OwnedSlots = { now: () => undefined, has: () => true };

/** The condition that an id is in one of some slots. Where these are all, statements are as if there were no slots. */
export const isInSlots = (id: string, slots: SlotList): RawBuilder<boolean> =>
  slots === undefined
    ? sql<boolean>`1 = 1`
    : sql<boolean>`${sql.ref(id)} % ${sql.lit(SLOTS)} = ANY(CAST(${`{${slots.join(',')}}`} AS BIGINT[]))`;

/** For a list that changes: whether the slot of an id is in it. */
export const isListed = (slots: SlotList, id: number) => slots === undefined || slots.includes(slotOf(id));
