import type { Log } from '../log.ts';
import { StoreTrouble, WritesRefused } from './trouble.ts';

const AGAIN_MS = 60_000;

/**
 * Says that work failed which is done again and again. While the store is in trouble every turn fails in the same way, so
 * that is said once a minute; that nothing may be written was said when it began.
 */
export function failureLog(log: Pick<Log, 'error'>, againMs = AGAIN_MS): (error: unknown, sentence: string) => void {
  let saidAt = Number.NEGATIVE_INFINITY;
  return (error, sentence) => {
    if (error instanceof WritesRefused) return;
    if (error instanceof StoreTrouble) {
      const now = performance.now();
      if (now - saidAt < againMs) return;
      saidAt = now;
    }
    log.error({ error }, sentence);
  };
}
