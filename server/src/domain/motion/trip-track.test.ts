import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Located } from '../fix.ts';
import { isPacked, NOT_PACKED, packTrack, type TripTrack, trackOf, unpackTrack } from './trip-track.ts';

const START = Date.parse('2026-06-01T08:00:00.000Z');
const degrees = (most: number, isRounded: boolean) =>
  isRounded
    ? fc.integer({ min: -most * 1e7, max: most * 1e7 }).map((units) => units / 1e7)
    : fc.double({ min: -most, max: most, noNaN: true });
const fixes = (isRounded: boolean) =>
  fc.array(
    fc.record({
      gapMs: fc.oneof(fc.integer({ min: 0, max: 120_000 }), fc.integer({ min: 0, max: 6_000_000_000 })),
      lat: degrees(90, isRounded),
      lng: degrees(180, isRounded),
      speedKmh: fc.integer({ min: 0, max: 20 }),
    }),
    { minLength: 2, maxLength: 40 },
  );

function trackOfSteps(steps: readonly { gapMs: number; lat: number; lng: number; speedKmh: number }[]): TripTrack {
  let at = START;
  return trackOf(
    steps.map(({ gapMs, lat, lng, speedKmh }): Located => {
      at += gapMs;
      return { at, pointId: 0, place: { lat, lng }, accuracyM: 5, speedKmh, alerts: 0 };
    }),
  );
}

const listsOf = ({ count, at, lat, lng, moved }: TripTrack) =>
  [at, lat, lng, moved].map((list) => Array.from(list.subarray(0, count), (value) => value + 0));

test('a track is unpacked exactly as it was, whatever devices report', () => {
  for (const isRounded of [true, false])
    fc.assert(
      fc.property(fixes(isRounded), (steps) => {
        const track = trackOfSteps(steps);
        const text = packTrack(track, START);
        assert.ok(isPacked(text));
        assert.deepEqual(listsOf(unpackTrack(text, START)), listsOf(track));
      }),
      { numRuns: 300 },
    );
});

test('an hour of fixes every half minute is a text of about a kilobyte', () => {
  const steps = Array.from({ length: 120 }, (_, index) => ({
    gapMs: 30_000,
    lat: Math.round((48 + index * 0.0021) * 1e7) / 1e7,
    lng: Math.round((11 - index * 0.0013) * 1e7) / 1e7,
    speedKmh: 30,
  }));
  const text = packTrack(trackOfSteps(steps), START);
  assert.ok(text.length < 1500, `${text.length} characters`);
});

test('what cannot be a way is not packed, and texts of other forms are not taken for one', () => {
  assert.equal(packTrack(trackOf([]), START), NOT_PACKED);
  assert.equal(packTrack(trackOfSteps([{ gapMs: 0, lat: 1, lng: 1, speedKmh: 0 }]), START), NOT_PACKED);
  for (const text of [NOT_PACKED, 'x1', '[]']) assert.equal(isPacked(text), false);
});
