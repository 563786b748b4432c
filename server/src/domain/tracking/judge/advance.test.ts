import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { FenceRule } from '../../geofences/rule/membership.ts';
import { areaOf } from '../../geofences/shape/area.ts';
import type { TriggerRule } from '../../triggers/evaluator.ts';
import { advance, type Effects } from './advance.ts';
import { type DeviceState, UNHEARD } from './device-state.ts';
import type { Input, Rules } from './inputs.ts';

const T0 = Date.parse('2026-06-01T08:00:00.000Z');
const MINUTE = 60_000;
const M = 1 / 111_195; // A metre, in degrees of latitude.

const fence = (more: Partial<FenceRule> = {}): FenceRule => ({
  fenceId: 1,
  version: 1,
  shapedAt: 0,
  userId: 1,
  name: 'Depot',
  foreignId: null,
  group: null,
  area: areaOf({ outline: null, center: { lat: 0, lng: 0 }, radius: 100 })!,
  enter: 0.7,
  exit: 0.3,
  enterAfterMs: 0,
  exitAfterMs: 0,
  ...more,
});

const trigger = (type: TriggerRule['type'], parameters: Record<string, unknown> = {}): TriggerRule => ({
  triggerId: 1,
  version: 1,
  userId: 1,
  name: type,
  type,
  parameters,
});

const rulesOf = (fences: FenceRule[], triggers: TriggerRule[]): Rules => ({
  fencesNear: () => fences,
  fence: (_at, id) => fences.find(({ fenceId }) => fenceId === id),
  triggers: () => triggers,
});

let points = 0;
/** A fix some minutes after the start and metres north of the fence's centre. */
const fixAt = (minute: number, metresNorth: number, more: Record<string, unknown> = {}): Input => {
  const at = T0 + minute * MINUTE;
  return {
    kind: 'fix',
    at,
    fix: { at, pointId: ++points, place: { lat: metresNorth * M, lng: 0 }, accuracyM: 5, alerts: 0, ...more },
  };
};

function runAll(inputs: readonly Input[], rules: Rules): { state: DeviceState; effects: Effects } {
  let state = UNHEARD;
  const all: Effects = { firings: [], crossings: [], trips: [], stops: [], implausible: [] };
  for (const input of inputs) {
    const { state: next, effects } = advance(state, input, rules);
    state = next;
    for (const key of Object.keys(all) as (keyof Effects)[]) (all[key] as unknown[]).push(...effects[key]);
  }
  return { state, effects: all };
}

const told = ({ firings }: Effects) => firings.map(({ kind, at }) => `${kind} ${(at - T0) / MINUTE}`);
const cross = rulesOf([fence()], [trigger('geofence')]);

test('the first decision about a fence is silent, then each crossing fires once', () => {
  const { effects } = runAll([fixAt(0, 0), fixAt(1, 400), fixAt(2, 800), fixAt(3, 0), fixAt(4, 5)], cross);
  assert.deepEqual(told(effects), ['exit 1', 'entry 3']);
});

test('a fix that is neither in nor out leaves things as they are', () => {
  const { effects } = runAll([fixAt(0, 0), fixAt(1, 101), fixAt(2, 99), fixAt(3, 101)], cross);
  assert.deepEqual(told(effects), []);
});

test('a fence passed between two fixes fires twice, with interpolated times', () => {
  const { effects } = runAll([fixAt(0, -1000), fixAt(1, -500), fixAt(2, 500), fixAt(3, 1000)], cross);
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
  const rules = rulesOf([fence({ enterAfterMs: 5 * MINUTE })], [trigger('geoEntry')]);
  const coming = [fixAt(0, 2000), fixAt(1, 0)];
  assert.deepEqual(told(runAll([...coming, fixAt(3, 2000)], rules).effects), []);
  assert.deepEqual(told(runAll([...coming, fixAt(6, 3)], rules).effects), ['entry 1']);
  assert.deepEqual(told(runAll([...coming, { kind: 'clock', at: T0 + 6 * MINUTE }], rules).effects), ['entry 1']);
  assert.deepEqual(
    told(runAll([...coming, fixAt(60, 2000)], rules).effects),
    ['entry 1'],
    'nothing said otherwise in time',
  );
});

test('a reshaped fence is decided anew, silently', () => {
  const before = fence();
  const after = fence({
    version: 2,
    shapedAt: T0 + 1.5 * MINUTE,
    area: areaOf({ outline: null, center: { lat: 0, lng: 0 }, radius: 1000 })!,
  });
  const inForce = (at: number) => (at < after.shapedAt ? before : after);
  const rules: Rules = {
    fencesNear: (at) => [inForce(at)],
    fence: (at) => inForce(at),
    triggers: () => [trigger('geofence')],
  };
  const { effects } = runAll([fixAt(0, 500), fixAt(1, 500), fixAt(2, 500), fixAt(3, 5000)], rules);
  assert.deepEqual(told(effects), ['exit 3']);
});

