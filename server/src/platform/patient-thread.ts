import { setPriority } from 'node:os';

/** Lower priority than threads that handle requests. */
const PATIENT = 10;

/** Makes this thread yield to threads that handle requests. */
export function giveWayToRequests(): void {
  // On Linux each thread has its own priority; elsewhere this would slow down the whole process.
  if (process.platform === 'linux') setPriority(PATIENT);
}
