import assert from 'node:assert/strict';
import { test } from 'node:test';
import { courseAgrees } from './crossing.ts';

const M = 1 / 111_195;
const MINUTE = 60_000;
const from = (courseDeg?: number, speedKmh = 40) => ({ at: 0, place: { lat: 0, lng: 0 }, courseDeg, speedKmh });
/** A fix 500 m to the north. */
const to = (minutes: number, courseDeg?: number, speedKmh = 40) => ({
  at: minutes * MINUTE,
  place: { lat: 500 * M, lng: 0 },
  courseDeg,
  speedKmh,
});

test('both courses along the line speak for it, also across north', () => {
  assert.ok(courseAgrees(from(355), to(5, 8), 0.75));
});

test('a course across the line or against it speaks against it', () => {
  assert.ok(!courseAgrees(from(60), to(1, 0), 0.75));
  assert.ok(!courseAgrees(from(180), to(1, 0), 0.75));
});

test('at rest no course is known: the other one serves for a short way only', () => {
  assert.ok(courseAgrees(from(90, 0), to(1, 0), 0.75));
  assert.ok(!courseAgrees(from(90, 0), to(5, 0), 0.75));
  assert.ok(!courseAgrees(from(0, 0), to(1, 0, 0), 0.75));
});

test('what is nearly sure needs one course on a short way, and a device without any is not asked for them', () => {
  assert.ok(courseAgrees(from(60), to(1, 0), 0.96));
  assert.ok(!courseAgrees(from(60), to(5, 0), 0.96));
  assert.ok(!courseAgrees(from(60), to(1, 300), 0.96), 'it turned at a corner, and the line cuts it');
  assert.ok(courseAgrees(from(), to(9), 0.75));
});
