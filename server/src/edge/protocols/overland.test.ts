import assert from 'node:assert/strict';
import { test } from 'node:test';
import { overland } from './overland.ts';
import { decodedBy, json, NOW, request } from './testing.ts';

const decoded = (parts: Parameters<typeof request>[0]) => decodedBy(overland, parts);
const feature = (properties: object, coordinates: unknown = [-122.030581, 37.3318]) => ({
  type: 'Feature',
  geometry: { type: 'Point', coordinates },
  properties: { timestamp: '2026-03-01T05:00:00-0700', ...properties },
});
const report = (...locations: unknown[]) => decoded(json({ locations })).report;

test('a batch as the app sends it', () => {
  const { identifier, key, report } = decoded({
    headers: { authorization: 'Bearer TOKEN' },
    ...json({
      locations: [
        feature({
          ...{
            altitude: 30,
            speed: 4,
            horizontal_accuracy: 30,
            vertical_accuracy: -1,
            motion: ['driving', 'stationary'],
          },
          ...{ pauses: false, activity: 'other_navigation', desired_accuracy: 100, deferred: 1000, course: 90 },
          ...{
            significant_change: 'disabled',
            locations_in_payload: 1,
            battery_state: 'charging',
            battery_level: 0.89,
          },
          ...{ device_id: 'iphone-7', wifi: 'home' },
        }),
      ],
      current: feature({}),
      trip: { distance: 10, mode: 'drive' },
    }),
  });
  assert.deepEqual([identifier, key], ['iphone-7', 'TOKEN']);
  assert.deepEqual(report, {
    points: [
      {
        timestamp: NOW,
        location: { lat: 37.3318, lng: -122.030581 },
        speedKmh: 14.4,
        courseDeg: 90,
        altitudeM: 30,
        accuracyM: 30,
        batteryPct: 89,
        averageCharge: 255,
      },
    ],
    readings: [{ timestamp: NOW, type: 'activity', value: 'driving, stationary' }],
    gatewayReadings: [{ timestamp: NOW, type: 'wifi_seen', value: { name: 'home' } }],
    messages: [],
  });
});

test('−1 is unknown, empty is nothing', () => {
  const properties = { speed: -1, course: -1, horizontal_accuracy: -1, battery_level: -1, battery_state: 'unknown' };
  const { points, readings, gatewayReadings } = report(feature({ ...properties, motion: [], wifi: '', device_id: '' }));
  assert.deepEqual(points, [{ timestamp: NOW, location: { lat: 37.3318, lng: -122.030581 } }]);
  assert.deepEqual([readings, gatewayReadings], [[], []]);
});

test('on and off the charger', () => {
  const charge = (battery_state: string) => report(feature({ battery_state })).points[0]?.averageCharge;
  assert.deepEqual(['charging', 'full', 'unplugged', 'unknown'].map(charge), [255, 255, 0, undefined]);
});

test('a third coordinate is the altitude where nothing else says so', () => {
  assert.equal(report(feature({}, [1, 2, 300])).points[0]?.altitudeM, 300);
});

test('a place or time that is missing or can not be right is passed on', () => {
  const nowhere = { lat: Number.NaN, lng: Number.NaN };
  assert.deepEqual(report(feature({}, null)).points[0]?.location, nowhere);
  assert.deepEqual(report({ ...feature({}), geometry: null }).points[0]?.location, nowhere);
  assert.deepEqual(report(feature({}, [500, 95])).points[0]?.location, { lat: 95, lng: 500 });
  assert.ok(!('timestamp' in report(feature({ timestamp: undefined })).points[0]!));
});

test('a thousand are taken, and what is no feature among them left out', () => {
  const { points } = report(...Array.from({ length: 1000 }, () => feature({})), 5, { properties: null });
  assert.equal(points.length, 1000);
});

test('nothing to take is ignored, no list is malformed', () => {
  assert.ok(decoded(json({ locations: [] })).ignored);
  assert.ok(decoded(json({ locations: [null] })).ignored);
  for (const body of ['', 'x', '{}', '[]', '{"locations":{}}']) {
    assert.ok('malformed' in overland.decode(request({ body })), body);
  }
});

test('the key in the query goes before the token', () => {
  const { key } = decoded({ query: 'key=K', headers: { authorization: 'Bearer T' }, ...json({ locations: [] }) });
  assert.equal(key, 'K');
});

test('the app forgets a batch only on exactly this answer', () => {
  const { status, contentType, body, commandSent } = overland.answer({ command: 'x' });
  assert.deepEqual(
    [status, contentType, body, commandSent],
    [200, 'application/json; charset=utf-8', '{"result":"ok"}', false],
  );
  assert.equal(overland.answer({ status: 401, problem: 'No' }).body, '{"error":"No"}');
});
