import type { Log } from './log.ts';

/** The first run comes early, because some services restart often, but not during the start. */
const FIRST_MS = 60_000;

/**
 * Runs background work periodically, never two runs at a time; a failure is logged and the next run follows as usual.
 */
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
