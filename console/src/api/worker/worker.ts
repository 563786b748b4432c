/** Served from the root, so that it may show messages for every page. */
export const WORKER = '/push-worker.js';

/** Lets the browser keep the console for when there is no connection, and offer to install it. */
export function keepForOffline(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator) || !isSecureContext) return;
  // After the page has loaded: nobody waits for it. A browser that keeps nothing shows the console all the same.
  const register = () => void navigator.serviceWorker.register(WORKER).catch(() => undefined);
  if (document.readyState === 'complete') register();
  else addEventListener('load', register, { once: true });
}
