import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compass, distance, duration, latLng, speed, temperature } from './quantities.ts';

test('lengths of time in the words of people', () => {
  const said = [0, 59, 60, 3599, 3600, 3900, 86_400, 100_000].map(duration);
  assert.deepEqual(said, ['0 s', '59 s', '1 min', '1 h', '1 h', '1 h 05 min', '1 d', '1 d 3 h']);
});

test('distances, speeds and temperatures in both systems', () => {
  assert.deepEqual(
    [distance(8.4, 'metric'), distance(850, 'metric'), distance(1234, 'metric')],
    ['8.4 m', '850 m', '1.2 km'],
  );
  assert.deepEqual([distance(100, 'imperial'), distance(1609.344, 'imperial')], ['328 ft', '1 mi']);
  assert.deepEqual([speed(80.4672, 'metric'), speed(80.4672, 'imperial')], ['80 km/h', '50 mph']);
  assert.deepEqual([temperature(20, 'metric'), temperature(20, 'imperial')], ['20 °C', '68 °F']);
});

test('directions and places', () => {
  assert.deepEqual([0, 22, 23, 180, 359, -90].map(compass), ['N', 'N', 'NE', 'S', 'N', 'W']);
  assert.equal(latLng({ lat: 52.3740301, lng: -4.88969 }), '52.37403, -4.88969');
});
