/** An orchestrator kills after 10 seconds; whatever still hangs by now is given up instead. */
const LIMIT_MS = 9_500;
/** A Ctrl+C under npm comes twice, from the terminal and from npm; people take longer for their second. */
const SAME_KEY_MS = 500;

/** Waits for SIGTERM or SIGINT, stops, and answers the exit code. A second signal ends the process at once. */
export function untilToldToStop(stop: () => Promise<void>): Promise<number> {
  return new Promise((done, fail) => {
    let toldAt: number | undefined;
    const told = () => {
      if (toldAt !== undefined) {
        if (performance.now() - toldAt > SAME_KEY_MS) process.exit(1);
        return;
      }
      toldAt = performance.now();
      console.log('Stopping: finishing what was accepted. Once more to stop at once.');
      setTimeout(() => {
        console.error('It did not stop in time and was ended.');
        process.exit(1);
      }, LIMIT_MS).unref();
      stop().then(() => done(0), fail);
    };
    process.on('SIGTERM', told);
    process.on('SIGINT', told);
    whenOrphanedByNpm(told);
  });
}

const LOOK_MS = 250;

/**
 * npm passes a signal on to the shell between it and us, and many a shell dies of it without passing it on. Then we are
 * somebody else's child: take it as the signal that we did not get.
 */
function whenOrphanedByNpm(told: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const look = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(look);
    told();
  }, LOOK_MS);
  look.unref();
}
