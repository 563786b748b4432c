import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filterOf, filtersInUse, NEEDS_ACTION, PAGE_ROWS, queryOf, searchOf } from './filter.ts';

const TODAY = new Date(2026, 10, 15).getTime();
const filter = (search: string) => filterOf(new URLSearchParams(search));

test('an address without filters asks for everything, newest first, and one row more than a page', () => {
  assert.deepEqual(queryOf(filter(''), TODAY), {
    where: {},
    order: ['timestamp DESC', 'id DESC'],
    limit: PAGE_ROWS + 1,
    skip: 0,
  });
  assert.equal(filtersInUse(filter('page=3')), 0);
});

test('each filter of the address narrows', () => {
  const { where, skip } = queryOf(filter('device=7&trigger=9&type=speed&status=retracted&period=today&page=2'), TODAY);
  assert.deepEqual(where, {
    deviceId: 7,
    triggerId: 9,
    'params.type': 'speed',
    status: 'retracted',
    timestamp: { gte: new Date(TODAY).toISOString() },
  });
  assert.equal(skip, 2 * PAGE_ROWS);
});

test('a view of the inbox is narrowed further by filters', () => {
  assert.deepEqual(queryOf(filter('view=action'), TODAY).where, NEEDS_ACTION);
  assert.deepEqual(queryOf(filter('view=unread&severity=info&acknowledged=open'), TODAY).where, {
    and: [
      { unread: true, status: 'valid' },
      { severity: 'info', dismissedOn: null },
    ],
  });
  assert.equal(filtersInUse(filter('view=unread&severity=info&acknowledged=open')), 2);
});

test('days of a period are whole days of the viewer', () => {
  const { where } = queryOf(filter('period=custom&from=2026-11-10&to=2026-11-12'), TODAY);
  assert.deepEqual(where, {
    timestamp: { gte: new Date(2026, 10, 10).toISOString(), lt: new Date(2026, 10, 13).toISOString() },
  });
});

test('what makes no sense in an address is ignored', () => {
  const odd = filter('device=x&period=never&status=%3Cscript%3E&from=yesterday&page=-1');
  assert.deepEqual([odd.deviceId, odd.period, odd.status, odd.from, odd.page], [undefined, 'all', 'all', '', 0]);
});

test('another filter leads back to the first page, an empty one is taken out', () => {
  const now = new URLSearchParams('device=7&page=4');
  assert.equal(searchOf(now, { status: 'retracted' }).toString(), 'device=7&status=retracted');
  assert.equal(searchOf(now, { device: '' }).toString(), '');
});
