import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The first look comes when a server that nobody asks anything has ended the work of its start. */
const LOOK_MS = 2000;
/** The share of the time since the last look that the thread had something to do. */
const IDLE_SHARE = 0.2;
/** Not later: a thread that had much to do from its start on would have to warm up again, and to grow its heap again. */
const LOOKS = 3;

/**
 * Gives back the memory that loading modules took and nobody uses any more, about an eighth of what a server holds at
 * rest: the engine itself would keep it until much more has been allocated. Done once for each thread, and only while it
 * has little to do, since it takes some 40 ms.
 */
export function shrinkHeapOnceIdle(): void {
  let before = performance.eventLoopUtilization();
  let looks = 0;
  const looking = setInterval(() => {
    if (++looks === LOOKS) clearInterval(looking);
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    if (utilization > IDLE_SHARE) return;
    clearInterval(looking);
    collectAll();
  }, LOOK_MS).unref();
}

/** An ordinary collection keeps the pages for new objects; this kind, for want of memory, gives them back. */
export function collectAll(): void {
  // The function is given to contexts that are made while the flag is set.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('globalThis.gc') as ((options: object) => void) | undefined;
  setFlagsFromString('--no-expose-gc');
  collect?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
