import assert from 'node:assert/strict';
import test from 'node:test';
import { filterOf, PAGE, wantedOf } from './delivery-filter.ts';

const NOW = Date.UTC(2026, 10, 15, 12);

test('what was given up in the last 30 days is shown where the address asks for nothing', () => {
  const wanted = wantedOf(new URLSearchParams());
  assert.deepEqual(filterOf(wanted, NOW), {
    where: { created: { gte: '2026-10-16T12:00:00.000Z' }, status: 'dead' },
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
  assert.deepEqual(wanted, { status: 'dead', period: 'month', destination: undefined, page: 0 });
});
