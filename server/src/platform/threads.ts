import { setPriority } from 'node:os';
import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Lower priority than threads that handle requests. */
const PATIENT = 10;

/** Makes this thread yield to threads that handle requests. */
export function giveWayToRequests(): void {
  // On Linux each thread has its own priority; elsewhere this would slow down the whole process.
  if (process.platform === 'linux') setPriority(PATIENT);
}

/**
 * Megabytes for new objects of a thread. On machines with much memory the engine would let this space grow several
 * times larger in each thread with many short-lived objects, and would not release it.
 */
export const YOUNG_LIMIT = { maxYoungGenerationSizeMb: 48 };

/** The first check is when an idle server has completed its startup. */
const LOOK_MS = 2000;
/** Maximum utilization of the thread since the last check. */
const IDLE_SHARE = 0.2;
/** Not later: a thread that was busy since its start would have to warm up again, and to grow its heap again. */
const LOOKS = 3;

/**
 * Releases unused memory from loading modules, about an eighth of an idle server's memory: the engine itself would keep
 * it until much more has been allocated. Done once per thread, and only while it is nearly idle, because it takes about
 * 40 ms.
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

/** An ordinary collection keeps the pages for new objects; this one, meant for low memory, releases them. */
export function collectAll(): void {
  // The function is available in contexts that are created while the flag is set.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('globalThis.gc') as ((options: object) => void) | undefined;
  setFlagsFromString('--no-expose-gc');
  collect?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
