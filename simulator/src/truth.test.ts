import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createMover, createParked, type Mover } from './actor.ts';
import { createCity } from './city.ts';
import type { Spot } from './ground.ts';
import { distanceM } from './ground.ts';
import { truthAt } from './truth.ts';

const city = createCity({ seed: 4 });
const DAY_MS = 86_400_000;
/** A Wednesday. */
const START = Date.UTC(2026, 3, 15);

const kinds = fc.constantFrom<Mover['kind'][]>('vehicle', 'cyclist', 'walker');
const shifts = fc.constantFrom<Mover['shift'][]>('day', 'evening', 'always');
const movers = fc
  .record({ kind: kinds, shift: shifts, seed: fc.integer({ min: 0, max: 2 ** 31 }) })
  .map((options) => ({ options, mover: createMover(city, options) }));

function offLineM({ x, y }: Spot, p: Spot, q: Spot): number {
  const square = (q.x - p.x) ** 2 + (q.y - p.y) ** 2;
  const share = Math.max(0, Math.min(1, ((x - p.x) * (q.x - p.x) + (y - p.y) * (q.y - p.y)) / square));
  return Math.hypot(x - p.x - share * (q.x - p.x), y - p.y - share * (q.y - p.y));
}

test('movers stay on the streets and within the speed limits', () => {
  fc.assert(
    fc.property(movers, ({ mover }) => {
      for (let at = START; at < START + DAY_MS; at += 17_000) {
        const truth = truthAt(mover, at);
        if (truth.street === undefined) {
          assert.ok(truth.speedKmh <= 1.4 * 3.6 + 1e-9);
          const nearM = Math.min(...city.addresses.map(({ x, y }) => Math.hypot(x - truth.x, y - truth.y)));
          assert.ok(nearM <= 26, `${nearM} m off the streets`);
          continue;
        }
        const { a, b, limitKmh, kind } = city.network.streets[truth.street]!;
        assert.ok(truth.speedKmh <= limitKmh + 1e-6, `${truth.speedKmh} where ${limitKmh} is allowed`);
        assert.ok(offLineM(truth, city.network.nodes[a]!, city.network.nodes[b]!) < 1e-6);
        if (mover.kind !== 'vehicle') assert.notEqual(kind, 'ring');
      }
    }),
    { numRuns: 12 },
  );
});

test('no mover jumps: the distance within a second matches the speed', () => {
  fc.assert(
    fc.property(movers, fc.integer({ min: 0, max: 7 * 24 }), ({ mover }, hour) => {
      const from = START + hour * 3_600_000;
      let last = truthAt(mover, from);
      for (let at = from + 500; at < from + 3_600_000; at += 500) {
        const now = truthAt(mover, at);
        const m = Math.hypot(now.x - last.x, now.y - last.y);
        const most = (Math.max(now.speedKmh, last.speedKmh, 1.4 * 3.6) / 3.6) * 0.5 + 0.3;
        assert.ok(m <= most, `${m} m in half a second at ${last.speedKmh} to ${now.speedKmh} km/h`);
        last = now;
      }
    }),
    { numRuns: 25 },
  );
});

test('the true position does not depend on the order of the queries', () => {
  fc.assert(
    fc.property(movers, fc.array(fc.integer({ min: 0, max: 30 * DAY_MS }), { minLength: 20 }), ({ options }, times) => {
      const asked = createMover(city, options);
      const inOrder = new Map([...times].sort((a, b) => a - b).map((t) => [t, truthAt(asked, START + t)]));
      for (const t of times) assert.deepEqual(truthAt(asked, START + t), inOrder.get(t));
      const [first] = times;
      assert.deepEqual(truthAt(createMover(createCity({ seed: 4 }), options), START + first!), inOrder.get(first!));
    }),
    { numRuns: 30 },
  );
});

test('vehicles work in their working hours, also across midnight', () => {
  const local = (hour: number) => START - city.utcOffsetMs + hour * 3_600_000;
  const isOutAt = (shift: Mover['shift'], hour: number) =>
    Array.from({ length: 40 }, (_, seed) => createMover(city, { seed, shift })).some((mover) =>
      Array.from({ length: 20 }, (_, i) => truthAt(mover, local(hour) + i * 60_000)).some(
        ({ isUnderWay }) => isUnderWay,
      ),
    );
  assert.ok(isOutAt('day', 10));
  assert.ok(!isOutAt('day', 2));
  assert.ok(isOutAt('evening', 20));
  assert.ok(!isOutAt('evening', 8));
  assert.ok(isOutAt('always', 23.9));
});

test('a parked device does not move', () => {
  const at = { lat: city.ground.center.lat + 0.01, lng: city.ground.center.lng };
  const parked = createParked(city, at);
  for (let day = 0; day < 400; day += 7) {
    const truth = truthAt(parked, START + day * DAY_MS);
    assert.ok(distanceM(truth.location, at) < 1e-3);
    assert.equal(truth.isMoving, false);
    assert.equal(truth.speedKmh, 0);
  }
});
