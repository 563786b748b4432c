import assert from 'node:assert/strict';
import test from 'node:test';
import { filterOf, openFilterOf, PAGE, wantedOf } from './delivery-filter.ts';

const NOW = Date.UTC(2026, 10, 15, 12);

test('all of the last 30 days is shown where the address asks for nothing, what did not arrive first', () => {
  const wanted = wantedOf(new URLSearchParams());
  assert.equal(wanted.status, 'all');
  assert.deepEqual(openFilterOf(wanted, NOW), {
    where: { created: { gte: '2026-10-16T12:00:00.000Z' }, status: { inq: ['dead', 'queued', 'sending'] } },
    order: ['status ASC', 'id DESC'],
    limit: PAGE + 1,
  });
  assert.deepEqual(filterOf(wanted, NOW), {
    where: { created: { gte: '2026-10-16T12:00:00.000Z' }, status: { nin: ['dead', 'queued', 'sending'] } },
    order: 'id DESC',
    limit: PAGE + 1,
    skip: 0,
  });
});

test('what waits includes what is on its way; pages and destinations are asked for', () => {
  const wanted = wantedOf(new URLSearchParams('status=queued&period=hour&destination=7&page=2'));
  assert.deepEqual(filterOf(wanted, NOW), {
    where: {
      created: { gte: '2026-11-15T11:00:00.000Z' },
      status: { inq: ['queued', 'sending'] },
      destinationId: 7,
    },
    order: 'id DESC',
    limit: PAGE + 1,
    skip: 2 * PAGE,
  });
});

test('nonsense in the address is passed over', () => {
  const wanted = wantedOf(new URLSearchParams('status=toString&period=constructor&destination=x&page=-3'));
  assert.deepEqual(wanted, { status: 'all', period: 'month', destination: undefined, page: 0 });
});
