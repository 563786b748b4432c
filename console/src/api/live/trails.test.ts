import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TRAIL_MS, Trails } from './trails.ts';

const NOW = 1_000_000_000_000;
const point = (second: number) => ({ x: second, y: 0, at: NOW + second * 1000 });
const secondsOf = (trails: Trails, id: number) => trails.of(id).map(({ x }) => x);
const nothing = async () => [];

test('a trail has a point for each step, and ends some minutes ago', () => {
  const trails = new Trails(nothing);
  for (let second = 0; second <= 3600; second++) trails.note(1, point(second));
  const seen = secondsOf(trails, 1);
  assert.equal(seen.at(-1), 3600);
  assert.ok(seen.length <= 32, `${seen.length} points`);
  assert.ok((3600 - seen[0]!) * 1000 <= TRAIL_MS);
});

test('what was before is asked for once, and put before what is known', async () => {
  const asked: (readonly number[])[] = [];
  const trails = new Trails(async (ids) => {
    asked.push(ids);
    return [-60, -30, 10].map((second) => ({ ...point(second), deviceId: 1 }));
  });
  trails.note(1, point(0));
  trails.note(1, point(25));
  const want = (...ids: number[]) => new Promise<void>((resolve) => trails.want(ids, resolve));
  await want(1, 2);
  assert.deepEqual(secondsOf(trails, 1), [-60, -30, 0, 25]);
  assert.deepEqual(secondsOf(trails, 2), []);
  await want(1, 2, 3);
  assert.deepEqual(asked, [[1, 2], [3]]);
});

test('a device that may not be seen any more leaves no trail, also not by an answer on its way', async () => {
  let answer = () => {};
  const trails = new Trails(
    (ids) =>
      new Promise((resolve) => {
        answer = () => resolve(ids.map((deviceId) => ({ ...point(0), deviceId })));
      }),
  );
  const read = new Promise<void>((resolve) => trails.want([1, 2], resolve));
  trails.forget(1);
  answer();
  await read;
  assert.deepEqual([trails.of(1).length, trails.of(2).length], [0, 1]);
});
