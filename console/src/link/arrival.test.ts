import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrivalAt } from './arrival.ts';

const NOW = Date.parse('2026-06-01T12:00:00Z');
const from = (more: object = {}) => ({
  lat: 50,
  lng: 8,
  speed: 60,
  timestamp: new Date(NOW - 60_000).toISOString(),
  ...more,
});
const NORTH = { lat: 50.1, lng: 8 };

test('distance and time are computed for a straight line at the current speed', () => {
  const { metres, seconds, isThere, isByRoad } = arrivalAt(NORTH, from(), NOW, null);
  assert.equal(Math.round(metres), 11_120);
  assert.equal(Math.round(seconds! / 60), 11);
  assert.deepEqual([isThere, isByRoad], [false, false]);
});

test('a device that stands, has no speed or has not reported recently has no time of arrival', () => {
  assert.equal(arrivalAt(NORTH, from({ speed: 2 }), NOW, null).seconds, undefined);
  assert.equal(arrivalAt(NORTH, from({ speed: null }), NOW, null).seconds, undefined);
  assert.equal(arrivalAt(NORTH, from(), NOW + 10 * 60_000, null).seconds, undefined);
});

test('within a hundred metres it is there', () => {
  const { isThere, seconds } = arrivalAt({ lat: 50.0005, lng: 8 }, from(), NOW, null);
  assert.deepEqual([isThere, seconds], [true, undefined]);
});

test('a route by road comes before the straight line, also for a device that stands', () => {
  const route = { distance: 15_000, duration: 1200 };
  assert.deepEqual(arrivalAt(NORTH, from({ speed: 0 }), NOW, route), {
    ...{ isThere: false, isByRoad: true, metres: 15_000, seconds: 1200 },
  });
  assert.equal(arrivalAt(NORTH, from(), NOW + 10 * 60_000, route).seconds, undefined, 'it has not reported recently');
});
