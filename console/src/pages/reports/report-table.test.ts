import '../../texts/english.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { speed } from '../../format/quantities.ts';
import { AMERICAN } from '../../units.ts';
import { speedDigits } from './report-table.ts';

test('a speed and its limit differ as they are shown', () => {
  const shown = (row: { maxSpeed: number; limit: number }) => {
    const digits = speedDigits(row, (kmh) => speed(kmh, AMERICAN));
    return [speed(row.maxSpeed, AMERICAN, digits), speed(row.limit, AMERICAN, digits)];
  };
  assert.deepEqual(shown({ maxSpeed: 76, limit: 75 }), ['47.2 mph', '46.6 mph']);
  assert.deepEqual(shown({ maxSpeed: 90, limit: 75 }), ['56 mph', '47 mph']);
});
