import { ALL_SLOTS, isListed, type OwnedSlots, type SlotList } from '../../schema/owned-slots.ts';
import type { Store } from '../../schema/tables.ts';
import { lateDevices } from './replay-lease.ts';
import type { ReplayQueue } from './replay-queue.ts';

/** At most this many devices are looked up at a time. */
const AT_ONCE = 100;

/**
 * Queues the devices whose late mark nobody has replayed: their process died, or the replay failed.
 *
 * Where several processes share the database, the one that received what was late replays it at once: it has the state at
 * hand, and its lease of the device keeps it the only one. The sweep is the net under it, and belongs to the owner of the
 * slot. That leaves a device to whoever is busy with it, and takes it over where it was not written since the last sweep,
 * or where the slot is new to this process.
 */
export function sweeper(
  store: Store,
  replays: ReplayQueue,
  owned: OwnedSlots = ALL_SLOTS,
): (goOn: () => boolean) => Promise<void> {
  /** Of the last sweep: the slots, and how often the row of each marked device had been written. */
  let before: { readonly slots: SlotList; readonly writes: ReadonlyMap<number, number> } = {
    slots: [],
    writes: new Map(),
  };
  return async (goOn) => {
    const slots = owned.now();
    const writes = new Map<number, number>();
    for (let lastId = 0; goOn(); ) {
      const found = await lateDevices(store, { slots, afterId: lastId, atMost: AT_ONCE });
      let queued: number | undefined;
      for (const device of found) {
        if (slots !== undefined) writes.set(device.deviceId, device.writes);
        const isLeft = before.writes.get(device.deviceId) === device.writes;
        if (slots !== undefined && !isLeft && isListed(before.slots, device.deviceId)) continue;
        replays.add(device.deviceId);
        queued = device.deviceId;
      }
      if (found.length < AT_ONCE) break;
      lastId = found.at(-1)!.deviceId;
      if (queued !== undefined) await replays.turnOf(queued);
    }
    before = { slots, writes };
  };
}
