import { setTimeout as pause } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { defineWork, type Work } from '../../../platform/storage/work.ts';
import { NOT_PACKED, packTrack, trackOf } from '../../motion/trip-track.ts';
import { ALL_DEVICES, isOwned, type OwnedDevices, type Ownership } from '../../schema/owned-devices.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { fixesOf, readFixes } from '../state/trip-fixes.ts';

/** A longer trip is not packed, because that would block others for too long. */
const MOST_FIXES = 5000;
/** A slice ends after so many trips, or about so many fixes. */
const SLICE_TRIPS = 50;
const SLICE_FIXES = 2000;
/** Between slices, others have this many times as long. */
const PATIENCE = 4;

interface Slice {
  /** The device with packed trips. */
  readonly deviceId: number;
  readonly trips: number;
}

interface Wanted {
  /** Devices up to this one are done. */
  readonly after: number;
  readonly ownership: Ownership;
}

/** Packs some trips of the next device that has any to pack. */
class PackSlice implements Work<Tables, Wanted, Slice | undefined, Slice | undefined> {
  async run(tx: Kysely<Tables>, { after, ownership }: Wanted): Promise<Slice | undefined> {
    const next = await tx
      .selectFrom('trips')
      .select('deviceId')
      .where('track', 'is', null)
      .where('deviceId', '>', after)
      .where(isOwned('deviceId', ownership))
      .orderBy('deviceId')
      .limit(1)
      .executeTakeFirst();
    if (next === undefined) return undefined;
    const { deviceId } = next;
    // A replay that corrects its trips waits, or has the device left out for now.
    const state = tx.selectFrom('deviceStates').select('deviceId').where('deviceId', '=', deviceId);
    if ((await state.forUpdate().skipLocked().executeTakeFirst()) === undefined) return { deviceId, trips: 0 };
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

export const packSlice = defineWork(import.meta.url, () => new PackSlice());

/**
 * Packs the trips that ended, or were corrected, since the last time. Reports read the positions of trips that are not
 * packed yet, so a delay is harmless.
 */
export function packer(store: Store, owned: OwnedDevices = ALL_DEVICES): (goOn: () => boolean) => Promise<void> {
  const pack = store.work(packSlice, {});
  return async (goOn) => {
    for (let after = 0; goOn(); ) {
      const startedAt = performance.now();
      const slice = await pack({ after, ownership: owned.now() });
      if (slice === undefined) return;
      after = slice.trips > 0 ? slice.deviceId - 1 : slice.deviceId;
      // It keeps the process alive: a server that stops waits for it before it closes the store.
      await pause((performance.now() - startedAt) * PATIENCE);
    }
  };
}
