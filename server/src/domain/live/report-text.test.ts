import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOW } from '../../testing/people.ts';
import { decodeReport, encodeReport, type ReportedEvent } from './append-live-events.ts';

const device = { lastConnection: NOW, moving: true, batteryPct: 93.5, batteryVoltage: 3.91, currentMode: 0 };

/** As JSON has it: what is undefined is absent. */
const plain = (event: ReportedEvent) => JSON.parse(JSON.stringify(event));

test('a report is decoded as it was encoded, with its fields in the same order', () => {
  const events: ReportedEvent[] = [
    { points: [41, 42, 43], device },
    { points: [41], device: { ...device, moving: null } },
    { points: [41], device: { lastConnection: NOW, moving: false, batteryPct: undefined, currentMode: 2 } },
    { points: [], device: { lastConnection: NOW } },
    { points: [41, 43], device },
    { points: [43, 42], device },
    { points: [41], readings: [7], device },
    { points: [41], device: { ...device, lastConnection: NOW - 1 } },
    { points: [41] },
    { readings: [7] },
    { device: { moving: true } },
  ];
  for (const event of events)
    assert.equal(JSON.stringify(decodeReport(encodeReport(event, NOW), NOW)), JSON.stringify(plain(event)));
});

test('a usual report takes few bytes, however many points it has', () => {
  const points = Array.from({ length: 100 }, (_, index) => 1_000_000 + index);
  assert.equal(encodeReport({ points, device }, NOW), '1000000,100,3,93.5,3.91,0');
});

test('entries of an earlier version are read', () => {
  assert.deepEqual(decodeReport('{"points":[41],"device":{"moving":true}}', NOW), {
    points: [41],
    device: { moving: true },
  });
});
