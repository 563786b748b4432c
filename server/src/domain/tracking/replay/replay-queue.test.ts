import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../../testing/eventually.ts';
import { ReplayQueue } from './replay-queue.ts';

/** Device 1 has always sent more when it was evaluated, and asks for its next turn while it has one. */
function withAFlood(evaluate: (deviceId: number) => Promise<void>) {
  const turns: number[] = [];
  const replays = new ReplayQueue(async (deviceId) => {
    turns.push(deviceId);
    await evaluate(deviceId);
    if (deviceId === 1) replays.add(1);
    return deviceId !== 1;
  });
  return { replays, turns };
}

test('a device that never pauses leaves most of the time to others', async () => {
  const turns: { readonly from: number; readonly until: number }[] = [];
  const { replays } = withAFlood(async () => {
    const from = performance.now();
    await pause(20);
    turns.push({ from, until: performance.now() });
  });
  replays.add(1);
  await eventually('it has had its turns', () => turns.length >= 4);
  await replays.stop();
  for (const [index, { from, until }] of turns.entries()) {
    const next = turns[index + 1];
    // The queue's own clock starts and stops a little outside of ours, and timers round to a millisecond.
    if (next) assert.ok(next.from - until >= 3 * (until - from), 'it had to wait for several times as long as it took');
  }
});

test('each device has its turn in the order of adding, regardless of the others', async () => {
  const { replays, turns } = withAFlood(() => pause(0));
  const others = Array.from({ length: 50 }, (_, index) => index + 2);
  replays.add(1);
  for (const other of others) replays.add(other);
  await replays.turnOf(51);
  await replays.stop();
  assert.deepEqual(
    turns.filter((deviceId) => deviceId !== 1),
    others,
  );
});

test('one that is added while it is evaluated is evaluated once more', async () => {
  let turns = 0;
  const replays = new ReplayQueue(async () => {
    if (++turns === 1) replays.add(7);
    return true;
  });
  replays.add(7);
  await replays.idle();
  assert.equal(turns, 2);
});

test('a caller that waits for a turn that does not come any more is released', async () => {
  const { replays } = withAFlood(() => pause(10));
  replays.add(2);
  replays.add(3);
  const waiting = replays.turnOf(3);
  await replays.stop();
  await waiting;
});
