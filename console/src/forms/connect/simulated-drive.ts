import { destination, type LatLng } from '../../geo/place.ts';
import { placesOfWorld } from '../../map/basemap.ts';
import { createStore } from '../../store.ts';

/** A demo: the browser reports for a device as if it drove through a town. */
export interface Drive {
  readonly deviceId: number;
  readonly endsAt: number;
  readonly hasFailed: boolean;
}

export const drive = createStore<Drive | undefined>(undefined);

const LENGTH_MS = 120_000;
const EVERY_MS = 1500;
const SOMEWHERE: LatLng = { lat: 52.3728, lng: 4.8936 };

let stop: (() => void) | undefined;

export async function startDrive(deviceId: number, key: string): Promise<void> {
  stop?.();
  const endsAt = Date.now() + LENGTH_MS;
  drive.set({ deviceId, endsAt, hasFailed: false });
  const step = streetDriver(await homeTown());
  const ended = new AbortController();
  stop = () => {
    ended.abort();
    drive.set(undefined);
    stop = undefined;
  };
  while (!ended.signal.aborted && Date.now() < endsAt) {
    const isTaken = await report(key, step(EVERY_MS / 1000), ended.signal);
    if (!isTaken && !ended.signal.aborted) {
      drive.set({ deviceId, endsAt, hasFailed: true });
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
  if (!ended.signal.aborted) drive.set(undefined);
}

export const stopDrive = () => stop?.();

async function report(key: string, point: object, signal: AbortSignal): Promise<boolean> {
  try {
    const answer = await fetch('/ingest/reports', {
      method: 'POST',
      headers: { authorization: key, 'content-type': 'application/json' },
      body: JSON.stringify({ points: [point] }),
      signal,
    });
    return answer.ok || answer.status >= 500;
  } catch {
    // If the server is temporarily unavailable, the next position tries again.
    return !signal.aborted;
  }
}

/** The town that the viewer's time zone is named after: a drive near home is more convincing. */
async function homeTown(): Promise<LatLng> {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const town = zone.split('/').at(-1)!.replaceAll('_', ' ');
  const found = await placesOfWorld()
    .then((places) => places.find(({ properties }) => properties?.name === town))
    .catch(() => undefined);
  return found ? { lng: found.geometry.coordinates[0]!, lat: found.geometry.coordinates[1]! } : SOMEWHERE;
}

/** Drives straight for some blocks, slows down, turns left or right, and continues. */
function streetDriver(start: LatLng): (seconds: number) => object {
  let place = start;
  let course = 30 + 90 * Math.floor(Math.random() * 4);
  let leftM = 300;
  let speedKmh = 20;
  return (seconds) => {
    const wanted = leftM < 60 ? 18 : 48;
    speedKmh += (wanted - speedKmh) * 0.45;
    const metres = (speedKmh / 3.6) * seconds;
    place = destination(place, course, metres);
    leftM -= metres;
    if (leftM <= 0) {
      course = (course + (Math.random() < 0.5 ? 90 : 270)) % 360;
      leftM = 180 + Math.random() * 420;
    }
    return { location: place, course, speed: Math.round(speedKmh * 10) / 10, accuracy: 6, batteryPct: 87 };
  };
}
