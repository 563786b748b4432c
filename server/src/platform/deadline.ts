/**
 * Runs work under a signal that aborts with the outer one or after a time. The timer and listener are removed with the
 * work: thousands per second must not accumulate until the deadline.
 */
export async function within<T>(outer: AbortSignal, ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const own = new AbortController();
  const follow = () => own.abort(outer.reason);
  const timer = setTimeout(() => own.abort(new DOMException(`Not done within ${ms} ms`, 'TimeoutError')), ms);
  if (outer.aborted) follow();
  else outer.addEventListener('abort', follow, { once: true });
  try {
    return await work(own.signal);
  } finally {
    clearTimeout(timer);
    outer.removeEventListener('abort', follow);
  }
}
