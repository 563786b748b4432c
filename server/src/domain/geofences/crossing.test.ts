import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { distanceM, interpolate } from '../../platform/sphere.ts';
import { type Area, areaOf, signedDistanceM } from './area.ts';
import { confidenceInside } from './confidence.ts';
import { crossing, crossings, type End, type PathCrossing } from './crossing.ts';
import { away, between, ofMagnitude, shore, tangle } from './testing/globe.ts';

const RULE = { enter: 0.7, exit: 0.3 };
const MINUTE = 60_000;
const AT = Date.UTC(2026, 0, 1);

const center = { lat: 47.4, lng: 8.5 };
const yard = areaOf({ center, radius: 100 })!;
const west = (meters: number, accuracyM = 5): End => ({ place: away(center, meters, Math.PI / 2), accuracyM, at: AT });
const east = (meters: number, accuracyM = 5): End => ({
  place: away(center, meters, -Math.PI / 2),
  accuracyM,
  at: AT + MINUTE,
});

test('straight through, with no fix inside', () => {
  const found = crossing(yard, west(200), east(200), RULE);
  assert.ok(found?.leftAt !== undefined);
  // Halfway, the radius of the disc is 5 + 0.1 · 400 = 45 m, and the centre lies 100 m deep.
  assert.ok(Math.abs(found.confidence - confidenceInside(-100, 45)) < 0.002);
  assert.ok(found.enteredAt > AT + MINUTE / 4 && found.enteredAt < AT + MINUTE / 2);
  assert.ok(found.leftAt > AT + MINUTE / 2 && found.leftAt < AT + MINUTE);
});

test('past it, or too distant from each other to decide', () => {
  assert.equal(crossing(yard, west(300), { ...west(150), at: AT + MINUTE }, RULE), undefined);
  assert.equal(crossing(yard, west(5000), east(5000), RULE), undefined);
  assert.equal(crossing(yard, west(200, 300), east(200, 300), RULE), undefined);
});

test('a second fix that is neither in nor out leaves it inside', () => {
  const found = crossing(yard, west(110), east(100), RULE);
  assert.ok(found);
  assert.equal(found.leftAt, undefined);
});

test('a short look between far fixes does not miss a small fence next to one of them', () => {
  const kiosk = areaOf({ center: away(center, 8, 0), radius: 7 })!;
  const far = { place: away(center, 3000, 0), accuracyM: 3, at: AT + 5 * MINUTE };
  const found = crossing(kiosk, { place: center, accuracyM: 3, at: AT }, far, RULE);
  assert.ok(found?.leftAt !== undefined);
  assert.ok(found.leftAt - found.enteredAt < 5000);
});

test('two arms of a horseshoe are two passages', () => {
  const arm = (x: number) => [x, x + 300].map((meters) => away(center, meters, Math.PI / 2));
  const [a, b] = arm(0) as [typeof center, typeof center];
  const [c, d] = arm(1500) as [typeof center, typeof center];
  const [north, south] = [0, Math.PI].map((bearing) => (place: typeof center) => away(place, 1000, bearing)) as [
    (place: typeof center) => typeof center,
    (place: typeof center) => typeof center,
  ];
  const inner = (place: typeof center) => away(place, 700, 0);
  const shoe = areaOf({
    outline: [a, south(a), south(b), b, inner(b), inner(c), c, south(c), south(d), d, north(d), north(a)],
  })!;
  const from = { place: away(a, 100, -Math.PI / 2), accuracyM: 5, at: AT };
  const to = { place: away(d, 100, Math.PI / 2), accuracyM: 5, at: AT + MINUTE };
  const found = crossings(shoe, from, to, { enter: 0.6, exit: 0.4 });
  assert.equal(found.length, 2);
  const surest = crossing(shoe, from, to, { enter: 0.6, exit: 0.4 });
  assert.equal(surest?.confidence, Math.max(...found.map(({ confidence }) => confidence)));
});

test('no thresholds, places or lengths hold it for ever', () => {
  const ends: [End, End][] = [
    [west(200), east(200)],
    [west(0), { ...west(0), at: AT + 1 }],
    [{ ...west(0), place: { lat: Number.NaN, lng: 0 } }, east(10)],
    [west(0, 3), { place: { lat: -47.4, lng: -171.5 }, accuracyM: 3, at: AT + MINUTE }],
  ];
  for (const [from, to] of ends) {
    for (const [enter, exit] of [
      [0.5, 0.5],
      [0.3, 0.7],
      [0.30000000000000004, 0.3],
      [1 - 1e-16, 1e-300],
      [1e-12, 1e-13],
    ] as const)
      assert.ok(crossings(yard, from, to, { enter, exit }).length < 3);
  }
});

