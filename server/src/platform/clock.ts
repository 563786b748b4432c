/**
 * The time for decisions of this process: due times, ends of leases, times of reception. Processes that share a
 * database use its clock, so that a node with a wrong clock decides like the others.
 */

export type Clock = () => number;

/** The clock of this machine, only for comparisons. */
export const ofMachine: Clock = () => Date.now();

let current = ofMachine;

/** Milliseconds since 1970. */
export const timeNow: Clock = () => current();

/** Uses another clock until the returned function is called. */
export function followClock(clock: Clock): () => void {
  current = clock;
  return () => {
    if (current === clock) current = ofMachine;
  };
}
