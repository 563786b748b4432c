import { setPriority } from 'node:os';

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