/** Brute force: applies the rule to very many points of the path; `unsure` if a threshold is only just touched. */
function byLooking(area: Area, from: End, to: End): { found: PathCrossing[]; unsure: boolean } {
  const lengthM = distanceM(from.place, to.place);
  const steps = 4000;
  const found: { enteredAt: number; leftAt: number | undefined; confidence: number }[] = [];
  let unsure = false;
  let inside = false;
  let extreme = 0;
  let lowest = 0;
  for (let step = 0; step <= steps; step++) {
    const f = step / steps;
    const accuracyM = (1 - f) * from.accuracyM + f * to.accuracyM + 0.4 * lengthM * f * (1 - f);
    const p = confidenceInside(signedDistanceM(area, interpolate(from.place, to.place, f)), accuracyM);
    const at = from.at + f * (to.at - from.at);
    if (!inside && p >= RULE.enter) {
      if (found.length > 0 && lowest > RULE.exit - 0.02) unsure = true;
      inside = true;
      extreme = p;
      found.push({ enteredAt: at, leftAt: undefined, confidence: p });
    } else if (inside && p <= RULE.exit) {
      inside = false;
      if (found.at(-1)!.confidence < RULE.enter + 0.02) unsure = true;
      found.at(-1)!.leftAt = at;
      extreme = 0;
      lowest = p;
    }
    lowest = Math.min(lowest, p);
    if (inside) {
      found.at(-1)!.confidence = Math.max(found.at(-1)!.confidence, p);
      // It entered by so little that it may count as inside only from the next time on.
      if (p < RULE.enter && found.at(-1)!.confidence < RULE.enter + 0.02) unsure = true;
      extreme = Math.min(extreme, p);
      if (extreme < RULE.exit + 0.02 && p > RULE.exit + 0.03) unsure = true;
    } else {
      extreme = Math.max(extreme, p);
      if (extreme > RULE.enter - 0.02 && (p < RULE.enter - 0.03 || step === steps)) unsure = true;
    }
  }
  if (inside && (found.at(-1)!.confidence < RULE.enter + 0.02 || extreme < RULE.exit + 0.02)) unsure = true;
  return { found, unsure };
}

test('it is the ordinary rule, applied to every point of the way', () => {
  let [passages, compared] = [0, 0];
  const yards = fc.oneof(shore(ofMagnitude(20, 20_000)), tangle(ofMagnitude(20, 20_000)));
  const end = fc.record({ share: between(0, 1.6), bearing: between(0, 2 * Math.PI), accuracyM: ofMagnitude(3, 100) });
  fc.assert(
    fc.property(yards, end, end, (drawn, a, b) => {
      const area = areaOf({ outline: drawn.outline })!;
      const endOf = (e: typeof a, at: number): End => ({
        place: away(drawn.middle, e.share * drawn.reachM, e.bearing),
        accuracyM: e.accuracyM,
        at,
      });
      const [from, to] = [endOf(a, AT), endOf(b, AT + 5 * MINUTE)];
      const { found: expected, unsure } = byLooking(area, from, to);
      if (unsure) return;
      const actual = crossings(area, from, to, RULE);
      compared += 1;
      passages += actual.length;
      assert.equal(actual.length, expected.length);
      const step = (5 * MINUTE) / 4000;
      for (const [i, { enteredAt, leftAt, confidence }] of actual.entries()) {
        const other = expected[i]!;
        assert.ok(Math.abs(enteredAt - other.enteredAt) <= step + 1, `entered ${enteredAt - other.enteredAt} ms off`);
        assert.equal(leftAt === undefined, other.leftAt === undefined);
        if (leftAt !== undefined) assert.ok(Math.abs(leftAt - other.leftAt!) <= step + 1);
        assert.ok(Math.abs(confidence - other.confidence) < 0.005, `${confidence} for ${other.confidence}`);
      }
    }),
    { numRuns: 300, endOnFailure: true },
  );
  assert.ok(passages > 20 && compared > 150, `${passages} passages on ${compared} ways say something`);
});
