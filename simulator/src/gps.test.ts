import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fix, Receiver } from './gps.ts';
import { calm, type GpsNoise, ordinary } from './profile.ts';
import { Random } from './random.ts';

function taken(noise: GpsNoise, count: number, stepMs: number, isCanyon = false) {
  const receiver = new Receiver(noise, new Random(77));
  return Array.from({ length: count }, (_, i) => {
    const out = fix();
    receiver.take(i * stepMs, isCanyon, out);
    return out;
  });
}

const near = (value: number, wanted: number, share: number) =>
  assert.ok(Math.abs(value - wanted) <= wanted * share, `${value} is not near ${wanted}`);
const deviation = (values: readonly number[]) => Math.sqrt(values.reduce((sum, v) => sum + v * v, 0) / values.length);

const quiet: GpsNoise = { ...ordinary.gps, outlierShare: 0, wifiShare: 0 };

test('the error is as large as declared, and larger in street canyons', () => {
  for (const isCanyon of [false, true]) {
    const fixes = taken(quiet, 60_000, 60_000, isCanyon);
    const sigma = quiet.sigmaM * (isCanyon ? quiet.canyonFactor : 1);
    near(deviation(fixes.map(({ eastM }) => eastM)), sigma, 0.05);
    near(deviation(fixes.map(({ northM }) => northM)), sigma, 0.05);
  }
});

test('about two thirds of the errors are within the reported accuracy', () => {
  for (const stepMs of [1000, 30_000, 300_000]) {
    const fixes = taken(quiet, 100_000, stepMs);
    const within = fixes.filter(({ eastM, northM, accuracyM }) => Math.hypot(eastM, northM) <= accuracyM);
    near(within.length / fixes.length, 0.68, 0.08);
  }
});

test('errors are correlated over a short time and independent over a long time', () => {
  const correlation = (stepMs: number) => {
    const errors = taken(quiet, 100_000, stepMs).map(({ eastM }) => eastM);
    const products = errors.slice(1).reduce((sum, error, i) => sum + error * errors[i]!, 0);
    return products / errors.reduce((sum, error) => sum + error * error, 0);
  };
  near(correlation(30_000), Math.exp(-30 / quiet.correlationS), 0.05);
  assert.ok(Math.abs(correlation(900_000)) < 0.02);
});

test('outliers and other kinds of fixes are as frequent as declared', () => {
  const noise: GpsNoise = { ...calm.gps, outlierShare: 0.02, outlierM: [200, 300], wifiShare: 0.1, gsmShare: 0.05 };
  const fixes = taken(noise, 100_000, 30_000);
  const share = (count: number) => count / fixes.length;
  near(share(fixes.filter(({ locationType }) => locationType === 'wifi').length), 0.1, 0.1);
  near(share(fixes.filter(({ locationType }) => locationType === 'gsm').length), 0.05, 0.1);
  const far = fixes.filter((f) => f.locationType === 'gps' && Math.hypot(f.eastM, f.northM) > 150);
  near(share(far.length), 0.02 * 0.85, 0.15);
  near(far.filter(({ accuracyM }) => accuracyM < 50).length / far.length, 0.5, 0.15);
});
