import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { areaOf, type Shape } from './area.ts';
import type { FenceRule } from './membership.ts';
import { type FenceVersion, PackedVersions } from './packed-versions.ts';
import { anyPlace, ofMagnitude, shore, tangle } from './testing/globe.ts';
import { UserFences } from './user-fences.ts';

const USER = 7;
const shapes: fc.Arbitrary<Shape> = fc.oneof(
  fc.tuple(anyPlace, ofMagnitude(1, 1_000_000)).map(([center, radius]) => ({ center, radius })),
  shore(ofMagnitude(10, 100_000), 3, 40),
  tangle(ofMagnitude(10, 100_000), 6),
  fc.constant({}),
);
const text = fc.option(fc.string({ unit: 'grapheme' }));
const share = fc.double({ min: 0.01, max: 0.99, noNaN: true });
const versions: fc.Arbitrary<Omit<FenceVersion, 'version'>> = fc.record({
  fenceId: fc.integer({ min: 1, max: 500 }),
  shapedAt: fc.nat(),
  userId: fc.constant(USER),
  name: text,
  foreignId: text,
  group: text,
  shape: shapes,
  enter: share,
  exit: share,
  enterAfterMs: fc.nat(),
  exitAfterMs: fc.nat(),
  deviceId: fc.option(fc.integer({ min: 1, max: 3 })),
  validFrom: fc.constantFrom(Number.NEGATIVE_INFINITY, 10, 20),
  validTo: fc.constantFrom(20, 30, Number.POSITIVE_INFINITY),
});

function ruleOf({ shape, deviceId: _, validFrom: __, validTo: ___, ...rule }: FenceVersion): FenceRule | undefined {
  const area = areaOf(shape);
  return area && { ...rule, area };
}

test('what was packed comes back as it was, at its time and for its device', () => {
  fc.assert(
    // Few, or more than a page has.
    fc.property(fc.array(versions, { minLength: 30, maxLength: 60 }), fc.constantFrom(1, 60), (some, times) => {
      const all = Array.from({ length: some.length * times }, (_, version) => ({
        ...some[version % some.length]!,
        version,
      })) as FenceVersion[];
      const packed = new PackedVersions(USER);
      for (const version of all) packed.add(version);
      const fences = new UserFences(1, packed);
      const drawn = all.filter((version) => ruleOf(version) !== undefined);
      assert.equal(fences.newestShapeAt, Math.max(...drawn.map(({ shapedAt }) => shapedAt)));
      for (const at of [5, 15, 25])
        for (const deviceId of [1, 2, 9]) {
          const counting = drawn.filter(
            ({ validFrom, validTo, deviceId: only }) =>
              validFrom <= at && at < validTo && (only === null || only === deviceId),
          );
          const everywhere: FenceRule[] = [];
          fences.near(at, deviceId, { lat: 0, lng: 0 }, 20_037_508, (rule) => everywhere.push(rule));
          assert.deepEqual(
            everywhere.sort((a, b) => a.version - b.version),
            counting.map(ruleOf),
          );
          assert.deepEqual(
            fences.boundTo(deviceId, at),
            counting.filter((version) => version.deviceId === deviceId).map(ruleOf),
          );
          for (const { fenceId } of some.slice(0, 5)) {
            const first = counting.find((version) => version.fenceId === fenceId);
            assert.deepEqual(fences.fence(at, deviceId, fenceId), first && ruleOf(first));
          }
        }
    }),
    { numRuns: 20 },
  );
});
