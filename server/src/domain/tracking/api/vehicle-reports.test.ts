import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createLog } from '../../../platform/log.ts';
import type { Place } from '../../../platform/sphere.ts';
import type { Report } from '../../../reports.ts';
import { onBothEngines } from '../../../testing/databases.ts';
import { callOf, makeDevice, makeUser, NOW } from '../../../testing/people.ts';
import { type PlainPoint, type PlainReading, reportByPositions } from '../../../testing/report-by-positions.ts';
import { deviceAccess } from '../../devices/access.ts';
import { geofenceOperations } from '../../geofences/operations.ts';
import type { Shape } from '../../geofences/shape/area.ts';
import type { Span } from '../../motion/activity.ts';
import { type WorkHours, workSpans } from '../../motion/work-hours.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { Intake } from '../intake/intake.ts';
import { markLate } from '../replay/mark-late.ts';
import { replay } from '../replay/replay.ts';
import { RulesCache } from '../state/rules-cache.ts';
import { decideDue } from '../timers/due.ts';
import { packer } from '../timers/pack-trips.ts';
import { vehicleReport } from './vehicle-report.ts';

const MINUTE = 60_000;
const M = 1 / 111_195;
const WINDOW_MS = 30 * 86_400_000;
const HOME = { lat: 0.5, lng: 11.5 };
const BERLIN = 'Europe/Berlin';
const HOURS: WorkHours = { from: 8 * 60, to: 17 * 60 + 30, days: [1, 2, 3, 4, 5] };
const NIGHT: WorkHours = { from: 22 * 60, to: 3 * 60, days: [0, 1, 2, 3, 4, 5, 6] };

/** The vehicle drives, waits or stands for some fixes. */
interface Phase {
  readonly steps: number;
  readonly gapS: number;
  readonly metres: number;
  readonly east: number;
  readonly ignition: boolean | null;
}

const phase = fc.oneof(
  fc.record<Phase>({
    steps: fc.integer({ min: 2, max: 14 }),
    gapS: fc.integer({ min: 20, max: 150 }),
    metres: fc.integer({ min: 100, max: 900 }),
    east: fc.integer({ min: -4, max: 4 }),
    ignition: fc.constantFrom(true, null),
  }),
  fc.record<Phase>({
    steps: fc.integer({ min: 1, max: 6 }),
    gapS: fc.constantFrom(30, 60, 300, 900, 3600),
    metres: fc.constant(0),
    east: fc.constant(0),
    ignition: fc.constantFrom(true, false, null),
  }),
);

interface Drive {
  readonly points: PlainPoint[];
  readonly readings: PlainReading[];
}

/** @param isRounded whether places are whole ten-millionths of a degree, as most devices report them */
function driveOf(phases: readonly Phase[], isRounded: boolean): Drive {
  const points: PlainPoint[] = [];
  const readings: PlainReading[] = [];
  let at = NOW;
  let [north, east] = [0, 0];
  for (const [index, { steps, gapS, metres, east: turn, ignition }] of phases.entries()) {
    if (ignition !== null) readings.push({ timestamp: at + (gapS * 1000) / 4, isOn: ignition });
    // It goes away and comes back, so that it passes its zones.
    const sign = index % 4 < 2 ? 1 : -1;
    for (let step = 0; step < steps; step++) {
      at += gapS * 1000;
      north += sign * metres;
      east += (metres * turn) / 8;
      const location = placeAt(north, east);
      const rounded = { lat: Math.round(location.lat * 1e7) / 1e7, lng: Math.round(location.lng * 1e7) / 1e7 };
      const speedKmh = metres === 0 ? 0 : Math.round((metres / gapS) * 3.6);
      points.push({ timestamp: at, location: isRounded ? rounded : location, speedKmh, accuracyM: 5 + (step % 3) });
    }
  }
  return { points, readings };
}

