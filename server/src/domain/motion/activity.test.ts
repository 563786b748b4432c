import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Located } from '../fix.ts';
import { type ActivityTrip, legsOf, type VehicleTrack } from './activity.ts';
import type { IgnitionChange } from './motion.ts';
import { trackOf } from './trip-track.ts';
import { activityOf, type ReportZones, vehicleSums } from './vehicle-sums.ts';
import { workSpans } from './visits.ts';

const T0 = Date.parse('2026-06-01T08:00:00.000Z');
const MINUTE = 60_000;
const M = 1 / 111_195;
const at = (minute: number) => T0 + minute * MINUTE;
const north = (metres: number) => ({ lat: metres * M, lng: 0 });

const fix = (minute: number, metres: number, speedKmh = 0): Located => ({
  at: at(minute),
  pointId: 1,
  place: north(metres),
  accuracyM: 5,
  speedKmh,
  alerts: 0,
});

const tripOf = (fixes: readonly Located[], more: Partial<ActivityTrip> = {}): ActivityTrip => ({
  start: fixes[0]!.at,
  end: fixes.at(-1)!.at,
  distanceM: 1000 * (fixes.length - 1),
  idleMs: 0,
  maxSpeedKmh: 60,
  startLocation: fixes[0]!.place,
  endLocation: fixes.at(-1)!.place,
  track: trackOf(fixes),
  ...more,
});

const NO_ZONES: ReportZones = { isInWork: () => false, isInMaintenance: () => false };
const sumsOf = (track: VehicleTrack, zones = NO_ZONES) =>
  vehicleSums(
    legsOf(
      track,
      zones.hours?.flatMap(({ from, to }) => [from, to]),
    ),
    track.trips,
    track.covered,
    zones,
  );

/** Ten minutes parked, four under way with one of them idle, ten parked. */
const drive = tripOf([fix(10, 0), fix(11, 1000, 60), fix(12, 1000), fix(13, 2000, 60), fix(14, 3000, 60)], {
  distanceM: 3000,
  idleMs: MINUTE,
});
const day = (more: Partial<VehicleTrack> = {}): VehicleTrack => ({
  covered: { from: at(0), to: at(24) },
  trips: [drive],
  ignition: [],
  place: north(0),
  ...more,
});

test('a known day gives its sums to the second', () => {
  const { movingTime, idleTime, offTimes, totalDist, numTrips, totalTime, ignitionTime } = sumsOf(day());
  assert.deepEqual([movingTime.total, idleTime.total, offTimes.total], [180, 60, 1200]);
  assert.deepEqual([Math.round(totalDist), numTrips, totalTime, ignitionTime], [3000, 1, 240, null]);
});

test('the ignition distinguishes idle, off and towed', () => {
  const ignition: IgnitionChange[] = [
    { at: at(8), isOn: true },
    { at: at(11.5), isOn: false },
    { at: at(12), isOn: true },
    { at: at(13), isOn: false },
  ];
  const sums = sumsOf(day({ ignition }));
  // Two minutes warming up, half a minute of the pause; the other half the ignition is off.
  assert.deepEqual([sums.movingTime.total, sums.idleTime.total, sums.offTimes.total], [180, 150, 1110]);
  assert.equal(sums.ignitionTime, 3.5 * 60 + 60);
  const { sums: states, log } = activityOf(legsOf(day({ ignition })));
  assert.deepEqual(
    log.map(({ state, time }) => [state, time]),
    [
      ['off', 480],
      ['idle', 120],
      ['movingWithIgnitionOn', 60],
      ['idle', 30],
      ['off', 30],
      ['movingWithIgnitionOn', 60],
      ['movingWithIgnitionOff', 60],
      ['off', 600],
    ],
  );
  assert.equal(states.movingWithIgnitionOff.time, 60);
  assert.deepEqual(log.at(-1)?.startLocation, drive.endLocation);
});

