import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Meter } from './meter.ts';

test('requests are counted by operation and status, in buckets that add up', () => {
  const meter = new Meter();
  for (const seconds of [0.0005, 0.003, 0.003, 60]) meter.note('getDevice', 200, seconds);
  meter.note('getDevice', 404, 0.01);
  const lines = meter.text().split('\n');
  const value = (start: string) =>
    Number(
      lines
        .find((line) => line.startsWith(start))
        ?.split(' ')
        .at(-1),
    );
  const of = (le: string, status: number) =>
    value(`trackway_http_request_duration_seconds_bucket{le="${le}",operation="getDevice",status="${status}"}`);
  assert.deepEqual([of('0.001', 200), of('0.005', 200), of('10', 200), of('+Inf', 200)], [1, 3, 3, 4]);
  assert.equal(of('0.02', 404), 1);
  assert.equal(value('trackway_http_request_duration_seconds_count{operation="getDevice",status="200"}'), 4);
});