const placeAt = (north: number, east: number): Place => ({ lat: HOME.lat + north * M, lng: HOME.lng + east * M });
const circle = (north: number, east: number, radius: number) => ({ center: placeAt(north, east), radius });

/** Parts of what a device said, some of them late. */
function reportsOf({ points, readings }: Drive, order: readonly number[]): Report[] {
  const parts = order.map((): Report & { points: object[] } => ({
    points: [],
    readings: [],
    gatewayReadings: [],
    messages: [],
  }));
  const partOf = (index: number, count: number) => parts[order[Math.floor((index * order.length) / count)]!]!;
  for (const [index, point] of points.entries()) partOf(index, points.length).points.push(point);
  for (const [index, { timestamp, isOn }] of readings.entries())
    (partOf(index, readings.length).readings as object[]).push({ timestamp, type: 'ignition', value: isOn });
  return parts;
}

onBothEngines<Tables>('vehicle reports', { migrations: MIGRATIONS }, (open) => {
  async function setting() {
    const store: Store = await open();
    const owner = await makeUser(store, 'owner@example.com');
    const fences = geofenceOperations(store, deviceAccess(store));
    const rulesCache = new RulesCache(store, WINDOW_MS);
    const intake = new Intake(store, rulesCache, { windowMs: WINDOW_MS, publish: () => {}, late: () => {} });
    const pack = packer(store);

    /** All that waits is judged, and the clock decides. */
    async function settle(deviceId: number, now: number): Promise<void> {
      while ((await replay(store, rulesCache, deviceId, () => now)) !== undefined);
      await decideDue(store, rulesCache, now, { log: createLog('silent'), goOn: () => true, fired: () => {} });
    }

    /** Whether reports say what the positions say, whatever part of a drive is asked for. */
    async function check(
      what: string,
      deviceId: number,
      drive: Drive,
      zones: { work: readonly Shape[]; maintenance: readonly Shape[] },
      ranges: readonly Span[],
      now: number,
    ): Promise<void> {
      const asked = { userId: owner.userId, deviceId, now, tz: BERLIN };
      const chosen = { work: { type: 'work' }, maintenance: { type: 'maintenance' } };
      const nowhere = { work: { ids: [] }, maintenance: { ids: [] } };
      for (const range of ranges) {
        for (const hours of [undefined, HOURS, NIGHT]) {
          const spans = hours && zones.work.length > 0 ? workSpans(hours, BERLIN, range) : undefined;
          const question = { ...range, now, settledAt: now };
          const plain = reportByPositions(drive.points, drive.readings, { ...question, ...zones, hours: spans });
          const made = await vehicleReport.read(store, { ...asked, ...range, ...chosen, hours, kind: 'summary' });
          assert.ok(made !== 'tooMuch' && 'sums' in made);
          if (plain === undefined) assert.equal(made.sums.numTrips, 0);
          else assertClose(made.sums, plain.sums, `${what}: sums`);
        }
        const question = { ...range, now, settledAt: now, work: [], maintenance: [] };
        const plain = reportByPositions(drive.points, drive.readings, question);
        const bare = await vehicleReport.read(store, { ...asked, ...range, ...nowhere, kind: 'summary' });
        const told = await vehicleReport.read(store, { ...asked, ...range, ...nowhere, kind: 'activity' });
        assert.ok(bare !== 'tooMuch' && 'sums' in bare && told !== 'tooMuch' && 'activity' in told);
        if (plain === undefined) continue;
        assertClose(bare.sums, plain.sums, `${what}: sums without zones`);
        assertClose(
          told.activity.log.map(({ state, start, end, distance }) => ({ state, start, end, distance })),
          plain.states,
          `${what}: states`,
        );
      }
    }

    return { store, owner, fences, intake, pack, settle, check };
  }

  test('they say what all positions say, whatever came late and whichever trips are packed', async () => {
    const { store, owner, fences, intake, pack, settle, check } = await setting();
    const draw = async (type: string, shape: Pick<Shape, 'center' | 'radius'> & { outline?: Place[] }, now = NOW) =>
      (await fences.createGeofence(callOf(owner, { body: { name: type, type, ...shape }, now }))) as { id: number };
    const everything = fc.record({
      phases: fc.array(phase, { minLength: 4, maxLength: 24 }),
      isRounded: fc.boolean(),
      order: fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 6 }),
      from: fc.nat({ max: 1000 }),
      to: fc.nat({ max: 1000 }),
      gone: fc.nat({ max: 1000 }),
    });
    await fc.assert(
      fc.asyncProperty(everything, async ({ phases, isRounded, order, from, to, gone }) => {
        const deviceId = await makeDevice(store, owner.userId);
        const drive = driveOf(phases, isRounded);
        const lastAt = drive.points.at(-1)!.timestamp;
        const now = lastAt + 5 * MINUTE;
        const at = (share: number) => Math.round(NOW + ((lastAt - NOW) * share) / 1000);
        const whole = { from: NOW - MINUTE, to: now };
        const ranges = [whole, { from: at(Math.min(from, to)), to: at(Math.max(from, to)) }];

        const depot = circle(0, 0, 400);
        const square = [placeAt(800, -900), placeAt(800, 900), placeAt(2500, 900), placeAt(2500, -900)];
        const depotId = (await draw('work', depot)).id;
        const yardId = (await draw('maintenance', circle(1500, 200, 700))).id;
        const reports = reportsOf(drive, order);
        for (const report of reports.slice(0, 4)) await intake.store(deviceId, report, now);
        await settle(deviceId, now);
        await pack(() => true);
        const fieldId = (await draw('work', { outline: square }, now)).id;
        const wider = circle(0, 0, 650);
        await fences.updateGeofence(callOf(owner, { key: depotId, body: wider, now }));
        for (const report of reports.slice(4)) await intake.store(deviceId, report, now);
        await settle(deviceId, now);

        const zones = { work: [wider, { outline: square }], maintenance: [circle(1500, 200, 700)] };
        await check('partly packed', deviceId, drive, zones, ranges, now);
        await pack(() => true);
        await check('packed', deviceId, drive, zones, ranges, now);

        await fences.deleteGeofence(callOf(owner, { key: fieldId, now }));
        await check('with a fence less', deviceId, drive, { ...zones, work: [wider] }, ranges, now);

        const index = Math.floor((gone * (drive.points.length - 1)) / 1000);
        const lost = drive.points[index]!.timestamp;
        const rest = { ...drive, points: drive.points.toSpliced(index, 1) };
        await store.transaction(async (tx) => {
          await tx.deleteFrom('points').where('deviceId', '=', deviceId).where('timestamp', '=', lost).execute();
          await markLate(tx, deviceId, lost);
        });
        await settle(deviceId, now);
        await pack(() => true);
        await check('with a position less', deviceId, rest, { ...zones, work: [wider] }, ranges, now);
        for (const key of [depotId, yardId]) await fences.deleteGeofence(callOf(owner, { key, now }));
      }),
      { numRuns: 25, seed: 11, endOnFailure: true },
    );
  });
});

/** The same but for the last digits: sums are added up in another order. */
function assertClose(actual: unknown, expected: unknown, what: string): void {
  if (typeof actual === 'number' && typeof expected === 'number') {
    const error = Math.abs(actual - expected);
    assert.ok(error <= 1e-6 + 1e-9 * Math.abs(expected), `${what} is ${actual} instead of ${expected}`);
  } else if (typeof actual === 'object' && actual !== null && typeof expected === 'object' && expected !== null) {
    assert.deepEqual(Object.keys(actual), Object.keys(expected), what);
    for (const [key, value] of Object.entries(expected))
      assertClose((actual as Record<string, unknown>)[key], value, `${what}.${key}`);
  } else assert.equal(actual, expected, what);
}
