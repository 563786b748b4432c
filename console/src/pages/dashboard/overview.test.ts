import assert from 'node:assert/strict';
import { test } from 'node:test';
import { overviewOf } from './overview.ts';

const NOW = 100 * 60_000;
const device = (id: number, seenMinutesAgo: number | undefined, more: object = {}) => ({
  ...{ id, name: `D${id}`, moving: false, speedKmh: 0, batteryPct: null },
  ...{ lat: undefined, lng: undefined },
  lastSeenAt: seenMinutesAgo === undefined ? undefined : NOW - seenMinutesAgo * 60_000,
  ...more,
});
const idsOf = (some: readonly { readonly id: number }[]) => some.map(({ id }) => id);

test('what moves, what is silent and what wants to be charged, of a group alone if one is chosen', () => {
  const devices = [
    device(1, 1, { moving: true, speedKmh: 50 }),
    device(2, 2, { batteryPct: 20 }),
    device(3, 60, { batteryPct: 5 }),
    device(4, 90),
    device(5, undefined),
    device(6, 3, { batteryPct: 21 }),
  ];
  const all = overviewOf(devices, { now: NOW, offlineAfterMin: 15, only: undefined });
  assert.deepEqual(all.counts, { moving: 1, stopped: 2, offline: 3 });
  assert.deepEqual(idsOf(all.silent), [4, 3, 5]);
  assert.deepEqual(idsOf(all.batteries), [3, 2]);
  const some = overviewOf(devices, { now: NOW, offlineAfterMin: 15, only: new Set([2, 4]) });
  assert.deepEqual(some.counts, { moving: 0, stopped: 1, offline: 1 });
  assert.deepEqual(idsOf(some.batteries), [2]);
});
