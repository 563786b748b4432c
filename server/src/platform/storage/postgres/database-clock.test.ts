import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DatabaseClock } from './database-clock.ts';

/** A machine whose monotonic clock says 0 when that of the database says `base`. */
function setting(base = 1_000_000_000) {
  const machine = { at: 0 };
  const database = { ahead: base, waysMs: [1, 1] };
  const clock = new DatabaseClock(
    async () => {
      machine.at += database.waysMs[0]!;
      const time = machine.at + database.ahead;
      machine.at += database.waysMs[1]!;
      return time;
    },
    () => machine.at,
  );
  const error = () => clock.now() - (machine.at + database.ahead);
  return { machine, database, clock, error };
}

test('it gives the time of the database between two questions', async () => {
  const { machine, clock, error } = setting();
  await clock.compare();
  machine.at += 60_000;
  assert.equal(error(), 0);
});

test('an answer that took long does not make it worse', async () => {
  const { database, clock, error } = setting();
  await clock.compare();
  database.waysMs = [10, 5000];
  await clock.compare();
  assert.equal(error(), 0);
});

test('it follows a clock that was set, even by an answer that took long', async () => {
  const { database, clock, error } = setting();
  await clock.compare();
  database.waysMs = [200, 200];
  database.ahead -= 3_600_000;
  await clock.compare();
  assert.equal(error(), 0);
});

test('a small correction never sets it back', async () => {
  const { machine, database, clock, error } = setting();
  await clock.compare();
  const before = clock.now();
  database.ahead -= 500;
  await clock.compare();
  assert.equal(clock.now(), before);
  machine.at += 1000;
  assert.equal(error(), 0);
});
