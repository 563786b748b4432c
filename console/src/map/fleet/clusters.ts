import type { FleetDevice, FleetState } from '../../api/live/fleet-device.ts';

/** Devices that are too close to be drawn separately, or a single one. */
export interface Group {
  /** Mercator. The position of the device if it is a single one. */
  x: number;
  y: number;
  /** Set for a single device. */
  device: FleetDevice | undefined;
  count: number;
  moving: number;
  stopped: number;
  offline: number;
  west: number;
  east: number;
  north: number;
  south: number;
}

/** At high zoom devices may be closer together: there are fewer of them, and people want to see each. */
const NEAR_ZOOM = 13;
const FAR_PX = { cell: 64, touch: 44 };
const NEAR_PX = { cell: 32, touch: 24 };
/** From this zoom on every device is drawn separately. */
const APART_ZOOM = 16;

/**
 * Groups devices on a grid that is fixed to the world and the integer zoom, so that groups do not flicker while the map
 * is dragged; then merges groups whose centres touch. Linear in the number of devices.
 */
export function groupsOf(
  devices: Iterable<FleetDevice>,
  zoom: number,
  stateOf: (device: FleetDevice) => FleetState,
  isApart: (device: FleetDevice) => boolean,
): Group[] {
  const level = Math.floor(zoom);
  const alone: Group[] = [];
  const cells = new Map<number, Group>();
  const { cell, touch } = level < NEAR_ZOOM ? FAR_PX : NEAR_PX;
  const across = (512 * 2 ** level) / cell;
  for (const device of devices) {
    if (device.lat === undefined) continue;
    const state = stateOf(device);
    if (level >= APART_ZOOM || isApart(device)) {
      alone.push(groupOf(device, state));
      continue;
    }
    const key = Math.floor(device.x * across) * 0x1000000 + Math.floor(device.y * across);
    const group = cells.get(key);
    if (group === undefined) cells.set(key, groupOf(device, state));
    else join(group, device, state);
  }
  return [...alone, ...joined([...cells.values()], touch / (512 * 2 ** level))];
}

const groupOf = (device: FleetDevice, state: FleetState): Group => ({
  x: device.x,
  y: device.y,
  device,
  count: 1,
  moving: state === 'moving' ? 1 : 0,
  stopped: state === 'stopped' ? 1 : 0,
  offline: state === 'offline' ? 1 : 0,
  west: device.x,
  east: device.x,
  north: device.y,
  south: device.y,
});

function join(group: Group, { x, y }: FleetDevice, state: FleetState): void {
  group.device = undefined;
  group.count++;
  group[state]++;
  group.x += (x - group.x) / group.count;
  group.y += (y - group.y) / group.count;
  group.west = Math.min(group.west, x);
  group.east = Math.max(group.east, x);
  group.north = Math.min(group.north, y);
  group.south = Math.max(group.south, y);
}

/** A larger group absorbs a smaller one whose centre it touches. */
function joined(groups: Group[], touching: number): Group[] {
  groups.sort((one, other) => other.count - one.count);
  const buckets = new Map<number, Group[]>();
  const keyAt = (column: number, row: number) => column * 0x1000000 + row;
  const kept: Group[] = [];
  for (const group of groups) {
    const [column, row] = [Math.floor(group.x / touching), Math.floor(group.y / touching)];
    const near = near9(column, row)
      .flatMap(([c, r]) => buckets.get(keyAt(c, r)) ?? [])
      .find((other) => Math.hypot(other.x - group.x, other.y - group.y) < touching);
    if (near) {
      swallow(near, group);
      continue;
    }
    kept.push(group);
    const key = keyAt(column, row);
    const bucket = buckets.get(key);
    if (bucket) bucket.push(group);
    else buckets.set(key, [group]);
  }
  return kept;
}

const near9 = (column: number, row: number): [number, number][] =>
  [-1, 0, 1].flatMap((dx) => [-1, 0, 1].map((dy): [number, number] => [column + dx, row + dy]));

function swallow(group: Group, other: Group): void {
  const count = group.count + other.count;
  group.device = undefined;
  group.x += ((other.x - group.x) * other.count) / count;
  group.y += ((other.y - group.y) * other.count) / count;
  group.count = count;
  group.moving += other.moving;
  group.stopped += other.stopped;
  group.offline += other.offline;
  group.west = Math.min(group.west, other.west);
  group.east = Math.max(group.east, other.east);
  group.north = Math.min(group.north, other.north);
  group.south = Math.max(group.south, other.south);
}
