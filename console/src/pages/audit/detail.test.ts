import '../../texts/english.ts';
import assert from 'node:assert/strict';
import test from 'node:test';
import { detailOf, isShortened } from './detail.ts';

test('changes are said in words, and what is inside of others too', () => {
  const line = (detail: Record<string, unknown>) => detailOf(detail, (id) => `Group ${id}`);
  assert.equal(
    line({ name: 'Too fast', fields: ['timeZone', 'quietHours'], groupId: 2, reason: null }),
    'name: Too fast · fields: time zone, quiet hours · group: Group 2',
  );
  const nested = { description: 'For the map', limits: { deviceIds: [1, 2], admin: false, until: null } };
  assert.equal(line(nested), 'description: For the map · limits: device ids 1, 2, admin no, until –');
  assert.equal(isShortened(nested), true);
  assert.equal(isShortened({ fields: ['name'] }), false);
  assert.equal(isShortened(null), false);
});
