import cluster from 'node:cluster';

/** Time limit for abandoning: a thread that hangs must not delay the exit. */
const ABANDON_MS = 500;
/** Under npm, one Ctrl+C arrives twice, from the terminal and from npm. A second key press takes longer than this. */
const SAME_KEY_MS = 500;

export interface StopLimit {
  /** Time limit of the stop; then unfinished work is abandoned. */
  readonly limitMs: number;
  /**
   * Closes the store even if it is in use: acknowledged data is stored, and unfinished work continues after the next
   * start.
   */
  abandon(): Promise<unknown>;
}

/** Waits for SIGTERM or SIGINT, stops, and returns the exit code. A second signal exits immediately. */
export function waitForStop(stop: () => Promise<void>, { limitMs, abandon }: StopLimit): Promise<number> {
  return new Promise((done, fail) => {
    let signalledAt: number | undefined;
    const onSignal = () => {
      if (signalledAt !== undefined) {
        if (performance.now() - signalledAt > SAME_KEY_MS) process.exit(1);
        return;
      }
      signalledAt = performance.now();
      // Of several processes, the one that the operator started says it.
      if (cluster.isPrimary)
        console.log('Stopping: finishing requests in progress. Press Ctrl+C again to stop immediately.');
      setTimeout(() => {
        console.log(
          `The shutdown took longer than ${limitMs / 1000} s: work in progress was aborted, and continues after the next start.`,
        );
        setTimeout(() => process.exit(0), ABANDON_MS);
        abandon().then(
          () => process.exit(0),
          () => process.exit(0),
        );
      }, limitMs).unref();
      stop().then(() => done(0), fail);
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
    whenOrphanedByNpm(onSignal);
  });
}

const CHECK_MS = 250;

/**
 * npm passes a signal on to the shell that started us, and many shells exit without passing it on. Then our parent
 * process changes, which counts as the missing signal.
 */
function whenOrphanedByNpm(onSignal: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onSignal();
  }, CHECK_MS);
  timer.unref();
}
