import type { Store } from '../../schema/tables.ts';
import { lateDevices } from './replay-lease.ts';
import type { ReplayQueue } from './replay-queue.ts';

/** At most this many devices are looked up at a time. */
const AT_ONCE = 100;

/** Queues the devices whose late mark nobody has replayed: their process died, or the replay failed. */
export async function enqueueLateDevices(store: Store, replays: ReplayQueue, goOn: () => boolean): Promise<void> {
  let lastId = 0;
  while (goOn()) {
    const found = await lateDevices(store, lastId, AT_ONCE);
    for (const deviceId of found) replays.add(deviceId);
    if (found.length < AT_ONCE) return;
    lastId = found.at(-1)!;
    await replays.turnOf(lastId);
  }
}