test('zones and hours: in, out, and half of the way between', () => {
  const isInWork = ({ lat }: { lat: number }) => lat < 500 * M;
  const sums = sumsOf(day(), { isInWork, isInMaintenance: (place) => !isInWork(place) });
  assert.deepEqual([sums.workTime, sums.maintenanceTime], [630, 810]);
  assert.deepEqual([sums.offTimes.inWork, sums.movingTime.inWork], [600, 30]);
  const hours = workSpans({ from: 8 * 60 + 5, to: 17 * 60, days: [1] }, 'UTC', { from: at(0), to: at(24) });
  assert.deepEqual(hours, [{ from: at(5), to: Date.parse('2026-06-01T17:00:00.000Z') }]);
  assert.equal(sumsOf(day(), { isInWork, isInMaintenance: () => false, hours }).workTime, 330);
});

test('hours of work follow the clocks of the time zone', () => {
  const hours = { from: 22 * 60, to: 6 * 60, days: [6] };
  // The night when clocks are set forward has an hour less.
  const range = { from: Date.parse('2026-03-28T12:00:00Z'), to: Date.parse('2026-03-30T12:00:00Z') };
  assert.deepEqual(workSpans(hours, 'Europe/Berlin', range), [
    { from: Date.parse('2026-03-28T21:00:00Z'), to: Date.parse('2026-03-29T04:00:00Z') },
  ]);
});

test('a trip that goes on is idle until it is known better', () => {
  const sums = sumsOf(day({ underwayUntil: at(24) }));
  assert.deepEqual([sums.idleTime.total, sums.offTimes.total], [660, 600]);
});

const step = fc.record({
  gapS: fc.integer({ min: 1, max: 900 }),
  metres: fc.integer({ min: 0, max: 2000 }),
  speedKmh: fc.integer({ min: 0, max: 60 }),
});
const journeys = fc.array(fc.array(step, { minLength: 1, maxLength: 8 }), { maxLength: 5 });
const changes = fc.array(fc.record({ minute: fc.integer({ min: -10, max: 400 }), isOn: fc.boolean() }), {
  maxLength: 6,
});
const cutAt = fc.integer({ min: 0, max: 300 });

test('moving, idle and off are all of the covered time, and the log says the same, however it is cut', () => {
  const check = fc.property(journeys, changes, cutAt, cutAt, fc.boolean(), (trips, said, a, b, hasFixes) => {
    let now = T0;
    const driven = trips.map((steps) => {
      now += 10 * MINUTE;
      const fixes = [fix((now - T0) / MINUTE, 0)];
      for (const { gapS, metres, speedKmh } of steps) {
        now += gapS * 1000;
        fixes.push(fix((now - T0) / MINUTE, metres, speedKmh));
      }
      return tripOf(fixes, hasFixes ? {} : { track: undefined, idleMs: 500 });
    });
    const ignition = said.map(({ minute, isOn }) => ({ at: at(minute), isOn })).sort((one, other) => one.at - other.at);
    const covered = { from: at(Math.min(a, b)), to: at(Math.max(a, b)) };
    const track = { covered, trips: driven, ignition, place: north(0) };
    const { movingTime, idleTime, offTimes, totalDist } = sumsOf(track);
    const ms = (seconds: number) => Math.round(seconds * 1000);
    assert.equal(ms(movingTime.total) + ms(idleTime.total) + ms(offTimes.total), covered.to - covered.from);
    const { sums, log } = activityOf(legsOf(track));
    const logged = log.reduce((sum, { start, end }) => sum + end - start, 0);
    assert.equal(logged, covered.to - covered.from);
    assert.equal(ms(sums.off.time), ms(offTimes.total));
    assert.equal(ms(sums.idle.time), ms(idleTime.total));
    const distance = Object.values(sums).reduce((sum, one) => sum + one.distance, 0);
    assert.ok(Math.abs(distance - totalDist) < 1e-6 * (1 + totalDist));
    for (const [index, entry] of log.entries()) if (index > 0) assert.equal(entry.start, log[index - 1]!.end);
  });
  fc.assert(check, { numRuns: 300, seed: 7 });
});