test('a trip begins, idles and ends; stops lie between', () => {
  const drive = Array.from({ length: 10 }, (_, minute) => fixAt(10 + minute, minute * 600, { speedKmh: 36 }));
  const rest = Array.from({ length: 10 }, (_, minute) => fixAt(20 + minute, 5400, { speedKmh: 0 }));
  const { effects } = runAll(
    [fixAt(0, 0), fixAt(5, 3), ...drive, ...rest, fixAt(40, 9000, { speedKmh: 40 })],
    rulesOf([], [trigger('motionStop')]),
  );
  assert.equal(effects.trips.length, 1);
  const [trip] = effects.trips;
  assert.equal(trip!.end, T0 + 19 * MINUTE);
  assert.ok(Math.abs(trip!.distanceM - 5400) < 30, String(trip!.distanceM));
  assert.equal(trip!.maxSpeedKmh, 36);
  assert.equal(effects.stops.length, 2);
  assert.deepEqual(told(effects), ['stop 19']);
});

test('a trip that goes silent ends at its last fix, by the clock or by the next fix', () => {
  const drive = Array.from({ length: 10 }, (_, minute) => fixAt(minute, minute * 600, { speedKmh: 36 }));
  for (const later of [fixAt(100, 90_000), { kind: 'clock', at: T0 + 100 * MINUTE } as Input]) {
    const { effects } = runAll([...drive, later], rulesOf([], []));
    assert.deepEqual(
      effects.trips.map(({ end, decidedAt }) => [(end - T0) / MINUTE, (decidedAt - T0) / MINUTE]),
      [[9, 39]],
    );
  }
});

test('an implausible jump moves nothing; several that agree are believed', () => {
  const jump = fixAt(2, 5_000_000);
  const { effects, state } = runAll([fixAt(0, 0), fixAt(1, 2), jump, fixAt(3, 4)], cross);
  assert.deepEqual(effects.implausible.length, 1);
  assert.deepEqual(told(effects), []);
  assert.ok(Math.abs(state.motion!.last.place.lat) < 1);
  const insists = runAll([fixAt(0, 0), jump, fixAt(3, 5_000_010), fixAt(4, 5_000_020)], cross);
  assert.equal(insists.effects.implausible.length, 2);
  assert.ok(insists.state.motion!.last.place.lat > 40);
});

test('levels fire on the edge and arm again beyond the margin', () => {
  const battery = (minute: number, batteryPct: number) => fixAt(minute, 0, { batteryPct });
  const { effects } = runAll(
    [battery(0, 50), battery(1, 30), battery(2, 20), battery(3, 34), battery(4, 25), battery(5, 36), battery(6, 29)],
    rulesOf([], [trigger('lowBat')]),
  );
  assert.deepEqual(told(effects), ['over 1', 'over 6']);
  const fast = (minute: number, speedKmh: number) => fixAt(minute, minute * 1500, { speedKmh });
  const speed = runAll(
    [fast(0, 90), fast(1, 110), fast(2, 120), fast(3, 120), fast(4, 97), fast(5, 120), fast(6, 80), fast(7, 101)],
    rulesOf([], [trigger('speed', { limit: 100, for: 60 })]),
  );
  assert.deepEqual(
    told(speed.effects),
    ['over 2'],
    'it held a minute, then never was below the margin long enough to fire again',
  );
});

test('alerts fire each time, whatever the place', () => {
  const press = (minute: number) => fixAt(minute, 0, { alerts: 8, place: undefined });
  assert.deepEqual(told(runAll([press(0), press(1)], rulesOf([], [trigger('button')])).effects), [
    'button 0',
    'button 1',
  ]);
  assert.deepEqual(told(runAll([press(0)], rulesOf([], [trigger('acc')])).effects), []);
  assert.deepEqual(told(runAll([press(0)], rulesOf([], [trigger('alertMode', { mask: 4 })])).effects), []);
});

test('looking at the clock in between changes nothing', () => {
  const rules = rulesOf(
    [fence({ enterAfterMs: 3 * MINUTE, exitAfterMs: 2 * MINUTE })],
    [
      trigger('geofence'),
      { ...trigger('motionStop', { for: 600 }), triggerId: 2 },
      { ...trigger('speed', { limit: 30, for: 60 }), triggerId: 3 },
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
      const [once, often] = [runAll([...inputs, end], rules), runAll([...looked, end], rules)];
      assert.deepEqual(often.state, once.state);
      assert.deepEqual(often.effects, once.effects);
    }),
  );
});
