import assert from 'node:assert/strict';
import { test } from 'node:test';
import { areaOf } from './area.ts';
import { type Crossing, confirm, type FenceRule, judge, type Membership, type Standpoint } from './membership.ts';

const M = 1 / 111_195;
const MINUTE = 60_000;
const rule: FenceRule = {
  fenceId: 1,
  version: 1,
  shapedAt: 0,
  userId: 1,
  name: 'Yard',
  foreignId: null,
  group: null,
  area: areaOf({ center: { lat: 0, lng: 0 }, radius: 100 })!,
  enter: 0.7,
  exit: 0.3,
  enterAfterMs: 0,
  exitAfterMs: 0,
};

const stand = (minute: number, northM: number, more: Partial<Standpoint> = {}): Standpoint => {
  const place = { lat: northM * M, lng: 0 };
  const fix = { at: minute * MINUTE, pointId: minute, place, accuracyM: 10, alerts: 0 };
  return { fix, place, accuracyM: 10, stopped: false, startles: false, vague: false, decidedBefore: 0, ...more };
};

function told(standpoints: readonly Standpoint[]): string[] {
  let kept: Membership | undefined;
  const all: Crossing[] = [];
  for (const standpoint of standpoints) {
    const { membership, crossings } = judge(rule, kept, standpoint);
    kept = membership;
    all.push(...crossings);
  }
  return all.map(({ type, at, decidedAt }) => `${type} ${at / MINUTE} known ${decidedAt / MINUTE}`);
}

test('what is plain is told at once', () => {
  assert.deepEqual(told([stand(1, 300), stand(2, 0), stand(3, 300)]), ['entry 2 known 2', 'exit 3 known 3']);
});

test('what is barely so is told by the next that says the same, with the time of the first', () => {
  assert.deepEqual(told([stand(1, 300), stand(2, 93), stand(3, 50)]), ['entry 2 known 3']);
});

test('what is barely so is told by the clock where nothing more is heard', () => {
  const { membership } = judge(rule, undefined, stand(2, 93));
  assert.deepEqual(confirm(rule, membership!, 31 * MINUTE).crossings, []);
  const { crossings, membership: after } = confirm(rule, membership!, 32 * MINUTE);
  assert.deepEqual(
    crossings.map(({ type, at, decidedAt }) => [type, at / MINUTE, decidedAt / MINUTE]),
    [['entry', 2, 32]],
  );
  assert.deepEqual(after, { shapedAt: 0, inside: true, since: 2 * MINUTE });
});

test('one fix barely inside, along the edge, is nothing', () => {
  assert.deepEqual(told([stand(1, 300), stand(2, 93), stand(3, 120), stand(4, 93), stand(5, 100), stand(6, 300)]), []);
});

test('a place hard to believe is told only where the next fix bears it out', () => {
  const startling = stand(2, 0, { startles: true });
  assert.deepEqual(told([stand(1, 300), startling, stand(3, 2)]), ['entry 2 known 3']);
  assert.deepEqual(told([stand(1, 300), startling, stand(3, 300, { strayedBefore: true })]), []);
  assert.deepEqual(told([stand(1, 300), startling, stand(3, 300, { strayedBefore: false })]), [
    'entry 2 known 3',
    'exit 3 known 3',
  ]);
});

test('a fix too vague to say anything decides nothing', () => {
  assert.deepEqual(told([stand(1, 0), stand(2, 900, { vague: true }), stand(3, 0)]), ['entry 1 known 1']);
});
