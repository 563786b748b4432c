import { setTimeout as setTimeoutPromise } from 'node:timers/promises';
import type { Log } from './log.ts';
import { failureLog } from './storage/trouble.ts';

/** How long a stop waits for a run in progress. */
const STOP_MS = 1500;
/** The first run comes early, because some services restart often, but not during the start. */
const FIRST_MS = 60_000;

/**
 * Runs background work periodically, never two runs at a time; a failure is logged and the next run follows as usual.
 */
export function repeat(everyMs: number, log: Log, name: string, work: () => Promise<void>): { stop(): Promise<void> } {
  let running = Promise.resolve();
  let isStopped = false;
  const failed = failureLog(log);
  const turn = () => {
    running = running.then(work).catch((error) => {
      if (!isStopped) failed(error, `${name} failed`);
    });
  };
  const first = setTimeout(turn, Math.min(FIRST_MS, everyMs)).unref();
  const timer = setInterval(turn, everyMs).unref();
  return {
    async stop() {
      clearTimeout(first);
      clearInterval(timer);
      isStopped = true;
      // Long work is done in small steps: the remaining ones follow after the next start.
      await Promise.race([running, setTimeoutPromise(STOP_MS, undefined, { ref: false })]);
    },
  };
}
