import { deviceIconOf } from '@trackway/contract/device-icons.ts';
import { useSyncExternalStore } from 'react';
import { mercatorX, mercatorY } from '../../geo/mercator.ts';
import { call } from '../calls.ts';
import { isRefusal } from '../client.ts';
import { renew } from '../session.ts';
import { type FleetDevice, glided, type Whereabouts } from './fleet-device.ts';
import { type LiveEvent, onLive } from './live.ts';
import { Trails } from './trails.ts';

/**
 * The current positions of all devices. They are outside React and change in place, because a thousand positions may
 * arrive per second: the map reads them each frame, and React is notified at most twice a second.
 */

export const devices = new Map<number, FleetDevice>();
export const trails = new Trails(async (deviceIds) =>
  (await call('listTrails')({ id: 'me', deviceIds: [...deviceIds] })).flatMap(({ deviceId, location, timestamp }) =>
    location && timestamp
      ? [{ deviceId, x: mercatorX(location.lng), y: mercatorY(location.lat), at: Date.parse(timestamp) }]
      : [],
  ),
);
/** Incremented at each change, for code that checks every frame. */
export let fleetChanges = 0;
export type FleetLoading = 'loading' | 'ready' | 'failed';
let loading: FleetLoading = 'loading';

const LONGEST_GLIDE_MS = 2500;
const SHORTEST_GLIDE_MS = 250;
/** Fraction of the world's width; about 8 km at the equator. Longer jumps are not animated. */
const FARTHEST_GLIDE = 0.0002;
const stillness = matchMedia('(prefers-reduced-motion: reduce)');

function place(device: FleetDevice, lat: number, lng: number, clock: number): void {
  const [x, y] = [mercatorX(lng), mercatorY(lat)];
  const isFirst = device.lat === undefined;
  const part = glided(device, clock);
  const [seenX, seenY] = [
    device.fromX + (device.x - device.fromX) * part,
    device.fromY + (device.y - device.fromY) * part,
  ];
  const isFar = Math.abs(x - seenX) > FARTHEST_GLIDE || Math.abs(y - seenY) > FARTHEST_GLIDE;
  const glides = !isFirst && !isFar && !stillness.matches;
  const sinceMs = clock - device.glideFrom;
  device.glideMs = glides ? Math.max(SHORTEST_GLIDE_MS, Math.min(LONGEST_GLIDE_MS, sinceMs)) : 0;
  device.glideFrom = clock;
  device.fromX = glides ? seenX : x;
  device.fromY = glides ? seenY : y;
  device.lat = lat;
  device.lng = lng;
  device.x = x;
  device.y = y;
}

function take(one: Whereabouts): void {
  const known = devices.get(one.deviceId);
  const clock = performance.now();
  const device: FleetDevice = known ?? {
    id: one.deviceId,
    ...{
      name: '',
      plate: null,
      color: null,
      type: null,
      icon: undefined,
      tags: [],
      right: one.right,
      lat: undefined,
      lng: undefined,
      x: 0,
      y: 0,
    },
    ...{ at: 0, speedKmh: null, course: null, accuracyM: null, batteryPct: null, lastSeenAt: undefined },
    ...{ moving: null, fromX: 0, fromY: 0, glideFrom: clock, glideMs: 0 },
  };
  device.name = one.name || `#${one.deviceId}`;
  device.plate = one.plate;
  device.color = one.color;
  device.icon = deviceIconOf(one.icon, one.type);
  device.type = one.type;
  device.tags = one.tags ?? [];
  device.right = one.right;
  device.batteryPct = one.batteryPct;
  device.moving = one.moving;
  if (one.lastConnection) device.lastSeenAt = Date.parse(one.lastConnection);
  const at = one.timestamp ? Date.parse(one.timestamp) : 0;
  if (one.location && at >= device.at) {
    device.at = at;
    device.speedKmh = one.speed;
    device.course = one.course;
    device.accuracyM = one.accuracy;
    place(device, one.location.lat, one.location.lng, clock);
  }
  devices.set(device.id, device);
}

