import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  clockAt,
  depot,
  evaluateAll,
  firedIn,
  fixAt,
  MINUTE,
  rulesOf,
  T0,
  triggerRule,
} from '../../../testing/evaluated-inputs.ts';
import { areaOf } from '../../geofences/area.ts';
import type { Input, Rules } from './inputs.ts';

const cross = rulesOf([depot()], [triggerRule('geofence')]);

test('the first decision about a fence is silent, then each crossing fires once', () => {
  const { effects } = evaluateAll([fixAt(0, 0), fixAt(1, 400), fixAt(2, 800), fixAt(3, 0), fixAt(4, 5)], cross);
  assert.deepEqual(firedIn(effects), ['exit 1', 'entry 3']);
});

test('a fix that is neither inside nor outside changes nothing', () => {
  const { effects } = evaluateAll([fixAt(0, 0), fixAt(1, 101), fixAt(2, 99), fixAt(3, 101)], cross);
  assert.deepEqual(firedIn(effects), []);
});

test('a fence passed between two fixes fires twice, with interpolated times', () => {
  const { effects } = evaluateAll([fixAt(0, -1000), fixAt(1, -500), fixAt(2, 500), fixAt(3, 1000)], cross);
  assert.deepEqual(
    effects.firings.map(({ kind, facts }) => [kind, facts.interpolated]),
    [
      ['entry', true],
      ['exit', true],
    ],
  );
  for (const { at } of effects.firings) assert.ok(at > T0 + MINUTE && at < T0 + 2 * MINUTE);
});

test('dwell: an entry counts once it lasted, with the time of the crossing, also by the clock alone', () => {
  const rules = rulesOf([depot({ enterAfterMs: 5 * MINUTE })], [triggerRule('geoEntry')]);
  const coming = [fixAt(0, 2000), fixAt(1, 0)];
  assert.deepEqual(firedIn(evaluateAll([...coming, fixAt(3, 2000)], rules).effects), []);
  assert.deepEqual(firedIn(evaluateAll([...coming, fixAt(6, 3)], rules).effects), ['entry 1']);
  assert.deepEqual(firedIn(evaluateAll([...coming, clockAt(6)], rules).effects), ['entry 1']);
  assert.deepEqual(
    firedIn(evaluateAll([...coming, fixAt(60, 2000)], rules).effects),
    ['entry 1'],
    'nothing said otherwise in time',
  );
});

test('a reshaped fence is decided anew, silently', () => {
  const before = depot();
  const after = depot({
    version: 2,
    shapedAt: T0 + 1.5 * MINUTE,
    area: areaOf({ outline: null, center: { lat: 0, lng: 0 }, radius: 1000 })!,
  });
  const inForce = (at: number) => (at < after.shapedAt ? before : after);
  const rules: Rules = {
    fencesNear: (at) => [inForce(at)],
    fence: (at) => inForce(at),
    triggers: () => [triggerRule('geofence')],
  };
  const { effects } = evaluateAll([fixAt(0, 500), fixAt(1, 500), fixAt(2, 500), fixAt(3, 5000)], rules);
  assert.deepEqual(firedIn(effects), ['exit 3']);
});

test('a trip begins, idles and ends; stops lie between', () => {
  const drive = Array.from({ length: 10 }, (_, minute) => fixAt(10 + minute, minute * 600, { speedKmh: 36 }));
  const remaining = Array.from({ length: 10 }, (_, minute) => fixAt(20 + minute, 5400, { speedKmh: 0 }));
  const { effects } = evaluateAll(
    [fixAt(0, 0), fixAt(5, 3), ...drive, ...remaining, fixAt(40, 9000, { speedKmh: 40 })],
    rulesOf([], [triggerRule('motionStop')]),
  );
  assert.equal(effects.trips.length, 1);
  const [trip] = effects.trips;
  assert.equal(trip!.end, T0 + 19 * MINUTE);
  assert.ok(Math.abs(trip!.distanceM - 5400) < 30, String(trip!.distanceM));
  assert.equal(trip!.maxSpeedKmh, 36);
  assert.equal(effects.stops.length, 2);
  assert.deepEqual(firedIn(effects), ['stop 19']);
});

