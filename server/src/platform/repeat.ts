import type { Log } from './log.ts';

/** The first turn comes soon, for the sake of services that are restarted often, but not while one is starting. */
const FIRST_MS = 60_000;

/** Does a piece of background work now and then, never two at a time; a failure is logged and the next turn comes. */
export function repeat(everyMs: number, log: Log, name: string, work: () => Promise<void>): { stop(): Promise<void> } {
  let running = Promise.resolve();
  const turn = () => {
    running = running.then(work).catch((error) => log.error({ error }, `${name} failed`));
  };
  const first = setTimeout(turn, Math.min(FIRST_MS, everyMs)).unref();
  const timer = setInterval(turn, everyMs).unref();
  return {
    async stop() {
      clearTimeout(first);
      clearInterval(timer);
      await running;
    },
  };
}