/** Applies a change that the viewer has just made to a device. */
export function noteDevice(
  id: number,
  change: Partial<Pick<FleetDevice, 'name' | 'plate' | 'color' | 'type' | 'icon' | 'tags'>>,
): void {
  const device = devices.get(id);
  if (device === undefined) return;
  Object.assign(device, change);
  changed();
}

function takePosition(event: LiveEvent<'position'>): void {
  const device = event.deviceId === null ? undefined : devices.get(event.deviceId);
  if (device === undefined) {
    readSoon();
    return;
  }
  const at = Date.parse(event.timestamp);
  // A late position is history, not the current one.
  if (event.location === null || at < device.at) return;
  device.at = at;
  device.speedKmh = event.speed;
  device.course = event.course;
  device.accuracyM = event.accuracy;
  place(device, event.location.lat, event.location.lng, performance.now());
  trails.note(device.id, { x: device.x, y: device.y, at });
  changed();
}

function takeNews(event: LiveEvent<'device'>): void {
  const device = devices.get(event.id);
  if (device === undefined) {
    readSoon();
    return;
  }
  if (event.lastConnection) device.lastSeenAt = Date.parse(event.lastConnection);
  if (event.moving !== undefined) device.moving = event.moving;
  if (event.batteryPct !== undefined) device.batteryPct = event.batteryPct;
  changed();
}

function takeAccess({ deviceId, right }: LiveEvent<'access'>): void {
  if (right !== null) readSoon();
  else {
    devices.delete(deviceId);
    trails.forget(deviceId);
    changed();
  }
}

const listeners = new Set<() => void>();
const NOTIFY_MS = 500;
let reported = 0;
let notifying: ReturnType<typeof setTimeout> | undefined;
/** The version that React has seen. */
let version = 0;

function changed(): void {
  fleetChanges++;
  if (listeners.size === 0) {
    // A change between the rendering of a component and its subscription is detected by the version.
    version++;
    return;
  }
  if (notifying !== undefined) return;
  notifying = setTimeout(
    () => {
      notifying = undefined;
      reported = performance.now();
      version++;
      for (const listener of listeners) listener();
    },
    Math.max(0, NOTIFY_MS - (performance.now() - reported)),
  );
}

let reading: ReturnType<typeof setTimeout> | undefined;
const SOON_MS = 800;
/** For an unknown device or a change of rights, everything is read again, once for many events. */
function readSoon(): void {
  reading ??= setTimeout(() => {
    reading = undefined;
    void readFleet();
  }, SOON_MS);
}

export async function readFleet(): Promise<void> {
  try {
    const all = await call('listWhereabouts')({ id: 'me' });
    const seen = new Set(all.map(({ deviceId }) => deviceId));
    for (const id of devices.keys()) {
      if (seen.has(id)) continue;
      devices.delete(id);
      trails.forget(id);
    }
    for (const one of all) take(one);
    loading = 'ready';
  } catch (error) {
    if (isRefusal(error) && error.status === 401) void renew().catch(() => undefined);
    if (loading === 'loading') loading = 'failed';
  }
  changed();
}

/** Keeps the fleet of the signed-in user up to date, until the returned function is called. */
export function followFleet(): () => void {
  const ends = [
    onLive('position', takePosition),
    onLive('device', takeNews),
    onLive('access', takeAccess),
    onLive('reset', readSoon),
  ];
  void readFleet();
  return () => {
    for (const end of ends) end();
    clearTimeout(reading);
    reading = undefined;
    devices.clear();
    trails.clear();
    loading = 'loading';
    changed();
  };
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** The fleet for React: renders at most twice a second. `version` changes with each update. */
export function useFleet(): { devices: ReadonlyMap<number, FleetDevice>; loading: FleetLoading; version: number } {
  const seen = useSyncExternalStore(subscribe, () => version);
  return { devices, loading, version: seen };
}
