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

/**
 * The condition that an id is in one of some slots. Where these are all, statements are as if there were no slots.
 * @param id of what is in no table of devices: rows of devices are asked for their slot
 */
export const isInSlots = (id: string, slots: SlotList): RawBuilder<boolean> =>
  slots === undefined
    ? sql<boolean>`1 = 1`
    : sql<boolean>`${sql.ref(id)} % ${sql.lit(SLOTS)} = ANY(CAST(${`{${slots.join(',')}}`} AS BIGINT[]))`;

/** The condition that a row of a device is in one of some slots, which are known on PostgreSQL alone. */
export const hasSlotOf = (slots: SlotList, table?: string): RawBuilder<boolean> =>
  slots === undefined
    ? sql<boolean>`1 = 1`
    : sql<boolean>`${sql.ref(table ? `${table}.slot` : 'slot')} = ANY(CAST(${`{${slots.join(',')}}`} AS SMALLINT[]))`;

/** For a list that changes: whether the slot of an id is in it. */
export const isListed = (slots: SlotList, id: number) => slots === undefined || slots.includes(slotOf(id));
