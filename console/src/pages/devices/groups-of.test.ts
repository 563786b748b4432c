import assert from 'node:assert/strict';
import { test } from 'node:test';
import { devicesOf, groupNames } from './groups-of.ts';

const grouping = {
  groups: [
    { id: 1, name: 'Fleet', parentId: null },
    { id: 2, name: 'Vans', parentId: 1 },
    { id: 3, name: 'Cold', parentId: 2 },
    { id: 4, name: 'North', parentId: null },
  ],
  members: [
    { groupId: 1, deviceId: 10 },
    { groupId: 3, deviceId: 11 },
    { groupId: 4, deviceId: 11 },
    { groupId: 9, deviceId: 12 },
  ],
};

test('a device has the names of all its groups that are known', () => {
  assert.deepEqual(
    [...groupNames(grouping)],
    [
      [10, 'Fleet'],
      [11, 'Cold, North'],
    ],
  );
});

test('a group has the devices of the groups below it', () => {
  assert.deepEqual([...devicesOf(1, grouping)], [10, 11]);
  assert.deepEqual([...devicesOf(2, grouping)], [11]);
  assert.deepEqual([...devicesOf(4, grouping)], [11]);
  assert.deepEqual([...devicesOf(99, grouping)], []);
});
