import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drivingOf } from './driving.ts';

test('hours and score of a driver are those of all devices, the last drive is the one that ended last', () => {
  const drove = (driverId: number | null, deviceId: number, hour: number, distance = 30_000) => ({
    ...{ driverId, deviceId, name: `Van ${deviceId}`, duration: 1800, distance, harsh: 1, speeding: 60, idle: 120 },
    end: `2026-06-01T${String(hour).padStart(2, '0')}:00:00.000Z`,
  });
  const driving = drivingOf([drove(1, 7, 9, 70_000), drove(1, 8, 12), drove(null, 9, 13), drove(2, 9, 11)]);
  assert.deepEqual(driving.get(1), {
    // On 100 km: two harsh events, two minutes of speeding and four idle ones.
    ...{ seconds: 3600, score: 100 - 2 * 4 - 2 * 2 - 4 * 0.25 },
    ...{ lastEnd: '2026-06-01T12:00:00.000Z', lastDeviceId: 8, lastDeviceName: 'Van 8' },
  });
  assert.equal(driving.get(2)?.score, undefined, 'too little distance');
  assert.deepEqual([...driving.keys()], [1, 2]);
});
