import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byUrgency, dueOf, type Interval, lookAgainAt, monthsAfter, remainingUntilDue } from './maintenance-due.ts';

const NOW = Date.parse('2026-06-01T12:00:00.000Z');
const HOUR = 3_600_000;
const DAY = 86_400_000;
const NOTHING: Interval = {
  everyKm: null,
  everyHours: null,
  hoursOf: 'driving',
  dueOn: null,
  remindKm: null,
  remindHours: null,
  remindDays: null,
  since: NOW - 10 * DAY,
};
const gone = (km: number, hours = 0, engine: number | null = null) => ({
  distanceM: km * 1000,
  drivingMs: hours * HOUR,
  engineMs: engine === null ? null : engine * HOUR,
});
const statusOf = (task: Partial<Interval>, done = gone(0)) => dueOf({ ...NOTHING, ...task }, done, NOW).status;

test('a task is due by the first of distance, hours and date', () => {
  const both = { everyKm: 1000, dueOn: NOW + DAY };
  assert.equal(statusOf(both, gone(999)), 'ok');
  assert.equal(statusOf(both, gone(1000)), 'due');
  assert.equal(statusOf({ ...both, dueOn: NOW }, gone(0)), 'due');
  assert.equal(statusOf({ everyHours: 10 }, gone(0, 10)), 'due');
  assert.equal(statusOf({}), 'done');
});

test('engine hours count where the ignition is known, and nothing where it is not', () => {
  const task = { everyHours: 10, hoursOf: 'engine' } as const;
  assert.equal(statusOf(task, gone(0, 50, 9)), 'ok');
  assert.equal(statusOf(task, gone(0, 50, 10)), 'due');
  assert.equal(statusOf(task, gone(0, 50)), 'ok');
  assert.equal(dueOf({ ...NOTHING, ...task }, gone(0, 50), NOW).dueInHours, null);
});

test('it is due soon within what was set, and says what is left of that', () => {
  const task = { ...NOTHING, everyKm: 1000, remindKm: 100, dueOn: NOW + 30 * DAY, remindDays: 7 };
  const at = (km: number, now = NOW) => {
    const due = dueOf(task, gone(km), now);
    return [due.status, remainingUntilDue(due, task)];
  };
  assert.deepEqual(at(899), ['ok', {}]);
  assert.deepEqual(at(900), ['soon', { restKm: 100 }]);
  assert.deepEqual(at(0, NOW + 24 * DAY), ['soon', { restS: 6 * 86_400 }]);
  assert.deepEqual(at(1010), ['due', { restKm: -10 }]);
});

test('the most urgent comes first', () => {
  const due = (task: Partial<Interval>, km: number) => dueOf({ ...NOTHING, ...task }, gone(km), NOW);
  const [late, soon, half, little] = [
    due({ everyKm: 10 }, 12),
    due({ everyKm: 10, remindKm: 2 }, 9),
    due({ everyKm: 10 }, 5),
    due({ everyKm: 10 }, 1),
  ];
  assert.deepEqual([half, soon, little, late].sort(byUrgency), [late, soon, half, little]);
});

test('it is looked at again when it can have come nearer, and within an hour for what comes late', () => {
  const again = (task: Partial<Interval>, km = 0) =>
    lookAgainAt(dueOf({ ...NOTHING, ...task }, gone(km), NOW), { ...NOTHING, ...task }, NOW) - NOW;
  assert.equal(again({ everyKm: 10_000 }), HOUR);
  assert.equal(again({ everyKm: 75 }), HOUR / 2);
  assert.equal(again({ everyKm: 75, remindKm: 60 }), HOUR / 10);
  assert.equal(again({ everyKm: 1 }), 5 * 60_000);
  assert.equal(again({ everyKm: 1 }, 2), HOUR);
});

test('months end where they end', () => {
  const after = (date: string, months: number) => new Date(monthsAfter(Date.parse(date), months)).toISOString();
  assert.equal(after('2026-01-31T10:00:00Z', 1), '2026-02-28T10:00:00.000Z');
  assert.equal(after('2027-11-30T10:00:00Z', 3), '2028-02-29T10:00:00.000Z');
  assert.equal(after('2026-06-15T00:00:00Z', 12), '2027-06-15T00:00:00.000Z');
});
