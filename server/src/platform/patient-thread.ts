import { setPriority } from 'node:os';

/** Lower priority than that of the threads that answer requests. */
const PATIENT = 10;

/** Makes this thread give way to those that answer requests. */
export function giveWayToRequests(): void {
  // Linux gives each thread a priority of its own; elsewhere this would slow down the whole process.
  if (process.platform === 'linux') setPriority(PATIENT);
}
