import { call, readAnew, useRead } from './calls.ts';
import { type ServerInfo, useServerInfo } from './server-info.ts';
import { WORKER } from './worker/worker.ts';

/** Push messages of this browser: whether it supports them, and how to subscribe. */

export type PushAbility = 'able' | 'insecure' | 'noBrowser' | 'noServer' | 'denied';
/** Why subscribing failed. */
export type PushTrouble = 'denied' | 'dismissed' | 'unreachable';

export function abilityOf(info: ServerInfo): PushAbility {
  if (!info.pushKey) return 'noServer';
  if (!isSecureContext) return 'insecure';
  if (!('serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window)) return 'noBrowser';
  return Notification.permission === 'denied' ? 'denied' : 'able';
}

export const useSubscriptions = () => useRead('listPushSubscriptions', { id: 'me' });
export { useServerInfo };

/** The push endpoint of this browser, if it is subscribed. */
export async function ownEndpoint(): Promise<string | undefined> {
  if (!('serviceWorker' in navigator)) return undefined;
  const registration = await navigator.serviceWorker.getRegistration(WORKER);
  return (await registration?.pushManager?.getSubscription())?.endpoint;
}

/** Asks for permission, then subscribes; undefined on success. */
export async function subscribe(pushKey: string): Promise<PushTrouble | undefined> {
  const permission = await Notification.requestPermission();
  if (permission !== 'granted') return permission === 'denied' ? 'denied' : 'dismissed';
  await navigator.serviceWorker.register(WORKER);
  const { pushManager } = await navigator.serviceWorker.ready;
  // A subscription with the key of another server at this address would never work.
  await (await pushManager.getSubscription())?.unsubscribe();
  let made: PushSubscription;
  try {
    made = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: pushKey });
  } catch {
    return 'unreachable';
  }
  const { endpoint, keys } = made.toJSON();
  await call('createPushSubscription')({
    id: 'me',
    body: {
      endpoint: endpoint!,
      keys: { p256dh: keys!.p256dh!, auth: keys!.auth! },
      agent: agentOf(navigator.userAgent),
    },
  });
  await readAnew(['listPushSubscriptions']);
  return undefined;
}

/** Ends a subscription, and also the browser's own if it is this browser. */
export async function unsubscribe(id: number, endpoint: string): Promise<void> {
  await call('deletePushSubscription')({ id: 'me', fk: id });
  const registration = await navigator.serviceWorker?.getRegistration(WORKER);
  const own = await registration?.pushManager?.getSubscription();
  if (own?.endpoint === endpoint) await own.unsubscribe();
  await readAnew(['listPushSubscriptions']);
}

const BROWSERS: readonly [RegExp, string][] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];
const SYSTEMS: readonly [RegExp, string][] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS/, 'macOS'],
  [/Linux/, 'Linux'],
];

/** "Firefox, Linux": enough to distinguish one's own browsers. */
export function agentOf(userAgent: string): string {
  const found = [BROWSERS, SYSTEMS].flatMap((list) => list.find(([sign]) => sign.test(userAgent))?.[1] ?? []);
  return found.join(', ') || userAgent.slice(0, 100);
}
