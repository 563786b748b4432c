import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { accept } from './accept.ts';
import { deviceConfig } from './resources/device-config.ts';
import { gatewayReading } from './resources/gateway-reading.ts';
import { geofence } from './resources/geofence.ts';
import { link } from './resources/link.ts';
import { notificationTrigger } from './resources/notification-trigger.ts';
import { plan } from './resources/plan.ts';
import { point } from './resources/point.ts';

const codes = ({ violations }: ReturnType<typeof accept>) =>
  Object.fromEntries(violations.map(({ field, code }) => [field, code]));

test('a new resource gets its defaults, and missing required fields are reported', () => {
  const taken = accept(notificationTrigger, 'create', {});
  assert.deepEqual(codes(taken), { type: 'presence' });
  assert.deepEqual(taken.values, {
    parameters: {},
    muteFor: 0,
    delivery: { push: true, email: false },
    severity: 'info',
    paused: false,
    escalateAfter: 0,
  });
});

test('an update keeps only the fields sent; null clears a field unless it is never null', () => {
  assert.deepEqual(accept(geofence, 'update', {}).values, {});
  assert.deepEqual(accept(geofence, 'update', { name: null, center: null }).values, { name: null, center: null });
  assert.deepEqual(codes(accept(gatewayReading, 'update', { type: null, value: null, rssi: null })), {
    type: 'presence',
    value: 'presence',
  });
});

test('unknown and read-only fields are ignored', () => {
  const body = JSON.parse('{"name":"x","id":7,"userId":3,"wasInside":true,"nonsense":1,"__proto__":{"admin":true}}');
  assert.deepEqual(accept(geofence, 'create', body), { values: { name: 'x' }, violations: [] });
});

test('safe coercions are made, unsafe ones are rejected', () => {
  const { values, violations } = accept(gatewayReading, 'create', {
    type: 5,
    value: 'x',
    rssi: '-12.5',
    deviceId: '10.0',
    timestamp: 1e11,
  });
  assert.deepEqual(violations, []);
  assert.deepEqual(values, { type: '5', value: 'x', rssi: -12.5, deviceId: 10, timestamp: '1973-03-03T09:46:40.000Z' });
  const wrong = accept(gatewayReading, 'create', {
    type: {},
    value: 1,
    rssi: 'abc',
    deviceId: 1.5,
    timestamp: 'soon',
    meta: [1],
  });
  assert.deepEqual(codes(wrong), { type: 'type', rssi: 'type', deviceId: 'integer', timestamp: 'date', meta: 'type' });
});

test('a boolean is accepted as true, false, 1 or 0 in any case', () => {
  for (const yes of [true, 'true', 'True', 1, '1'])
    assert.equal(accept(deviceConfig, 'update', { forceFw: yes }).values.forceFw, true);
  for (const no of [false, 'false', 'FALSE', 0, '0'])
    assert.equal(accept(deviceConfig, 'update', { forceFw: no }).values.forceFw, false);
  assert.deepEqual(codes(accept(deviceConfig, 'update', { forceFw: 'yes' })), { forceFw: 'type' });
});

test('a value out of range is reported with its field', () => {
  assert.deepEqual(codes(accept(deviceConfig, 'update', { packing: 256, interval: 0, gpsTimeout: 255 })), {
    packing: 'range',
    interval: 'range',
  });
  assert.deepEqual(
    codes(
      accept(geofence, 'create', {
        outline: [
          { lat: 1, lng: 1 },
          { lat: 2, lng: 2 },
        ],
      }),
    ),
    { outline: 'length' },
  );
  assert.deepEqual(codes(accept(geofence, 'create', { center: { lat: 95, lng: 0 }, radius: -1 })), {
    center: 'range',
    radius: 'range',
  });
});

test('the message names the invalid entry of an array', () => {
  const { violations } = accept(geofence, 'create', {
    outline: [
      { lat: 1, lng: 1 },
      { lat: 2, lng: 2 },
      { lat: 'north', lng: 2 },
    ],
  });
  assert.equal(violations[0]?.message, 'entry 3: lat is not a number');
});

test('objects and locations may be sent as text, as forms do', () => {
  const { values } = accept(geofence, 'create', { meta: '{"a":1}', center: '51.5, -0.1' });
  assert.deepEqual(values, { meta: { a: 1 }, center: { lat: 51.5, lng: -0.1 } });
  assert.deepEqual(accept(geofence, 'create', { center: '{"lat":1,"lng":2}' }).values, { center: { lat: 1, lng: 2 } });
});

test('any input is accepted or rejected, and never throws', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...Object.keys(deviceConfig.fields)), fc.jsonValue()), (body) => {
      const { values, violations } = accept(deviceConfig, 'update', body);
      for (const { field } of violations) assert.ok(!(field in values));
    }),
  );
});

test('prices are inside prices as deep as they may be, and kept to the last level', () => {
  const nested = (taxes: number): object => ({ eur: [[1, taxes]], ...(taxes > 0 && { tax: nested(taxes - 1) }) });
  for (const taxes of [0, 1, 3, 5]) {
    const { values, violations } = accept(plan, 'create', { name: 'x', prices: nested(taxes) });
    assert.deepEqual([values.prices, violations], [nested(taxes), []]);
  }
  assert.deepEqual(codes(accept(plan, 'create', { name: 'x', prices: nested(6) })), { prices: 'depth' });
  const wrong = { tax: { tax: { tax: { usd: 'free' } } } };
  assert.deepEqual(codes(accept(plan, 'update', { prices: wrong })), { prices: 'type' });
});

test('a number that devices send for an unknown value is no value', () => {
  assert.deepEqual(accept(point, 'create', { hdop: -1 }), { values: { hdop: null }, violations: [] });
  assert.deepEqual(codes(accept(point, 'create', { hdop: -2 })), { hdop: 'range' });
});

test('each entry of a list looks as its schema says', () => {
  const taken = (origin: string) => accept(link, 'create', { origins: [origin] });
  assert.deepEqual(taken('https://a.example:8443').violations, []);
  for (const wrong of ['https://a.example;script-src *', 'https://a;b', 'javascript:1', 'https://a.example/x'])
    assert.deepEqual(codes(taken(wrong)), { origins: 'format' }, wrong);
});
