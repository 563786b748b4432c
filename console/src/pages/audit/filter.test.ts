import assert from 'node:assert/strict';
import test from 'node:test';
import { askedBy, filterIn, filtersInUse } from './filter.ts';

test('the address says what is shown, and what makes no sense is left out', () => {
  const filter = filterIn(new URLSearchParams('action=share.created&user=7&device=x&from=2026-06-01&to=soon&page=2'));
  assert.deepEqual(filter, {
    action: 'share.created',
    userId: 7,
    deviceId: undefined,
    from: '2026-06-01',
    to: '',
    page: 2,
  });
  assert.equal(filtersInUse(filter), 3);
  assert.equal(filtersInUse(filterIn(new URLSearchParams('action=toString&page=-3'))), 0);
});

test('a user is asked for as the one who acts and as the one it concerns', () => {
  const asked = askedBy(filterIn(new URLSearchParams('user=7&to=2026-06-01&page=1')));
  assert.deepEqual(asked, {
    where: {
      and: [{ or: [{ userId: 7 }, { actorId: 7 }] }, { at: { lt: new Date(2026, 5, 2).toISOString() } }],
    },
    order: 'id DESC',
    limit: 51,
    skip: 50,
  });
  assert.equal(askedBy(filterIn(new URLSearchParams())).where, undefined);
});
