import { type RawBuilder, sql } from 'kysely';
import { HASH_PARTS, hashPartOf } from '../../platform/storage/postgres/citus/shards.ts';

/**
 * A slot is a share of the devices. What has to be in order, or be done once, is so within a slot, and slots do not wait
 * for each other. The number is written down in databases: it never changes.
 */
export const SLOTS = HASH_PARTS;

/**
 * The key of each slot in the live log on PostgreSQL: the lowest id in it. Citus distributes the log by it, so the entries
 * of a slot are in the shard of its devices. In ascending order, so that 0, which is no device, is in the first slot.
 */
export const SLOT_KEYS: readonly number[] = lowestIds();

const SLOT_OF_PART = SLOT_KEYS.reduce<number[]>(
  (slots, key, slot) => Object.assign(slots, { [hashPartOf(key)]: slot }),
  [],
);

/** The slot of a device. What is about no device, which has the id 0, has a slot too. */
export const slotOf = (deviceId: number): number => SLOT_OF_PART[hashPartOf(deviceId)]!;

function lowestIds(): number[] {
  const found = new Map<number, number>();
  for (let id = 0; found.size < HASH_PARTS; id++) if (!found.has(hashPartOf(id))) found.set(hashPartOf(id), id);
  return [...found.values()];
}

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

/** The condition that an id is owned. Where all are, statements are as if there were no ownership. */
export const isOwned = (id: string, ownership: Ownership): RawBuilder<boolean> =>
  ownership === undefined
    ? sql<boolean>`1 = 1`
    : sql<boolean>`((CAST(hashint8(${sql.ref(id)}) AS BIGINT) + 2147483648) >> 26) = ANY(CAST(${partsOf(ownership)} AS BIGINT[]))`;

const partsOf = (slots: readonly number[]) => `{${slots.map((slot) => hashPartOf(SLOT_KEYS[slot]!)).join(',')}}`;

export const owns = (ownership: Ownership, id: number) => ownership === undefined || ownership.includes(slotOf(id));

/** Whether a process has owned more devices since. */
export const gainsAny = (before: Ownership, now: Ownership) =>
  before !== undefined && (now === undefined || now.some((slot) => !before.includes(slot)));
