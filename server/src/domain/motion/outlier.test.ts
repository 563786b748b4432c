import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isImprecise, isOutlier, isUnexplainedJump, type Observation } from './outlier.ts';

const M = 1 / 111_195;
const seen = (second: number, northM: number, more: Partial<Observation> = {}): Observation => ({
  at: second * 1000,
  place: { lat: northM * M, lng: 0 },
  accuracyM: 5,
  speedKmh: 0,
  ...more,
});

test('a place startles that the speeds do not explain; without speeds none does', () => {
  assert.ok(isUnexplainedJump(seen(0, 0), seen(60, 300)));
  assert.ok(!isUnexplainedJump(seen(0, 0), seen(60, 300, { speedKmh: 40 })));
  assert.ok(!isUnexplainedJump(seen(0, 0), seen(60, 30)), 'a few metres are the noise of a receiver');
  assert.ok(!isUnexplainedJump(seen(0, 0, { speedKmh: undefined }), seen(60, 3000)));
});

test('who stands again where it stood was never away', () => {
  assert.ok(isOutlier(seen(0, 0), seen(60, 300), seen(120, 4)));
});

test('from one traffic light to the next and on is a way', () => {
  assert.ok(!isOutlier(seen(0, 0), seen(60, 400), seen(120, 800, { speedKmh: 40 })));
});

test('who sets off from where it stood was not away just before', () => {
  assert.ok(isOutlier(seen(0, 0), seen(60, 1200), seen(120, 20, { speedKmh: 6 })));
});

test('two steps out of the way that no speed explains make an outlier, over a short time', () => {
  const [before, off, after] = [seen(0, 0, { speedKmh: 5 }), seen(30, 350), seen(60, 80, { speedKmh: 5 })];
  assert.ok(isOutlier(before, off, after));
  assert.ok(!isOutlier(before, off, { ...after, speedKmh: 40 }), 'it drove on from there');
  const [sparse, later] = [seen(300, 1500), seen(600, 600, { speedKmh: 8 })];
  assert.ok(!isOutlier(before, sparse, later), 'in five minutes it may have driven there and on');
});

test('a distance no walker could have gone makes an outlier, once the trip has shown that it is one', () => {
  const [before, off, after] = [
    seen(0, 0, { speedKmh: 5 }),
    seen(300, 1500, { speedKmh: 5 }),
    seen(600, 600, { speedKmh: 5 }),
  ];
  assert.ok(isOutlier({ ...before, fastestKmh: 7 }, off, after));
  assert.ok(!isOutlier(before, off, after), 'it may be a car in a queue');
});

test('a fix wider than the way since the one before says nothing new', () => {
  assert.ok(isImprecise(seen(0, 0), seen(30, 0, { accuracyM: 900 })));
  assert.ok(!isImprecise(seen(0, 0), seen(600, 0, { accuracyM: 900, speedKmh: 50 })));
});
