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

test('distance and time are those of a straight line at the present speed', () => {
  const { metres, seconds, isThere } = arrivalAt(NORTH, from(), NOW);
  assert.equal(Math.round(metres), 11_120);
  assert.equal(Math.round(seconds! / 60), 11);
  assert.equal(isThere, false);
});

test('what stands, has no speed or was not heard lately has no time of arrival', () => {
  assert.equal(arrivalAt(NORTH, from({ speed: 2 }), NOW).seconds, undefined);
  assert.equal(arrivalAt(NORTH, from({ speed: null }), NOW).seconds, undefined);
  assert.equal(arrivalAt(NORTH, from(), NOW + 10 * 60_000).seconds, undefined);
});

test('within a hundred metres it is there', () => {
  const { isThere, seconds } = arrivalAt({ lat: 50.0005, lng: 8 }, from(), NOW);
  assert.deepEqual([isThere, seconds], [true, undefined]);
});
