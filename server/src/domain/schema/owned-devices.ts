import { type RawBuilder, sql } from 'kysely';

/**
 * A slot is a share of the devices. What has to be in order, or be done once, is so within a slot, and slots do not wait
 * for each other. The number is written down in databases: it never changes.
 */
export const SLOTS = 64;

/** The slot of a device. What is about no device, which has the id 0, has a slot too. */
export const slotOf = (deviceId: number) => deviceId % SLOTS;

/** The devices whose timers this process runs: it alone decides what falls due for them, sweeps and packs. */
export interface OwnedDevices {
  /** The current ownership. The same value until it changes. */
  now(): Ownership;
  /** Whether a device, or what else has an id, is among them at this moment. */
  has(id: number): boolean;
}

/** The devices that a process owns at a time: the devices of some slots in ascending order, or all. */
export type Ownership = readonly number[] | undefined;

/** For a process that does not share the database. */
export const ALL_DEVICES: OwnedDevices = { now: () => undefined, has: () => true };

/**
 * The condition that an id is owned. Where all are, statements are as if there were no ownership.
 * @param id of what is in no table of devices; for rows of devices there is `isOwned`
 */
export const isOwnedId = (id: string, ownership: Ownership): RawBuilder<boolean> =>
  ownership === undefined
    ? sql<boolean>`1 = 1`
    : sql<boolean>`${sql.ref(id)} % ${sql.lit(SLOTS)} = ANY(CAST(${`{${ownership.join(',')}}`} AS BIGINT[]))`;

/** The condition that a row of a device is owned. */
export const isOwned = (ownership: Ownership, table?: string): RawBuilder<boolean> =>
  ownership === undefined
    ? sql<boolean>`1 = 1`
    : sql<boolean>`${sql.ref(table ? `${table}.slot` : 'slot')} = ANY(CAST(${`{${ownership.join(',')}}`} AS SMALLINT[]))`;

export const owns = (ownership: Ownership, id: number) => ownership === undefined || ownership.includes(slotOf(id));

/** Whether a process has owned more devices since. */
export const gainsAny = (before: Ownership, now: Ownership) =>
  before !== undefined && (now === undefined || now.some((slot) => !before.includes(slot)));
