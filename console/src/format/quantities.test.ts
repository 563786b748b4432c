import '../texts/english.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AMERICAN, BRITISH, METRIC } from '../units.ts';
import { altitude, compass, distance, duration, fewDigits, latLng, speed, temperature } from './quantities.ts';

test('lengths of time in the words of people', () => {
  const said = [0, 59, 60, 3599, 3600, 3900, 86_400, 100_000].map(duration);
  assert.deepEqual(said, ['0 s', '59 s', '1 min', '1 h', '1 h', '1 h 05 min', '1 d', '1 d 3 h']);
});

test('distances, speeds and temperatures in the units of the viewer', () => {
  assert.deepEqual(
    [distance(8.4, METRIC), distance(850, METRIC), distance(1234, METRIC)],
    ['8.4 m', '850 m', '1.2 km'],
  );
  assert.deepEqual([distance(100, AMERICAN), distance(1609.344, AMERICAN)], ['328 ft', '1 mi']);
  assert.deepEqual([speed(80.4672, METRIC), speed(80.4672, AMERICAN)], ['80 km/h', '50 mph']);
  assert.deepEqual([temperature(20, METRIC), temperature(20, AMERICAN)], ['20 °C', '68 °F']);
});

test('Britain has miles, metres and °C', () => {
  assert.deepEqual([distance(100, BRITISH), distance(1609.344, BRITISH)], ['100 m', '1 mi']);
  assert.equal(distance(0, BRITISH), '0 mi');
  assert.deepEqual([speed(80.4672, BRITISH), temperature(20, BRITISH)], ['50 mph', '20 °C']);
  assert.equal(altitude(120, BRITISH), '120 m');
});

test('directions and places', () => {
  assert.deepEqual([0, 22, 23, 180, 359, -90].map(compass), ['N', 'N', 'NE', 'S', 'N', 'W']);
  assert.equal(latLng({ lat: 52.3740301, lng: -4.88969 }), '52.37403, -4.88969');
});

test('numbers of sensors have one digit behind the point, small ones two digits', () => {
  assert.deepEqual([21.456, 1013.25, 0, 0.0374, -0.00001, -4.04].map(fewDigits), [
    '21.5',
    '1,013.3',
    '0',
    '0.037',
    '0',
    '-4',
  ]);
});
