import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { accuracyM, confidenceInside, depthFor } from './confidence.ts';
import { between } from './testing/globe.ts';

test('accuracy is what was reported, else what its kind is good for, never below 3 m', () => {
  assert.equal(accuracyM({ accuracy: 25, locationType: 'gsm' }), 25);
  assert.equal(accuracyM({ accuracy: 0.5, locationType: 'gps' }), 3);
  assert.equal(accuracyM({ accuracy: 0, locationType: 'wifi' }), 3);
  assert.equal(accuracyM({ locationType: 'gps' }), 10);
  assert.equal(accuracyM({ accuracy: null, locationType: 'wifi' }), 60);
  assert.equal(accuracyM({ accuracy: Number.NaN, locationType: 'gsm' }), 1000);
  assert.equal(accuracyM({ accuracy: -1 }), 10);
});

/** Integrates the normal density numerically (Simpson), from 0. */
function byAddingUp(z: number): number {
  const steps = 2000;
  const bell = (x: number) => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
  let total = bell(0) + bell(z);
  for (let i = 1; i < steps; i++) total += (i % 2 === 1 ? 4 : 2) * bell((z * i) / steps);
  return 0.5 + (total * z) / steps / 3;
}

test('confidence is the normal distribution', () => {
  for (let z = -9; z <= 9; z += 0.01)
    assert.ok(Math.abs(confidenceInside(-z * 7, 7) - byAddingUp(z)) < 1e-12, `at ${z}`);
  assert.equal(confidenceInside(0, 10), 0.5);
  assert.equal(confidenceInside(1e9, 3), 0);
  assert.equal(confidenceInside(-1e9, 3), 1);
});

test('confidence falls from inside to outside and is symmetric about the edge', () => {
  let before = 1;
  for (let d = -100; d <= 100; d += 0.001) {
    const p = confidenceInside(d, 10);
    assert.ok(p <= before, `rises at ${d}`);
    before = p;
  }
  fc.assert(
    fc.property(between(-500, 500), between(1e-6, 100), between(3, 1000), (d, more, a) => {
      assert.ok(confidenceInside(d + more, a) <= confidenceInside(d, a));
      assert.ok(Math.abs(confidenceInside(d, a) + confidenceInside(-d, a) - 1) < 1e-15);
    }),
  );
});

test('the depth for a confidence leads back to it', () => {
  assert.ok(Math.abs(depthFor(0.7) - 0.5244005127080407) < 1e-9);
  fc.assert(
    fc.property(between(1e-9, 1 - 1e-9), (p) => assert.ok(Math.abs(confidenceInside(-depthFor(p) * 5, 5) - p) < 1e-12)),
  );
});
