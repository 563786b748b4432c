import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { getHeapSpaceStatistics } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { shrinkHeapOnceIdle } from './threads.ts';

const forNewObjects = () =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')!.physical_space_size;

test('a thread that has nothing to do gives back the memory for new objects', async () => {
  // Objects that live for a while make the engine enlarge the space of new ones.
  let kept: object[] = [];
  for (let i = 0; i < 3_000_000; i++) {
    kept.push({ i });
    if (kept.length === 300_000) kept = [];
  }
  kept = [];
  const before = forNewObjects();
  shrinkHeapOnceIdle();
  while (forNewObjects() > before / 2) await pause(50);
  assert.equal(runInNewContext('typeof gc'), 'undefined');
});
