import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOW } from '../../../../testing/people.ts';
import { handBack, handOver, receiptFrom, takeOver } from './handed-report.ts';
import { type NormalizedReport, normalizeReport } from './normalized-report.ts';

const nothing = { points: [], readings: [], gatewayReadings: [], messages: [] };
const points = [{ timestamp: NOW - 1000, locationType: 'gps' as const, batteryPct: 90 }];
const normal = (more: object): NormalizedReport =>
  normalizeReport(7, { ...nothing, points, ...more }, { now: NOW, keyHash: 'key' });

test('a report is the same after it was handed over, whatever it brings', () => {
  const reports = [
    normal({}),
    normalizeReport(8, { ...nothing, points }, { now: NOW }),
    normal({ points: [] }),
    normal({ isReleased: true }),
    normal({ isImported: true }),
    normal({ readings: [{ timestamp: NOW, type: 'temperature', value: 4 }] }),
    normal({ gatewayReadings: [{ timestamp: NOW, type: 'beacon', value: 1, sensorDeviceId: 'a' }] }),
    normal({ messages: [{ message: 'hello' }] }),
    normal({ unreadable: [{ item: 'x', reason: 'no point' }] }),
    normal({ points: [{ ...points[0]!, isTimeAssumed: true }] }),
  ];
  for (const report of reports) assert.deepEqual(takeOver(structuredClone(handOver(report))), report);
});

test('a report that is tried again has no receipt', () => {
  const before = normal({ messages: [{ message: 'hello' }] });
  before.receipt = { accepted: 1, duplicates: 0, hasPending: false };
  assert.equal(takeOver(handOver(before)).receipt, undefined);
});

test('a receipt is the same after it was handed back', () => {
  const counted = { accepted: 2, duplicates: 1, hasPending: true };
  for (const receipt of [counted, { ...counted, expired: 3 }, 'inactive' as const, undefined])
    assert.deepEqual(receiptFrom(structuredClone(handBack(receipt))), receipt);
});
