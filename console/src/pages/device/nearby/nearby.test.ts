import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Nearby } from '../../../api/readings.ts';
import { thingsOf } from './nearby.ts';

const reading = (timestamp: number, value: unknown, rssi: number | null = null) => ({ timestamp, value, rssi });
const nearby = (device: object, readings: object) => ({ device, readings }) as Nearby;

test('each device once, the last received first, with its newest signal, distance and readings', () => {
  const things = thingsOf([
    nearby({ id: 0, name: null, sensorDeviceId: 'aa:bb' }, { temp: reading(5, 20, -70) }),
    nearby(
      { id: 7, name: 'Tag 7', sensorDeviceId: null },
      { uwb_seen: reading(9, 240), ble_seen: reading(8, 1, -52), humidity: reading(3, 40, -90) },
    ),
  ]);
  assert.deepEqual(things, [
    {
      key: 'device 7',
      deviceId: 7,
      name: 'Tag 7',
      at: 9,
      rssi: -52,
      distanceM: 2.4,
      readings: [{ type: 'humidity', value: 40, at: 3 }],
    },
    {
      key: 'sensor aa:bb',
      deviceId: null,
      name: 'aa:bb',
      at: 5,
      rssi: -70,
      distanceM: null,
      readings: [{ type: 'temp', value: 20, at: 5 }],
    },
  ]);
});
