/** A process of this program that has the same database open, as it says itself in the table `nodes`. */
export interface OlderNode {
  readonly name: string;
  readonly version: string;
}

/** One that was not seen for longer is gone. */
export const NODE_GONE_MS = 15_000;

/** How often it is looked whether older nodes are gone, and how often it is said that they are waited for. */
export const LOOK_MS = 1000;
const SAY_EVERY = 30;

/** Says for whom a migration waits: at once, then now and then. */
export function sayWaiting(say: (sentence: string) => void): (migration: string, nodes: readonly OlderNode[]) => void {
  let looks = 0;
  return (migration, nodes) => {
    if (looks++ % SAY_EVERY !== 0) return;
    const names = nodes.map(({ name, version }) => `${name} (version ${version})`).join(', ');
    say(
      `Waiting to change the database (${migration}): older nodes can't go on with it, and some still run: ${names}. Stop them; the start goes on by itself.`,
    );
  };
}
