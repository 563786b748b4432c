/**
 * The time by which this process decides: what is due, whose lease has ended, when something was heard. Processes that
 * share a database go by its clock, so that one whose machine tells another time decides as the others do.
 */

export type Clock = () => number;

/** What this machine says: only to be compared. */
export const ofMachine: Clock = () => Date.now();

let current = ofMachine;

/** Milliseconds since 1970. */
export const timeNow: Clock = () => current();

/** Goes by another clock until the returned function is called. */
export function followClock(clock: Clock): () => void {
  current = clock;
  return () => {
    if (current === clock) current = ofMachine;
  };
}
