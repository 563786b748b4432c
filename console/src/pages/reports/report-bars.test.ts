import assert from 'node:assert/strict';
import { test } from 'node:test';
import { barsAtFirst, barsOf } from './report-bars.ts';

const row = (deviceId: number) => ({ deviceId, name: `Van ${deviceId}`, distance: deviceId }) as never;

test('few bars stand before a list of trips, all where they are the answer', () => {
  const rows = Array.from({ length: 20 }, (_, index) => row(index + 1));
  const barsIn = (kind: 'trips' | 'summary') => barsOf({ kind, rows } as never)!.bars;
  assert.equal(barsIn('trips')[0]!.label, 'Van 20');
  assert.equal(barsAtFirst('trips', barsIn('trips').length), 6);
  assert.equal(barsAtFirst('summary', barsIn('summary').length), 20);
  assert.equal(barsAtFirst('stops', 3), 3);
});
