import { setTimeout as pause } from 'node:timers/promises';
import { timeNow } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';

/** Of all processes, one has it at a time. */
export interface BrokerLease {
  /** Takes it, or holds it for longer; false where another has it. */
  hold(now: number): Promise<boolean>;
  release(): Promise<void>;
}

export interface LeasedWork {
  readonly lease: BrokerLease;
  readonly signal: AbortSignal;
  /** Between two tries. */
  readonly pauseMs: number;
  readonly log: Log;
  /** Said when it fails, once as long as the reason is the same. */
  readonly failure: string;
}

/** Serves whenever the lease can be had, until the signal. */
export async function whileLeased(
  { lease, signal, pauseMs, log, failure }: LeasedWork,
  serve: () => Promise<void>,
): Promise<void> {
  let told = '';
  while (!signal.aborted) {
    try {
      if (await lease.hold(timeNow())) {
        await serve();
        told = '';
      }
    } catch (error) {
      const { message } = error as Error;
      if (!signal.aborted && message !== told) log.warn({ error }, failure);
      told = message;
    }
    await pause(pauseMs, undefined, { signal, ref: false }).catch(() => {});
  }
  // Where the store is gone, the lease ends by itself.
  await lease.release().catch(() => {});
}
