/** Served from the root, so that it can show messages for every page. */
export const WORKER = '/push-worker.js';

/** Makes the console available offline and installable. */
export function keepForOffline(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator) || !isSecureContext) return;
  // After the page has loaded, because it is not urgent. The console also works without it.
  const register = () => void navigator.serviceWorker.register(WORKER).catch(() => undefined);
  if (document.readyState === 'complete') register();
  else addEventListener('load', register, { once: true });
}
