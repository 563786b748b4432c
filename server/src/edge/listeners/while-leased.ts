import { setTimeout as pause } from 'node:timers/promises';
import { timeNow } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';

/** A lease that one process at a time holds. */
export interface BrokerLease {
  /** Acquires or extends the lease; false if another process holds it. */
  hold(now: number): Promise<boolean>;
  release(): Promise<void>;
}

interface LeasedWork {
  readonly lease: BrokerLease;
  readonly signal: AbortSignal;
  /** Pause between two attempts. */
  readonly pauseMs: number;
  readonly log: Log;
  /** Log message for a failure, logged once per reason. */
  readonly failure: string;
}

/** Runs `serve` whenever the lease is available, until the signal. */
export async function whileLeased(
  { lease, signal, pauseMs, log, failure }: LeasedWork,
  serve: () => Promise<void>,
): Promise<void> {
  let reported = '';
  while (!signal.aborted) {
    try {
      if (await lease.hold(timeNow())) {
        await serve();
        reported = '';
      }
    } catch (error) {
      const { message } = error as Error;
      if (!signal.aborted && message !== reported) log.warn({ error }, failure);
      reported = message;
    }
    await pause(pauseMs, undefined, { signal, ref: false }).catch(() => {});
  }
  // If the store is unavailable, the lease expires by itself.
  await lease.release().catch(() => {});
}
