import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choiceIn, devicesIn } from './choice.ts';

test('an address says what is reported, and what makes no sense is left out', () => {
  assert.deepEqual(choiceIn(new URLSearchParams('kind=speeding&period=month&limit=90&tag=team')), {
    kind: 'speeding',
    period: 'month',
    tag: 'team',
    limit: 90,
  });
  assert.deepEqual(choiceIn(new URLSearchParams('kind=x&period=y&device=a&limit=5')), {
    kind: 'summary',
    period: 'week',
  });
});

test('a speed limit is chosen for speeding and for the scores of drivers', () => {
  const limitOf = (kind: string) => choiceIn(new URLSearchParams(`kind=${kind}&limit=90`)).limit;
  assert.deepEqual(['speeding', 'drivers', 'trips'].map(limitOf), [90, 90, undefined]);
});

test('geofences are chosen for reports that can be of some alone', () => {
  const fencesOf = (kind: string) => choiceIn(new URLSearchParams(`kind=${kind}&fences=3,x,5`)).fenceIds;
  assert.deepEqual(['visits', 'speeding', 'trips'].map(fencesOf), [[3, 5], [3, 5], undefined]);
});

test('an address contains the first and the last day instead of a period', () => {
  const daysOf = (text: string) => choiceIn(new URLSearchParams(text)).days;
  assert.deepEqual(daysOf('from=2026-02-01&to=2026-02-14'), { from: '2026-02-01', to: '2026-02-14' });
  assert.equal(daysOf('from=2026-02-01'), undefined);
  assert.equal(daysOf('from=2026-13-01&to=x'), undefined);
});

test('devices are chosen in one way', () => {
  assert.deepEqual(devicesIn(choiceIn(new URLSearchParams('device=7&group=3&tag=x'))), { deviceIds: [7] });
  assert.deepEqual(devicesIn(choiceIn(new URLSearchParams('group=3'))), { groupId: 3 });
  assert.deepEqual(devicesIn(choiceIn(new URLSearchParams(''))), {});
});
