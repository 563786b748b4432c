import assert from 'node:assert/strict';
import test from 'node:test';
import { Mutex } from './locks.ts';

test('it lets one in at a time, in the order of arrival', async () => {
  const mutex = new Mutex(60_000, 'too long');
  const log: string[] = [];
  const visit = async (name: string) => {
    await mutex.lock();
    log.push(`${name} in`);
    await new Promise(setImmediate);
    log.push(`${name} out`);
    mutex.unlock();
  };
  await Promise.all(['a', 'b', 'c'].map(visit));
  assert.deepEqual(log, ['a in', 'a out', 'b in', 'b out', 'c in', 'c out']);
});

test('a newcomer does not pass one that waits', async () => {
  const mutex = new Mutex(60_000, 'too long');
  await mutex.lock();
  const waiting = mutex.lock();
  mutex.unlock();
  // The waiting caller holds the lock by now, although it has not run yet.
  assert.notEqual(mutex.lock(), undefined);
  await waiting;
  mutex.unlock();
  mutex.unlock();
});

test('waiting ends with an error, and the place in the queue is given up', async () => {
  const mutex = new Mutex(1, 'too long');
  await mutex.lock();
  await assert.rejects(mutex.lock()!, /too long/);
  mutex.unlock();
  assert.equal(mutex.lock(), undefined);
});
