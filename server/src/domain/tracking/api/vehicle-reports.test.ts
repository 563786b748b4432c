import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createLog } from '../../../platform/log.ts';
import type { Place } from '../../../platform/sphere.ts';
import { onEitherEngine } from '../../../testing/databases.ts';
import { assertClose } from '../../../testing/drives/assert-close.ts';
import { circle, type Drive, driveOf, phase, placeAt, reportsOf } from '../../../testing/drives/drives.ts';
import { reportByPositions } from '../../../testing/drives/report-by-positions.ts';
import { callOf, makeDevice, makeUser, NOW } from '../../../testing/people.ts';
import { deviceAccess } from '../../devices/access.ts';
import type { Shape } from '../../geofences/area.ts';
import { geofenceOperations } from '../../geofences/operations.ts';
import type { Span } from '../../motion/activity.ts';
import { type WorkHours, workSpans } from '../../motion/visits.ts';
import { positions } from '../../positions/positions.ts';
import { deletePositions } from '../../positions/write.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { Pipeline } from '../pipeline.ts';
import { replay } from '../replay/replay.ts';
import { RulesCache } from '../state/rules-cache.ts';
import { markLate } from '../state/save-state.ts';
import { decideDue } from '../timers/due.ts';
import { packer } from '../timers/pack-trips.ts';
import { vehicleReport } from './vehicle-report.ts';

const MINUTE = 60_000;
const WINDOW_MS = 30 * 86_400_000;
const BERLIN = 'Europe/Berlin';
const HOURS: WorkHours = { from: 8 * 60, to: 17 * 60 + 30, days: [1, 2, 3, 4, 5] };
const NIGHT: WorkHours = { from: 22 * 60, to: 3 * 60, days: [0, 1, 2, 3, 4, 5, 6] };

onEitherEngine<Tables>('vehicle reports', { migrations: MIGRATIONS }, (open) => {
  async function setting() {
    const store: Store = await open();
    const owner = await makeUser(store, 'owner@example.com');
    const fences = geofenceOperations(store, deviceAccess(store));
    const rulesCache = new RulesCache(store, WINDOW_MS);
    const intake = new Pipeline(store, rulesCache, { windowMs: WINDOW_MS, publish: () => {}, lateDataOf: () => {} });
    const pack = packer(store);

    /** All that waits is evaluated, and the clock decides. */
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
        const reported = await vehicleReport.read(store, { ...asked, ...range, ...nowhere, kind: 'activity' });
        assert.ok(bare !== 'tooMuch' && 'sums' in bare && reported !== 'tooMuch' && 'activity' in reported);
        if (plain === undefined) continue;
        assertClose(bare.sums, plain.sums, `${what}: sums without zones`);
        assertClose(
          reported.activity.log.map(({ state, start, end, distance }) => ({ state, start, end, distance })),
          plain.states,
          `${what}: states`,
        );
      }
    }

    return { store, owner, fences, intake, pack, settle, check };
  }

  test('they match all positions, with late data and with packed or unpacked trips', async () => {
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
        const remaining = { ...drive, points: drive.points.toSpliced(index, 1) };
        await store.transaction(async (tx) => {
          const at = { deviceId, from: lost, to: lost, columns: ['id'], limit: 10 } as const;
          const ids = (await positions(tx, at)).map(({ id }) => id);
          await deletePositions(tx, ids);
          await markLate(tx, deviceId, lost);
        });
        await settle(deviceId, now);
        await pack(() => true);
        await check('with a position less', deviceId, remaining, { ...zones, work: [wider] }, ranges, now);
        for (const key of [depotId, yardId]) await fences.deleteGeofence(callOf(owner, { key, now }));
      }),
      { numRuns: 25, seed: 11, endOnFailure: true },
    );
  });
});
