/** Orchestrators kill a process after 10 seconds, so the shutdown is given up shortly before. */
const LIMIT_MS = 9_500;
/** Under npm, one Ctrl+C arrives twice, from the terminal and from npm. A second key press takes longer than this. */
const SAME_KEY_MS = 500;

/** Waits for SIGTERM or SIGINT, stops, and returns the exit code. A second signal exits immediately. */
export function waitForStop(stop: () => Promise<void>): Promise<number> {
  return new Promise((done, fail) => {
    let signalledAt: number | undefined;
    const onSignal = () => {
      if (signalledAt !== undefined) {
        if (performance.now() - signalledAt > SAME_KEY_MS) process.exit(1);
        return;
      }
      signalledAt = performance.now();
      console.log('Stopping: finishing requests in progress. Press Ctrl+C again to stop immediately.');
      setTimeout(() => {
        console.error('The shutdown timed out.');
        process.exit(1);
      }, LIMIT_MS).unref();
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
