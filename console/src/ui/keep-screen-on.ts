/** Whether the browser can keep the screen on. */
export const keepsScreenOn = 'wakeLock' in navigator;

/** Keeps the screen on while the page is visible. The browser releases the lock when the page is hidden. */
export function keepScreenOn(signal: AbortSignal): void {
  if (!keepsScreenOn) return;
  let held: WakeLockSentinel | undefined;
  const request = async () => {
    if (document.visibilityState !== 'visible') return;
    // Refused if the battery is low, for example.
    held = await navigator.wakeLock.request('screen').catch(() => undefined);
    if (signal.aborted) void held?.release();
  };
  document.addEventListener('visibilitychange', () => void request(), { signal });
  signal.addEventListener('abort', () => void held?.release());
  void request();
}
