import { createStore } from '../../store.ts';

/** The device that this browser reports for: its key is kept in the browser until another one is chosen. */
export interface TrackedDevice {
  readonly key: string;
  readonly name: string;
  /** Whether it reported when the page was last open. */
  readonly isOn: boolean;
}

/** A position as `/ingest/reports` takes it. */
export interface TrackedPoint {
  readonly timestamp: string;
  readonly location: { readonly lat: number; readonly lng: number };
  readonly accuracy: number;
  readonly altitude?: number;
  readonly speed?: number;
  readonly course?: number;
}

const KEY = 'trackway.tracker';
const QUEUE = 'trackway.tracker.unsent';
/** About three hours of driving. Of more, the oldest are dropped. */
const MOST_UNSENT = 2000;

export const trackedDevice = createStore<TrackedDevice | undefined>(kept<TrackedDevice>(KEY));

/** Positions of another device are not sent with the new key. */
export function trackDevice(device: TrackedDevice | undefined): void {
  if (device?.key !== trackedDevice.get()?.key) keepUnsent([]);
  keep(KEY, device);
  trackedDevice.set(device);
}

export const unsentPoints = () => kept<TrackedPoint[]>(QUEUE) ?? [];
export const keepUnsent = (points: readonly TrackedPoint[]) =>
  keep(QUEUE, points.length === 0 ? undefined : points.slice(-MOST_UNSENT));

/** The address that makes a browser report for a device. The part after # is not sent to the server. */
export const trackAddress = (base: string, { key, name }: Pick<TrackedDevice, 'key' | 'name'>) =>
  `${base}/track#${new URLSearchParams({ key, name })}`;

/** The device in such an address. Reporting starts only when the user presses the button. */
export function deviceInHash(hash: string): TrackedDevice | undefined {
  const parts = new URLSearchParams(hash.slice(1));
  const key = parts.get('key');
  return key ? { key, name: parts.get('name') ?? '', isOn: false } : undefined;
}

function kept<T>(key: string): T | undefined {
  try {
    return (JSON.parse(localStorage.getItem(key) ?? 'null') as T | null) ?? undefined;
  } catch {
    return undefined;
  }
}

function keep(key: string, value: unknown): void {
  try {
    if (value === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Without storage, it is lost when the page closes.
  }
}
