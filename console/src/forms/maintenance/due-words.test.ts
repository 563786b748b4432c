import '../../texts/english.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { distance } from '../../format/quantities.ts';
import { AMERICAN, METRIC } from '../../units.ts';
import { dueInWords, isOverdue } from './due-words.ts';

const NOTHING = { dueInKm: null, dueInHours: null, dueInDays: null, dueOn: null };
const metric = (metres: number) => distance(metres, METRIC);

test('what is left until a task is due is said in the units of the viewer', () => {
  assert.equal(dueInWords({ ...NOTHING, dueInKm: 480.4 }, metric), 'in 480 km');
  assert.equal(
    dueInWords({ ...NOTHING, dueInKm: -160.9344 }, (m) => distance(m, AMERICAN)),
    '100 mi overdue',
  );
  const both = { ...NOTHING, dueInHours: 12.2, dueInDays: 0.4, dueOn: '2026-06-01T00:00:00.000Z' };
  assert.equal(dueInWords(both, metric), 'in 12 h, in 1 day');
  assert.equal(dueInWords({ ...both, dueInHours: null, dueInDays: -1.5 }, metric), '2 days overdue');
});

test('a task is overdue once anything that makes it due has passed', () => {
  assert.equal(isOverdue({ ...NOTHING, dueInKm: 480, dueInDays: -0.5 }), true);
  assert.equal(isOverdue({ ...NOTHING, dueInKm: 0, dueInHours: 3 }), false);
});