test('a trip that goes silent ends at its last fix, by the clock or by the next fix', () => {
  const drive = Array.from({ length: 10 }, (_, minute) => fixAt(minute, minute * 600, { speedKmh: 36 }));
  for (const later of [fixAt(100, 90_000), clockAt(100)]) {
    const { effects } = evaluateAll([...drive, later], rulesOf([], []));
    assert.deepEqual(
      effects.trips.map(({ end, decidedAt }) => [(end - T0) / MINUTE, (decidedAt - T0) / MINUTE]),
      [[9, 39]],
    );
  }
});

test('an implausible jump moves nothing; several that agree are believed', () => {
  const jump = fixAt(2, 5_000_000);
  const { effects, state } = evaluateAll([fixAt(0, 0), fixAt(1, 2), jump, fixAt(3, 4)], cross);
  assert.deepEqual(effects.implausible.length, 1);
  assert.deepEqual(firedIn(effects), []);
  assert.ok(Math.abs(state.motion!.last.place.lat) < 1);
  const insists = evaluateAll([fixAt(0, 0), jump, fixAt(3, 5_000_010), fixAt(4, 5_000_020)], cross);
  assert.equal(insists.effects.implausible.length, 2);
  assert.ok(insists.state.motion!.last.place.lat > 40);
});

test('levels fire on the edge and arm again beyond the margin', () => {
  const battery = (minute: number, batteryPct: number) => fixAt(minute, 0, { batteryPct });
  const { effects } = evaluateAll(
    [battery(0, 50), battery(1, 30), battery(2, 20), battery(3, 34), battery(4, 25), battery(5, 36), battery(6, 29)],
    rulesOf([], [triggerRule('lowBat')]),
  );
  assert.deepEqual(firedIn(effects), ['over 1', 'over 6']);
  const fast = (minute: number, speedKmh: number) => fixAt(minute, minute * 1500, { speedKmh });
  const speed = evaluateAll(
    [fast(0, 90), fast(1, 110), fast(2, 120), fast(3, 120), fast(4, 97), fast(5, 120), fast(6, 80), fast(7, 101)],
    rulesOf([], [triggerRule('speed', { limit: 100, for: 60 })]),
  );
  assert.deepEqual(
    firedIn(speed.effects),
    ['over 2'],
    'it held a minute, then never was below the margin long enough to fire again',
  );
});

test('alerts fire each time, whatever the place', () => {
  const press = (minute: number) => fixAt(minute, 0, { alerts: 8, place: undefined });
  assert.deepEqual(firedIn(evaluateAll([press(0), press(1)], rulesOf([], [triggerRule('button')])).effects), [
    'button 0',
    'button 1',
  ]);
  assert.deepEqual(firedIn(evaluateAll([press(0)], rulesOf([], [triggerRule('acc')])).effects), []);
  assert.deepEqual(firedIn(evaluateAll([press(0)], rulesOf([], [triggerRule('alertMode', { mask: 4 })])).effects), []);
});

test('looking at the clock in between changes nothing', () => {
  const rules = rulesOf(
    [depot({ enterAfterMs: 3 * MINUTE, exitAfterMs: 2 * MINUTE })],
    [
      triggerRule('geofence'),
      { ...triggerRule('motionStop', { for: 600 }), triggerId: 2 },
      { ...triggerRule('speed', { limit: 30, for: 60 }), triggerId: 3 },
    ],
  );
  const step = fc.record({
    gap: fc.integer({ min: 1, max: 45 }),
    metres: fc.integer({ min: -400, max: 400 }),
    speedKmh: fc.integer({ min: 0, max: 60 }),
    look: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), (steps) => {
      const inputs: Input[] = [];
      const looked: Input[] = [];
      let minute = 0;
      for (const { gap, metres, speedKmh, look } of steps) {
        minute += gap / 2;
        const input = fixAt(minute, metres, { speedKmh });
        inputs.push(input);
        if (look) looked.push({ kind: 'clock', at: input.at - 1 });
        looked.push(input);
      }
      const end: Input = { kind: 'clock', at: T0 + (minute + 300) * MINUTE };
      const [once, often] = [evaluateAll([...inputs, end], rules), evaluateAll([...looked, end], rules)];
      assert.deepEqual(often.state, once.state);
      assert.deepEqual(often.effects, once.effects);
    }),
  );
});
