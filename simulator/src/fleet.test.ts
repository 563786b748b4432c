import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { createCity } from './city.ts';
import { clockErrorMs } from './device.ts';
import { createFleet, transmissions, transmissionsOf } from './fleet.ts';
import { distanceM } from './ground.ts';
import { calm, nasty, ordinary, PROFILES, type Profile, type ProfileName } from './profile.ts';
import type { Transmission } from './report.ts';
import { truthAt } from './truth.ts';

const START = Date.UTC(2026, 3, 15, 8);
const HOUR_MS = 3_600_000;

function take(count: number, all: Iterable<Transmission>): Transmission[] {
  const taken: Transmission[] = [];
  for (const transmission of all) if (taken.push(transmission) >= count) break;
  return taken;
}

const profiles = fc.constantFrom<ProfileName[]>('calm', 'ordinary', 'nasty');

test('the same seed gives the same reports, another seed other ones', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 31 }), profiles, (seed, name) => {
      const made = (seed: number) => createFleet({ devices: 12, seed, profile: PROFILES[name] });
      const fleet = made(seed);
      const reports = take(400, transmissions(fleet, START));
      assert.deepEqual(take(400, transmissions(fleet, START)), reports);
      assert.deepEqual(take(400, transmissions(made(seed), START)), reports);
      assert.notDeepEqual(take(400, transmissions(made(seed + 1), START)), reports);
    }),
    { numRuns: 15 },
  );
});

test('a fleet sends the reports of its devices in order of sending', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1e6 }), profiles, fc.integer({ min: 1, max: 30 }), (seed, name, devices) => {
      const fleet = createFleet({ devices, seed, profile: PROFILES[name] });
      const merged = [...transmissions(fleet, START, START + 12 * HOUR_MS)];
      merged.forEach(({ sentAt }, i) => {
        assert.ok(i === 0 || merged[i - 1]!.sentAt <= sentAt);
      });
      for (const device of fleet.devices) {
        const own = merged.filter((transmission) => transmission.device === device.index);
        assert.deepEqual(own, take(own.length, own.length > 0 ? transmissionsOf(device, START) : []));
      }
    }),
    { numRuns: 15 },
  );
});

test('every report is valid for ingest, and nothing is sent before it was measured', () => {
  const profile: Profile = { ...nasty, clock: { minutesShare: 0, mostMin: 0, yearsShare: 0 } };
  const fleet = createFleet({ devices: 60, profile });
  let [statuses, readings, alerts, repeated] = [0, 0, 0, 0];
  for (const transmission of transmissions(fleet, START, START + 24 * HOUR_MS)) {
    if (transmission.isRepeated) repeated++;
    readings += transmission.readings.length;
    for (const point of transmission.points) {
      const at = Date.parse(point.timestamp as string);
      assert.ok(at >= START && at <= transmission.sentAt);
      if (point.location === undefined) statuses++;
      else {
        assert.ok(Math.abs(point.location.lat) <= 90 && Math.abs(point.location.lng) <= 180);
        assert.ok(point.speed! >= 0 && point.course! >= 0 && point.course! < 360 && point.accuracy! > 0);
      }
      assert.ok(point.batteryPct >= 0 && point.batteryPct <= 100);
      if (point.alertType !== undefined) alerts++;
    }
  }
  for (const [what, count] of Object.entries({ statuses, readings, alerts, repeated })) assert.ok(count > 0, what);
});

test('points are near the true position at their time', () => {
  const fleet = createFleet({ devices: 30, profile: calm });
  for (const { device, points } of take(20_000, transmissions(fleet, START))) {
    for (const { timestamp, location } of points) {
      const truth = truthAt(fleet.devices[device]!.actor, timestamp as number);
      assert.ok(distanceM(truth.location, location!) < calm.gps.sigmaM * 8);
    }
  }
});

test('calm devices report at their interval without gaps, sleeping ones rarely', () => {
  const times = (profile: Profile) => {
    const { devices } = createFleet({ devices: 1, profile, mix: { parked: 1 } });
    return take(50, transmissionsOf(devices[0]!, START)).map(({ points }) => points[0]!.timestamp as number);
  };
  const steps = (all: number[]) => all.slice(1).map((at, i) => (at - all[i]!) / 1000);
  assert.deepEqual(new Set(steps(times({ ...calm, intervalsS: [60] }))), new Set([60]));
  const sleepy = steps(times({ ...calm, sleepAfterMin: 5, sleepIntervalMin: 30 }));
  assert.equal(sleepy.at(-1), 1800);
});

test('late bursts, duplicates and wrong clocks are as frequent as declared', () => {
  const fleet = createFleet({ devices: 200, profile: nasty, mix: { vehicle: 1 }, shift: 'always' });
  const all = [...transmissions(fleet, START, START + 6 * HOUR_MS)];
  const repeated = all.filter(({ isRepeated }) => isRepeated).length / all.length;
  assert.ok(Math.abs(repeated - 0.05) < 0.01, `${repeated} repeated`);
  assert.ok(all.some(({ points }) => points.length > 20));
  assert.ok(
    all.some(({ points }) => points.some(({ timestamp }, i) => i > 0 && timestamp < points[i - 1]!.timestamp)),
    'none is out of order',
  );
  const errors = fleet.devices.map((device) => Math.abs(clockErrorMs(device, START)) / 60_000);
  const byMinutes = errors.filter((minutes) => minutes > 0 && minutes <= 12).length;
  const byYears = errors.filter((minutes) => minutes > 500_000).length;
  assert.ok(byMinutes >= 8 && byMinutes <= 35, `${byMinutes} by minutes`);
  assert.ok(byYears >= 1 && byYears <= 12, `${byYears} by years`);
});

test('in tunnels there is no fix', () => {
  const profile: Profile = { ...calm, intervalsS: [2], statusShare: 1 };
  const fleet = createFleet({ devices: 20, profile, mix: { vehicle: 1 }, shift: 'always' });
  let blind = 0;
  for (const { device, points } of take(200_000, transmissions(fleet, START))) {
    const { street } = truthAt(fleet.devices[device]!.actor, points[0]!.timestamp as number);
    const isTunnel = street !== undefined && fleet.city.network.streets[street]!.isTunnel;
    assert.equal(points[0]!.location === undefined, isTunnel);
    if (isTunnel) blind++;
  }
  assert.ok(blind > 20, `${blind} in tunnels`);
});

test('a fleet needs little memory per device, and not more over time', () => {
  setFlagsFromString('--expose-gc');
  const gc: () => void = runInNewContext('gc');
  const city = createCity();
  const used = () => {
    gc();
    return process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
  };
  const empty = used();
  const fleet = createFleet({ devices: 2000, city, profile: ordinary });
  const running = transmissions(fleet, START);
  const pull = (count: number) => {
    for (let i = 0; i < count; i++) running.next();
  };
  pull(50_000);
  const begun = used();
  // The drives of the city, of which there is a limited number, are in it.
  assert.ok(begun - empty < 80e6, `${(begun - empty) / 1e6} MB`);
  pull(300_000);
  assert.ok(used() - begun < 40e6, `${(used() - begun) / 1e6} MB more`);
});
