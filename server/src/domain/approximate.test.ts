import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isApproximate } from './fix.ts';

test('a fix is approximate by its kind, or beyond 500 m', () => {
  const cases: [string, number | null, boolean][] = [
    ['gps', null, false],
    ['gps', 500, false],
    ['wifi', 500.1, true],
    ['gsm', 10, true],
    ['invalid', null, true],
  ];
  for (const [locationType, accuracy, expected] of cases)
    assert.equal(isApproximate({ locationType, accuracy }), expected, `${locationType} ${accuracy}`);
});
