/**
 * Page visibility. A browser allows only six connections to a server over all its pages, so a hidden page must not use
 * one.
 */

/** Aborts once the page was hidden for `ms`; `end` stops watching. */
export function whenUnseenFor(ms: number): { readonly signal: AbortSignal; end(): void } {
  const unseen = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(() => unseen.abort(), ms);
  };
  document.addEventListener('visibilitychange', look);
  look();
  return {
    signal: unseen.signal,
    end() {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', look);
    },
  };
}

/** Resolves as soon as the page is visible, or on `stopped`. */
export function untilSeen(stopped: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (document.hidden && !stopped.aborted) return;
      document.removeEventListener('visibilitychange', look);
      stopped.removeEventListener('abort', look);
      resolve();
    };
    document.addEventListener('visibilitychange', look);
    stopped.addEventListener('abort', look);
    look();
  });
}
