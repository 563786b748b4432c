import type { Log } from './log.ts';

/** Does a piece of background work now and then, never two at a time; a failure is logged and the next turn comes. */
export function repeat(everyMs: number, log: Log, name: string, work: () => Promise<void>): { stop(): Promise<void> } {
  let running = Promise.resolve();
  const turn = () => {
    running = running.then(work).catch((error) => log.error({ error }, `${name} failed`));
  };
  const timer = setInterval(turn, everyMs);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
