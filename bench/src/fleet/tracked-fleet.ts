import { backdateRules } from '@trackway/server/testing/backdate.ts';
import { makeManyDevices } from '@trackway/server/testing/many-devices.ts';
import type { Fence } from '@trackway/simulator/fence-shape.ts';
import { imeiOf } from '@trackway/simulator/trackers/voices.ts';
import { serialOf } from '../load/publisher.ts';
import { Api, startTrackway, type Trackway } from '../trackway.ts';

/** A server with a fleet: devices with keys, fences, and the triggers of an ordinary fleet. */
export interface TrackedFleet {
  readonly server: Trackway;
  readonly keys: readonly string[];
}

export interface FleetSize {
  readonly devices: number;
  readonly fences: readonly Fence[];
  /** Triggers of each device; by default the triggers of an ordinary fleet. */
  readonly triggers?: readonly object[];
  /** Additional settings of the server. */
  readonly environment?: Record<string, string>;
}

const TRIGGERS = [
  { type: 'geofence', parameters: { zoneGroup: 'watched' } },
  { type: 'lowBat', parameters: { threshold: 20 } },
];
const AT_ONCE = 16;

/**
 * @param place a data folder, or an address of a PostgreSQL database
 */
export async function startFleet(
  place: string,
  { devices, fences, triggers = TRIGGERS, environment: more }: FleetSize,
): Promise<TrackedFleet> {
  const environment: Record<string, string> = {
    ...(place.startsWith('postgres') ? { TRACKWAY_DATABASE_URL: place } : { TRACKWAY_DATA: place }),
    ...more,
  };
  const maker = await startTrackway(environment);
  const keys: string[] = [];
  try {
    const api = await Api.signIn(maker.address);
    await atOnce(fences, (fence) => api.post(`/users/${api.userId}/geofences`, fence));
    // Where devices are all alike, the others are copies of the first.
    const made = triggers.length === 0 ? 1 : devices;
    await atOnce(Array.from({ length: made }), async (_, index) => {
      const { id, deviceKey } = await api.post('/devices', { name: `Device ${index}` });
      keys[index] = deviceKey as string;
      for (const trigger of triggers) await api.post(`/devices/${id}/notificationTriggers`, trigger);
    });
  } finally {
    await maker.stop();
  }
  if (keys.length < devices) keys.push(...(await makeManyDevices(place, devices - keys.length)));
  await backdateRules(place);
  return { server: await startTrackway(environment), keys };
}

/** Lets the devices report by an IMEI and a serial number too. Returns their ids. */
export async function identify(api: Api, keys: readonly string[]): Promise<number[]> {
  const devices = (await api.get('/devices?filter={"fields":["id","name"]}')) as unknown as {
    id: number;
    name: string;
  }[];
  const idOf = new Map(devices.map(({ id, name }) => [name, id]));
  const ids = keys.map((_, index) => idOf.get(`Device ${index}`)!);
  await atOnce(ids, async (id, index) => {
    const answer = await fetch(`${api.address}/api/devices/${id}`, {
      method: 'PATCH',
      headers: { ...api.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ imei: imeiOf(index), serial: serialOf(index), allowKeyless: true }),
    });
    if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
  });
  return ids;
}

/** The positions that are stored of devices. */
export async function storedOf(api: Api, ids: readonly number[]): Promise<number> {
  let stored = 0;
  // One after the other: the server limits the searches of a user at a time.
  for (const id of ids) stored += (await api.get(`/devices/${id}/points/count`)).count as number;
  return stored;
}

export async function atOnce<T>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const index = next++;
      await work(items[index]!, index);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
