import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countsBelow } from './counts-below.ts';
import type { DeviceGroup } from './groups.ts';

const group = (id: number, parentId: number | null) => ({ id, parentId }) as DeviceGroup;
const member = (groupId: number, deviceId: number) => ({ groupId, deviceId });

test('a group counts the devices of all groups below it, each device once', () => {
  const groups = [group(1, null), group(2, 1), group(3, 2), group(4, 1)];
  const members = [member(1, 10), member(2, 11), member(3, 12), member(4, 12), member(3, 13)];
  assert.deepEqual([...countsBelow(groups, members)].sort(), [
    [1, 3],
    [2, 2],
  ]);
});

test('a group whose group above is not seen counts for nothing else', () => {
  assert.deepEqual([...countsBelow([group(2, 1)], [member(2, 11)])], [[1, 1]]);
});
