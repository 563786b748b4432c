import { keepUnsent, type TrackedPoint, unsentPoints } from '../../forms/connect/tracked-device.ts';
import { distanceM } from '../../geo/place.ts';
import { createStore } from '../../store.ts';
import { keepScreenOn } from '../../ui/keep-screen-on.ts';

/** Reports the position of this browser, from `startTracker` until it is stopped. */

export type TrackerProblem = 'insecure' | 'denied' | 'noPosition' | 'offline' | 'refused' | 'elsewhere';

interface TrackerState {
  readonly isOn: boolean;
  readonly problem: TrackerProblem | undefined;
  /** The last position. */
  readonly last: TrackedPoint | undefined;
  readonly sentAt: number | undefined;
  /** Number of positions that the server does not have yet. */
  readonly unsent: number;
}

const LOCK = 'trackway-tracker';
/** While moving, a position is recorded after this distance, but not more often than `LEAST_MS`. */
const LEAST_M = 15;
const LEAST_MS = 3000;
const STANDING_MS = 60_000;
const RETRY_MS = 10_000;
const DEADLINE_MS = 20_000;
const BATCH = 100;
const KMH_PER_MS = 3.6;

const STOPPED: TrackerState = {
  ...{ isOn: false, problem: undefined, last: undefined, sentAt: undefined },
  unsent: unsentPoints().length,
};
export const tracker = createStore(STOPPED);
const change = (part: Partial<TrackerState>) => tracker.set((now) => ({ ...now, ...part }));

let end: (() => void) | undefined;
export const stopTracker = () => end?.();

export function startTracker(key: string): void {
  end?.();
  tracker.set({ ...STOPPED, unsent: unsentPoints().length });
  if (!isSecureContext || !('geolocation' in navigator)) {
    change({ problem: 'insecure' });
    return;
  }
  const ending = new AbortController();
  const { signal } = ending;
  const stop = (problem?: TrackerProblem) => {
    ending.abort();
    end = undefined;
    change({ isOn: false, problem });
  };
  end = stop;
  change({ isOn: true });
  // Two tabs would send everything twice and overwrite each other's queue.
  void navigator.locks.request(LOCK, { ifAvailable: true }, async (lock) => {
    if (signal.aborted) return;
    if (lock === null) stop('elsewhere');
    else {
      run(key, signal, stop);
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    }
  });
}

function run(key: string, signal: AbortSignal, stop: (problem: TrackerProblem) => void): void {
  const send = sender(key, signal, () => stop('refused'));
  const take = (position: GeolocationPosition) => {
    const { problem, last } = tracker.get();
    if (problem === 'noPosition') change({ problem: undefined });
    const point = pointOf(position);
    if (last && !isNews(last, point)) return;
    const points = [...unsentPoints(), point];
    keepUnsent(points);
    change({ last: point, unsent: points.length });
    void send();
  };
  const fail = ({ code, PERMISSION_DENIED }: GeolocationPositionError) => {
    if (signal.aborted) return;
    if (code === PERMISSION_DENIED) stop('denied');
    else change({ problem: 'noPosition' });
  };
  const options = { enableHighAccuracy: true, maximumAge: LEAST_MS };
  const watch = navigator.geolocation.watchPosition(take, fail, options);
  // A phone that stands still gets no new positions, but should not appear to be offline.
  const standing = setInterval(() => navigator.geolocation.getCurrentPosition(take, fail, options), STANDING_MS);
  signal.addEventListener('abort', () => {
    navigator.geolocation.clearWatch(watch);
    clearInterval(standing);
  });
  keepScreenOn(signal);
  addEventListener('online', () => void send(), { signal });
  void send();
}

/** Sends what is queued, the oldest first. After a failure it tries again, until it is stopped. */
function sender(key: string, signal: AbortSignal, onRefused: () => void): () => Promise<void> {
  let isSending = false;
  let retry: ReturnType<typeof setTimeout> | undefined;
  signal.addEventListener('abort', () => clearTimeout(retry));
  const send = async () => {
    if (isSending || signal.aborted) return;
    isSending = true;
    clearTimeout(retry);
    const result = await sendAll(key, signal);
    isSending = false;
    if (signal.aborted) return;
    if (result === 'refused') onRefused();
    else if (result === 'failed') {
      change({ problem: 'offline' });
      retry = setTimeout(() => void send(), RETRY_MS);
    } else if (tracker.get().problem === 'offline') change({ problem: undefined });
  };
  return send;
}

async function sendAll(key: string, signal: AbortSignal): Promise<'sent' | 'failed' | 'refused'> {
  for (let points = unsentPoints(); points.length > 0; points = unsentPoints()) {
    const batch = points.slice(0, BATCH);
    const answer = await fetch('/ingest/reports', {
      method: 'POST',
      headers: { authorization: key, 'content-type': 'application/json' },
      body: JSON.stringify({ points: batch }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]),
    }).catch(() => undefined);
    if (answer?.status === 401 || answer?.status === 403) return 'refused';
    if (!answer?.ok) return 'failed';
    // Others were added meanwhile. The server recognizes a position that it gets twice.
    const sent = new Set(batch.map(({ timestamp }) => timestamp));
    const left = unsentPoints().filter(({ timestamp }) => !sent.has(timestamp));
    keepUnsent(left);
    change({ sentAt: Date.now(), unsent: left.length });
  }
  return 'sent';
}

function isNews(last: TrackedPoint, point: TrackedPoint): boolean {
  const passedMs = Date.parse(point.timestamp) - Date.parse(last.timestamp);
  const isFar = distanceM(last.location, point.location) >= LEAST_M;
  return passedMs >= (isFar ? LEAST_MS : STANDING_MS);
}

function pointOf({ timestamp, coords }: GeolocationPosition): TrackedPoint {
  const { latitude, longitude, accuracy, altitude, speed, heading } = coords;
  return {
    timestamp: new Date(timestamp).toISOString(),
    location: { lat: latitude, lng: longitude },
    accuracy,
    ...(altitude !== null && { altitude }),
    ...(speed !== null && { speed: speed * KMH_PER_MS }),
    ...(heading !== null && !Number.isNaN(heading) && { course: heading }),
  };
}
