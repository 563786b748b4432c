import assert from 'node:assert/strict';
import { test } from 'node:test';
import { areaOf } from './area.ts';
import { type Crossing, confirm, evaluate, type FencePosition, type FenceRule, type Membership } from './membership.ts';

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

const stand = (minute: number, northM: number, more: Partial<FencePosition> = {}): FencePosition => {
  const place = { lat: northM * M, lng: 0 };
  const fix = { at: minute * MINUTE, pointId: minute, place, accuracyM: 10, alerts: 0 };
  return { fix, place, accuracyM: 10, stopped: false, imprecise: false, decidedBefore: 0, ...more };
};

/** The same at a speed, with the path from the previous position. */
function drive(minute: number, northM: number, fromM: number, speedKmh = 40): FencePosition {
  const standpoint = stand(minute, northM);
  const before = { at: (minute - 1) * MINUTE, place: { lat: fromM * M, lng: 0 }, accuracyM: 10, pointId: minute - 1 };
  return { ...standpoint, fix: { ...standpoint.fix, speedKmh }, before };
}

/** A fix that arrives from 300 m north within a minute but reports a speed of 0. */
function leap(minute: number, northM: number): FencePosition {
  const sight = { accuracyM: 10, speedKmh: 0 };
  const from = { ...sight, at: (minute - 1) * MINUTE, place: { lat: 300 * M, lng: 0 } };
  const to = { ...sight, at: minute * MINUTE, place: { lat: northM * M, lng: 0 } };
  return stand(minute, northM, { jump: { from, to } });
}

function reported(standpoints: readonly FencePosition[], by = rule): string[] {
  let kept: Membership | undefined;
  const all: Crossing[] = [];
  for (const standpoint of standpoints) {
    const { membership, crossings } = evaluate(by, kept, standpoint);
    kept = membership;
    all.push(...crossings);
  }
  return all.map(({ type, at, decidedAt }) => `${type} ${at / MINUTE} known ${decidedAt / MINUTE}`);
}

test('a clear crossing is reported at once', () => {
  assert.deepEqual(reported([stand(1, 300), stand(2, 0), stand(3, 300)]), ['entry 2 known 2', 'exit 3 known 3']);
});

test('an uncertain crossing is reported by the next fix that confirms it, with the time of the first', () => {
  assert.deepEqual(reported([stand(1, 300), stand(2, 93), stand(3, 50)]), ['entry 2 known 3']);
});

test('an uncertain crossing is reported by the clock if no more fixes come', () => {
  const { membership } = evaluate(rule, undefined, stand(2, 93));
  assert.deepEqual(confirm(rule, membership!, 61 * MINUTE).crossings, []);
  const { crossings, membership: after } = confirm(rule, membership!, 62 * MINUTE);
  assert.deepEqual(
    crossings.map(({ type, at, decidedAt }) => [type, at / MINUTE, decidedAt / MINUTE]),
    [['entry', 2, 62]],
  );
  assert.deepEqual(after, { shapedAt: 0, inside: true, since: 2 * MINUTE });
});

test('a moving device that is deeper inside than a street is wide is reported at once, unless the fix knows nothing of streets', () => {
  const wide = { accuracyM: 20 };
  assert.deepEqual(reported([stand(1, 300), { ...drive(2, 88, 300), ...wide }, stand(3, 300)]), [
    'entry 2 known 2',
    'exit 3 known 3',
  ]);
  assert.deepEqual(reported([stand(1, 300), { ...drive(2, 88, 300, 0), ...wide }, stand(3, 300)]), []);
  const yard = { ...rule, area: areaOf({ center: { lat: 0, lng: 0 }, radius: 1000 })! };
  const [cell, farther] = [drive(2, 800, 3000), stand(3, 3000)];
  assert.deepEqual(reported([stand(1, 3000), { ...cell, accuracyM: 300 }, farther], yard), []);
});

test('barely inside, and on by a way that leads through the fence, was an entry and an exit', () => {
  assert.deepEqual(reported([drive(1, 300, 600), drive(2, 93, 300), drive(3, -300, 93)]), [
    'entry 2 known 3',
    'exit 3 known 3',
  ]);
  assert.deepEqual(reported([drive(1, 300, 600), drive(2, 93, 300), drive(3, 300, 93)]), []);
});

test('a doubtful fix that begins a dwell is confirmed by a fix after it, not by its end alone', () => {
  const slow = { ...rule, enterAfterMs: 5 * MINUTE };
  assert.deepEqual(reported([stand(1, 300), stand(2, 93), stand(4, 50)], slow), []);
  assert.deepEqual(reported([stand(1, 300), stand(2, 93), stand(4, 50), stand(8, 50)], slow), ['entry 2 known 8']);
  const { membership } = evaluate(slow, undefined, stand(2, 93));
  assert.deepEqual(confirm(slow, membership!, 8 * MINUTE).crossings, []);
});

test('one fix barely inside, along the edge, is nothing', () => {
  assert.deepEqual(
    reported([stand(1, 300), stand(2, 93), stand(3, 120), stand(4, 93), stand(5, 100), stand(6, 300)]),
    [],
  );
});

test('an implausible place is reported only if the next fix confirms it', () => {
  assert.deepEqual(reported([stand(1, 300), leap(2, 0), stand(3, 2)]), ['entry 2 known 3']);
  assert.deepEqual(reported([stand(1, 300), leap(2, 0), stand(3, 300)]), []);
  assert.deepEqual(reported([stand(1, 300), leap(2, 0), stand(3, -300)]), ['entry 2 known 3', 'exit 3 known 3']);
});

test('a place hard to believe stays so over fixes that decide nothing', () => {
  const vague = stand(3, 300, { imprecise: true });
  assert.deepEqual(reported([stand(1, 300), leap(2, 0), vague, stand(4, 100), stand(5, 300)]), []);
});

test('a fix that is too imprecise decides nothing', () => {
  assert.deepEqual(reported([stand(1, 0), stand(2, 900, { imprecise: true }), stand(3, 0)]), ['entry 1 known 1']);
});
