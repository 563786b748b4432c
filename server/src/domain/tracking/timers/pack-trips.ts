import { setTimeout as pause } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { runSql } from '../../../platform/storage/run-sql.ts';
import type { StoreKind } from '../../../platform/storage/store-kind.ts';
import { defineWork, type Work, type Workplace } from '../../../platform/storage/work.ts';
import { NOT_PACKED, packTrack, trackOf } from '../../motion/trip-track.ts';
import { ALL_SLOTS, hasSlotOf, type OwnedSlots, type SlotList } from '../../schema/owned-slots.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { fixesOf, readFixes } from '../state/trip-fixes.ts';

/** A longer trip is not packed: nobody is to wait for it. */
const MOST_FIXES = 5000;
/** A slice ends after so many trips, or about so many fixes. */
const SLICE_TRIPS = 50;
const SLICE_FIXES = 2000;
/** Between slices, others have this many times as long. */
const PATIENCE = 4;

interface Slice {
  /** The device of which trips were packed. */
  readonly deviceId: number;
  readonly trips: number;
}

interface Wanted {
  /** Devices up to this one are done. */
  readonly after: number;
  readonly slots: SlotList;
}

/** The lock of a device: a replay that corrects its trips waits, or has the device left out for now. */
const LOCK = 'SELECT "deviceId" FROM "deviceStates" WHERE "deviceId" = ? FOR UPDATE SKIP LOCKED';

/** Packs some trips of the next device that has any to pack. */
class PackSlice implements Work<Tables, Wanted, Slice | undefined, Slice | undefined> {
  readonly #storeKind: StoreKind;

  constructor({ storeKind }: Workplace<Tables>) {
    this.#storeKind = storeKind;
  }

  async run(tx: Kysely<Tables>, { after, slots }: Wanted): Promise<Slice | undefined> {
    const next = await tx
      .selectFrom('trips')
      .select('deviceId')
      .where('track', 'is', null)
      .where('deviceId', '>', after)
      .where(hasSlotOf(slots))
      .orderBy('deviceId')
      .limit(1)
      .executeTakeFirst();
    if (next === undefined) return undefined;
    const { deviceId } = next;
    if (this.#storeKind === 'postgres' && (await runSql(tx, this.#storeKind, LOCK, [deviceId])).length === 0)
      return { deviceId, trips: 0 };
    const trips = await tx
      .selectFrom('trips')
      .select(['id', 'start', 'end'])
      .where('track', 'is', null)
      .where('deviceId', '=', deviceId)
      .orderBy('start', 'desc')
      .limit(SLICE_TRIPS)
      .execute();
    let packed = 0;
    for (let fixes = 0; packed < trips.length && fixes < SLICE_FIXES; packed++) {
      const { id, start, end } = trips[packed]!;
      const rows = await readFixes(tx, { deviceId, from: start, to: end, limit: MOST_FIXES + 1 });
      const track = rows.length > MOST_FIXES ? NOT_PACKED : packTrack(trackOf(fixesOf(rows)), start);
      await tx.updateTable('trips').set({ track }).where('deviceId', '=', deviceId).where('id', '=', id).execute();
      fixes += rows.length;
    }
    return { deviceId, trips: packed };
  }

  committed(slice: Slice | undefined): Slice | undefined {
    return slice;
  }
}

export const packSlice = defineWork(import.meta.url, (workplace: Workplace<Tables>) => new PackSlice(workplace));

/**
 * Packs the trips that ended, or were corrected, since the last time. Reports read the positions of those that are not
 * packed yet, so it may take its time.
 */
export function packer(store: Store, owned: OwnedSlots = ALL_SLOTS): (goOn: () => boolean) => Promise<void> {
  const pack = store.work(packSlice, {});
  return async (goOn) => {
    for (let after = 0; goOn(); ) {
      const startedAt = performance.now();
      const slice = await pack({ after, slots: owned.now() });
      if (slice === undefined) return;
      after = slice.trips > 0 ? slice.deviceId - 1 : slice.deviceId;
      // It keeps the process alive: a server that stops waits for it before it closes the store.
      await pause((performance.now() - startedAt) * PATIENCE);
    }
  };
}
