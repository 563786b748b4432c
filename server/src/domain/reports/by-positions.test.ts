import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FleetReportKind } from '@trackway/contract/resources/fleet-report.ts';
import fc from 'fast-check';
import { createLog } from '../../platform/log.ts';
import { onEitherEngine } from '../../testing/databases.ts';
import { assertClose } from '../../testing/drives/assert-close.ts';
import { circle, type Drive, driveOf, phase, placeAt, reportsOf } from '../../testing/drives/drives.ts';
import { reportByPositions, speedingByPositions, visitsByPositions } from '../../testing/drives/report-by-positions.ts';
import { callOf, makeDevice, makeUser, NOW } from '../../testing/people.ts';
import { deviceAccess, visibleTo } from '../devices/access.ts';
import { geofenceOperations } from '../geofences/operations.ts';
import type { Span } from '../motion/activity.ts';
import { daysIn } from '../motion/days.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { Pipeline } from '../tracking/pipeline.ts';
import { replay } from '../tracking/replay/replay.ts';
import { RulesCache } from '../tracking/state/rules-cache.ts';
import { decideDue } from '../tracking/timers/due.ts';
import { packer } from '../tracking/timers/pack-trips.ts';
import { fleetReport } from './fleet-report.ts';

const MINUTE = 60_000;
const WINDOW_MS = 30 * 86_400_000;
/** Where midnight falls into most drives, and where the day has 23 or 25 hours twice a year. */
const ZONES = ['Europe/Berlin', 'Pacific/Auckland', 'Asia/Kathmandu'];
const LIMIT = 50;

