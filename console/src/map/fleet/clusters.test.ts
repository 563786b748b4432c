import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FleetDevice } from '../../api/live/fleet-device.ts';
import { mercatorX, mercatorY } from '../../geo/mercator.ts';
import { groupsOf } from './clusters.ts';

const deviceAt = (id: number, lat: number, lng: number) =>
  ({ id, lat, lng, x: mercatorX(lng), y: mercatorY(lat) }) as FleetDevice;
const moving = () => 'moving' as const;
const noDevice = () => false;

const TOWN = Array.from({ length: 300 }, (_, id) => deviceAt(id, 52.3 + (id % 17) * 0.002, 4.9 + (id % 19) * 0.002));
const FAR = deviceAt(900, 48.85, 2.35);

test('no device is lost or counted twice at any zoom', () => {
  for (let zoom = 0; zoom <= 19; zoom += 0.5) {
    const groups = groupsOf([...TOWN, FAR], zoom, moving, noDevice);
    assert.equal(
      groups.reduce((sum, { count }) => sum + count, 0),
      301,
      `zoom ${zoom}`,
    );
    for (const { count, device } of groups) assert.equal(device !== undefined, count === 1, `zoom ${zoom}`);
  }
});

test('from afar a town is one, near the ground everyone stands alone', () => {
  assert.equal(groupsOf([...TOWN, FAR], 5, moving, noDevice).length, 2);
  assert.equal(groupsOf(TOWN, 16, moving, noDevice).length, 300);
});

test('groups do not overlap, and hold all their members', () => {
  const zoom = 11;
  const groups = groupsOf(TOWN, zoom, moving, noDevice);
  const pixels = 512 * 2 ** zoom;
  for (const [index, one] of groups.entries()) {
    assert.ok(one.x >= one.west && one.x <= one.east && one.y >= one.north && one.y <= one.south);
    for (const other of groups.slice(index + 1)) {
      // Middles shift a little as a group swallows others, so they may come somewhat nearer than when it was decided.
      assert.ok(Math.hypot(one.x - other.x, one.y - other.y) * pixels > 12);
    }
  }
});

test('the one that is looked at stands alone', () => {
  const groups = groupsOf(TOWN, 5, moving, ({ id }) => id === 42);
  assert.deepEqual(groups.map(({ count, device }) => [count, device?.id]).sort(), [
    [1, 42],
    [299, undefined],
  ]);
});

test('a group knows the states of its members; a device without a place is in none', () => {
  const state = ({ id }: FleetDevice) => (id % 3 === 0 ? 'offline' : id % 3 === 1 ? 'stopped' : 'moving');
  const nowhere = { id: 901, lat: undefined, x: 0, y: 0 } as FleetDevice;
  const [group, ...others] = groupsOf([...TOWN, nowhere], 3, state, noDevice);
  assert.deepEqual([group!.offline, group!.stopped, group!.moving, others.length], [100, 100, 100, 0]);
});