onEitherEngine<Tables>('fleet reports', { migrations: MIGRATIONS }, (open) => {
  test('visits, speeding, utilisation and sums say what all positions say, whatever came late', async () => {
    const store: Store = await open();
    const owner = await makeUser(store, 'owner@example.com');
    const fences = geofenceOperations(store, deviceAccess(store));
    const rulesCache = new RulesCache(store, WINDOW_MS);
    const intake = new Pipeline(store, rulesCache, { windowMs: WINDOW_MS, publish: () => {}, lateDataOf: () => {} });
    const pack = packer(store);
    const shapes = [
      circle(0, 0, 400),
      { outline: [placeAt(800, -900), placeAt(800, 900), placeAt(2500, 900), placeAt(2500, -900)] },
      circle(1500, 200, 700),
    ];
    const ids: number[] = [];
    for (const shape of shapes)
      ids.push(((await fences.createGeofence(callOf(owner, { body: { name: 'F', ...shape } }))) as { id: number }).id);

    async function settle(deviceId: number, now: number): Promise<void> {
      while ((await replay(store, rulesCache, deviceId, () => now)) !== undefined);
      await decideDue(store, rulesCache, now, { log: createLog('silent'), goOn: () => true, fired: () => {} });
    }
    async function rowsOf(
      kind: FleetReportKind,
      deviceId: number,
      range: Span,
      tz: string,
      now: number,
      fenceIds?: readonly number[],
    ) {
      const asked = {
        kind,
        ...(fenceIds && { fenceIds }),
        userId: owner.userId,
        scope: visibleTo(owner.userId),
        deviceIds: [deviceId],
      };
      const made = await fleetReport.read(store, { ...asked, ...range, tz, now, limitKmh: LIMIT, namesPlaces: false });
      assert.ok(made !== 'tooMuch' && 'rows' in made);
      assert.ok(made.isComplete);
      return made.rows;
    }
    async function check(
      what: string,
      deviceId: number,
      { points, readings }: Drive,
      range: Span,
      tz: string,
      now: number,
    ) {
      const question = { ...range, now, settledAt: now };
      const visits = await rowsOf('visits', deviceId, range, tz, now);
      const plain = visitsByPositions(points, question, shapes)
        .map(({ shape, ...visit }) => ({ fenceId: ids[shape]!, ...visit }))
        .sort((a, b) => a.start - b.start || a.fenceId - b.fenceId);
      assert.deepEqual(
        visits.map(({ fenceId, start, end, entered, left }) => ({ fenceId, start, end, entered, left })),
        plain,
        `${what}: visits`,
      );
      const tooFast = await rowsOf('speeding', deviceId, range, tz, now);
      assert.deepEqual(
        tooFast.map(({ start, end, maxSpeed }) => ({ start, end, maxSpeed })),
        speedingByPositions(points, question, LIMIT),
        `${what}: speeding`,
      );
      assert.deepEqual(
        (await rowsOf('speeding', deviceId, range, tz, now, [ids[1]!, ids[2]!])).map((row) => ({
          ...{ start: row.start, end: row.end, maxSpeed: row.maxSpeed, fenceId: row.fenceId },
        })),
        // The smaller one lies within the other.
        speedingByPositions(points, question, LIMIT, [shapes[2]!, shapes[1]!]).map(({ shape, ...row }) => ({
          ...{ ...row, fenceId: shape === 0 ? ids[2] : ids[1] },
        })),
        `${what}: speeding in geofences`,
      );
      const [summary] = await rowsOf('summary', deviceId, range, tz, now);
      const fastest = Math.max(0, ...tooFast.map(({ maxSpeed }) => maxSpeed!));
      assert.equal(summary!.maxSpeed! > LIMIT ? summary!.maxSpeed : 0, fastest, `${what}: top speed of a summary`);
      const dayAt = daysIn(tz);
      const days: (Span & { day: string })[] = [];
      for (let from = range.from; from < Math.min(range.to, now); from = dayAt(from).end)
        days.push({ day: dayAt(from).day, from, to: Math.min(dayAt(from).end, range.to, now) });
      const pieces =
        reportByPositions(points, readings, { ...question, work: [], maintenance: [], hours: days })?.pieces ?? [];
      const used = await rowsOf('utilisation', deviceId, range, tz, now);
      assertClose(
        used.map(({ day, driving, idle, standing, ignition, distance, duration }) => ({
          ...{ day, driving, idle, standing, ignition, distance, duration },
        })),
        days.map(({ day, from, to }) => {
          const own = pieces.filter((piece) => piece.from >= from && piece.to <= to);
          const known = own.filter(({ ignition }) => ignition !== undefined);
          const seconds = (some: typeof own) => some.reduce((sum, piece) => sum + (piece.to - piece.from) / 1000, 0);
          return {
            day,
            driving: seconds(own.filter(({ state }) => state.startsWith('moving'))),
            idle: seconds(own.filter(({ state }) => state === 'idle')),
            standing: seconds(own.filter(({ state }) => state === 'off')),
            ignition: known.length === 0 ? null : seconds(known.filter(({ ignition }) => ignition)),
            distance: own.reduce((sum, { metres }) => sum + metres, 0),
            duration: (to - from) / 1000,
          };
        }),
        `${what}: utilisation`,
      );
      // Utilisation begins at the first fix in the range, a summary at the range.
      if (range.from < NOW)
        assertClose(
          (await rowsOf('days', deviceId, range, tz, now)).map(({ day, distance }) => ({ day, distance })),
          used.filter(({ distance }) => distance! > 0).map(({ day, distance }) => ({ day, distance })),
          `${what}: days`,
        );
    }

    const everything = fc.record({
      phases: fc.array(phase, { minLength: 4, maxLength: 24 }),
      isRounded: fc.boolean(),
      order: fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 6 }),
      from: fc.nat({ max: 1000 }),
      to: fc.nat({ max: 1000 }),
      tz: fc.constantFrom(...ZONES),
    });
    await fc.assert(
      fc.asyncProperty(everything, async ({ phases, isRounded, order, from, to, tz }) => {
        const deviceId = await makeDevice(store, owner.userId);
        const drive = driveOf(phases, isRounded);
        const lastAt = drive.points.at(-1)!.timestamp;
        const now = lastAt + 5 * MINUTE;
        const at = (share: number) => Math.round(NOW + ((lastAt - NOW) * share) / 1000);
        const whole = { from: NOW - MINUTE, to: now + 60 * MINUTE };
        const part = { from: at(Math.min(from, to)), to: at(Math.max(from, to)) + 1 };
        const reports = reportsOf(drive, order);
        for (const report of reports.slice(0, 4)) await intake.store(deviceId, report, now);
        await settle(deviceId, now);
        await pack(() => true);
        for (const report of reports.slice(4)) await intake.store(deviceId, report, now);
        await settle(deviceId, now);
        for (const range of [whole, part]) await check('partly packed', deviceId, drive, range, tz, now);
        await pack(() => true);
        for (const range of [whole, part]) await check('packed', deviceId, drive, range, tz, now);
      }),
      { numRuns: 30, seed: 16, endOnFailure: true },
    );
  });
});
