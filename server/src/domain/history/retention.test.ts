import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Report } from '../../reports.ts';
import { onBothEngines } from '../../testing/databases.ts';
import { makeDevice, makeUser } from '../../testing/people.ts';
import { exportChunk } from '../motion/export.ts';
import { cutOf, DAY_MS } from '../positions/segments.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { newestPoints } from '../tracking/api/newest-points.ts';
import { readTimeline } from '../tracking/api/read-timeline.ts';
import { vehicleReport } from '../tracking/api/vehicle-report.ts';
import { positionPacker } from '../tracking/timers/pack-positions.ts';
import { historyForgetter } from './forget-history.ts';
import { THINNED_MS } from './forget-positions.ts';
import type { KeptHistory } from './kept-history.ts';
import { previewRetention } from './preview.ts';
import { always, evaluatedStore, FOREVER, log } from './testing/evaluated-store.ts';

const HOUR_MS = 3_600_000;
const START = Date.parse('2026-05-01T00:00:00.000Z');
const KEEP_DAYS = 3;

/** A drive of ten minutes, a position in five seconds, and half an hour of rest. */
function driveOf(day: number, hour: number): Report {
  const from = START + day * DAY_MS + hour * HOUR_MS;
  const points = Array.from({ length: 140 }, (_, index) => {
    const isDriving = index < 120;
    return {
      timestamp: from + (isDriving ? index * 5000 : 600_000 + (index - 120) * 90_000),
      location: { lat: 46 + day / 10 + Math.min(index, 120) * 0.0008, lng: 11 + hour / 100 },
      speedKmh: isDriving ? 64 : 0,
      accuracyM: 5,
    };
  });
  const readings = [{ timestamp: from, type: 'temp', value: day + hour / 100 }];
  return { points, readings, gatewayReadings: [], messages: [] };
}

onBothEngines<Tables>('retention', { migrations: MIGRATIONS }, (open) => {
  async function setting(kept: Partial<KeptHistory> = {}) {
    const store: Store = await open();
    const owner = await makeUser(store, 'owner@example.com');
    const { all, intake, settle, forgetter, timesOf } = evaluatedStore(store, kept);
    /** As if the process had just started: it looks at all devices. */
    const forget = (now: number) => historyForgetter(store, { kept: all, log }).run(now, always);
    const journeysOf = async (deviceId: number) => {
      const trips = await store.query
        .selectFrom('trips')
        .select(['start', 'end', 'distance', 'idle', 'maxSpeed'])
        .where('deviceId', '=', deviceId)
        .orderBy('start')
        .execute();
      const stops = store.query.selectFrom('stops').select(['start', 'end']).where('deviceId', '=', deviceId);
      return {
        trips: trips.map((one) => ({ ...one })),
        stops: (await stops.orderBy('start').execute()).map((one) => ({ ...one })),
      };
    };
    const floorOf = async (deviceId: number) =>
      (
        await store.query
          .selectFrom('deviceStates')
          .select('forgottenUntil')
          .where('deviceId', '=', deviceId)
          .executeTakeFirstOrThrow()
      ).forgottenUntil;
    return { store, owner, intake, settle, forget, forgetter, timesOf, journeysOf, floorOf };
  }

  const day = fc.record({
    /** Which drives of the day come days later. */
    lateBy: fc.tuple(fc.integer({ min: 0, max: 2 }), fc.integer({ min: 0, max: 2 })),
    isPacked: fc.boolean(),
    isForgotten: fc.boolean(),
  });

  test('what is read after storing, packing, forgetting and late reports is what is kept, and trips stay as they were', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(day, { minLength: 6, maxLength: 6 }), async (days) => {
        const { store, owner, intake, settle, forget, timesOf, journeysOf, floorOf } = await setting();
        const short = await makeDevice(store, owner.userId, { name: 'Short', keepDays: KEEP_DAYS });
        const long = await makeDevice(store, owner.userId, { name: 'Long' });
        const sentOn = new Map<number, Report[]>();
        for (const [index, { lateBy }] of days.entries())
          for (const [which, hour] of [8, 17].entries()) {
            const on = index + lateBy[which]!;
            sentOn.set(on, [...(sentOn.get(on) ?? []), driveOf(index, hour)]);
          }
        const stored = new Set<number>();
        for (let index = 0; index < days.length + 2; index += 1) {
          const now = START + index * DAY_MS + 20 * HOUR_MS;
          for (const report of sentOn.get(index) ?? []) {
            await intake.store(short, report, now);
            await intake.store(long, report, now);
            for (const { timestamp } of report.points) stored.add(timestamp!);
          }
          await settle(short, now);
          await settle(long, now);
          const { isPacked, isForgotten } = days[index] ?? { isPacked: true, isForgotten: true };
          if (isPacked) await positionPacker(store)(now - 2 * DAY_MS, always);
          if (isForgotten) {
            await forget(now);
            const cut = cutOf(now, KEEP_DAYS)!;
            const floor = (await floorOf(short)) ?? 0;
            assert.ok(floor <= cut && Math.min(...(await timesOf(short))) > cut - 2 * HOUR_MS - DAY_MS);
          }
          const floor = (await floorOf(short)) ?? 0;
          const expected = [...stored].filter((at) => at >= floor).sort((a, b) => a - b);
          assert.deepEqual(await timesOf(short), expected);
          assert.deepEqual(
            await timesOf(long),
            [...stored].sort((a, b) => a - b),
          );
          assert.deepEqual(await journeysOf(short), await journeysOf(long));
        }
        const now = START + (days.length + 1) * DAY_MS + 20 * HOUR_MS;
        const times = await timesOf(short);
        assert.ok(times.length < stored.size, 'something was forgotten');
        assert.ok((await journeysOf(short)).trips.length >= 2 * days.length - 1);
        // Where everything must be evaluated again, with and without checkpoints, trips of what is gone stay.
        for (const hasCheckpoints of [true, false]) {
          const journeys = await journeysOf(short);
          if (!hasCheckpoints) await store.query.deleteFrom('checkpoints').where('deviceId', '=', short).execute();
          await store.query.updateTable('deviceStates').set({ lateFrom: 0 }).where('deviceId', '=', short).execute();
          await settle(short, now);
          const after = await journeysOf(short);
          const floor = (await floorOf(short))!;
          assert.deepEqual(
            after.trips.filter(({ end }) => end < floor),
            journeys.trips.filter(({ end }) => end < floor),
          );
          assert.equal(after.trips.length, journeys.trips.length);
        }
        await assertReadsAgree(store, { deviceId: short, userId: owner.userId, now }, times, long);
      }),
      { numRuns: 2, endOnFailure: true },
    );
  });

  /** Lists, exports, playback and the newest show what the one reader of positions does; reports sum trips. */
  async function assertReadsAgree(
    store: Store,
    { deviceId, userId, now }: { deviceId: number; userId: number; now: number },
    times: readonly number[],
    whole: number,
  ): Promise<void> {
    const span = { from: 0, to: now };
    let gpx = '';
    let after: Awaited<ReturnType<typeof exportChunk.read>>['after'];
    do {
      const chunk = await store.readWork(exportChunk)(
        { device: { id: deviceId, name: 'a' }, format: 'gpx', ...span, after },
        'me',
      );
      gpx += chunk.text;
      after = chunk.after;
    } while (after !== undefined);
    assert.equal(gpx.match(/<trkpt/g)?.length, times.length);
    const timeline = await store.readWork(readTimeline)({ deviceId, type: 'datapoint', since: 0, until: now }, 'me');
    assert.ok(
      !JSON.stringify(timeline).includes(new Date(times[0]! - 1).toISOString().slice(0, 10)) || times.length > 0,
    );
    const newest = JSON.parse((await newestPoints(store, [deviceId], { count: 1 })).get(deviceId)!) as {
      timestamp: string;
    }[];
    assert.equal(Date.parse(newest[0]!.timestamp), times.at(-1));
    const nowhere = { work: { ids: [] }, maintenance: { ids: [] } };
    const asked = { kind: 'summary', userId, from: START, to: now, now, tz: 'UTC', ...nowhere } as const;
    const sums = async (id: number) => {
      const made = await vehicleReport.read(store, { ...asked, deviceId: id });
      assert.ok(made !== 'tooMuch' && 'sums' in made);
      return [made.sums.numTrips, Math.round((made.sums.totalDist ?? 0) / 100)];
    };
    assert.deepEqual(await sums(deviceId), await sums(whole));
  }

  test('what is older than what is kept is not stored, by reports and imports', async () => {
    const { store, owner, intake, timesOf } = await setting({ positions: 30, readings: 10 });
    const deviceId = await makeDevice(store, owner.userId);
    const now = START + 40 * DAY_MS;
    const both = { ...driveOf(2, 8), points: [...driveOf(2, 8).points, ...driveOf(35, 8).points] };
    assert.deepEqual(
      { ...(await intake.store(deviceId, both, now)) },
      {
        accepted: 140,
        duplicates: 0,
        expired: 141,
        hasPending: false,
        quarantined: [],
      },
    );
    assert.equal((await timesOf(deviceId)).length, 140);
    const imported = await intake.store(deviceId, { ...driveOf(3, 8), readings: [], isImported: true }, now);
    assert.deepEqual([imported?.accepted, imported?.expired], [0, 140]);
  });

  test('the newest position, reading and state stay, and everything else goes by its own setting', async () => {
    const kept = { positions: 4, readings: 4, trips: 20, notifications: 8, checkpoints: 8 };
    const { store, owner, intake, settle, forget, timesOf, journeysOf } = await setting(kept);
    const deviceId = await makeDevice(store, owner.userId);
    const other = await makeDevice(store, owner.userId);
    for (const on of [0, 1, 2]) await intake.store(deviceId, driveOf(on, 8), START + on * DAY_MS + 10 * HOUR_MS);
    await settle(deviceId, START + 3 * DAY_MS);
    const trips = await journeysOf(deviceId);
    assert.equal(trips.trips.length, 3);
    const state = async () =>
      (
        await store.query
          .selectFrom('deviceStates')
          .select('state')
          .where('deviceId', '=', deviceId)
          .executeTakeFirstOrThrow()
      ).state;
    const before = await state();
    for (const timestamp of [START, START + 11 * DAY_MS])
      await store.query
        .insertInto('notifications')
        .values({
          deviceId,
          userId: owner.userId,
          timestamp,
          decidedAt: timestamp,
          kind: 'x',
          created: timestamp,
          status: 'valid',
          params: '{}',
          explanation: '{}',
          triggerId: 1,
          triggerVersion: 1,
        } as never)
        .execute();
    const preview = await previewRetention(store, {
      kept: { ...FOREVER, ...kept },
      now: START + 12 * DAY_MS,
      owner: 'me',
    });
    assert.deepEqual(
      [preview.positions.count, preview.readings.count, preview.trips.count, preview.notifications.count],
      [420, 3, 0, 1],
      'the newest are among them, but stay',
    );
    assert.equal(preview.positions.oldest, driveOf(0, 8).points[0]!.timestamp);
    assert.ok(preview.positions.bytes > 10_000);
    await forget(START + 12 * DAY_MS);
    assert.deepEqual(await timesOf(deviceId), [driveOf(2, 8).points.at(-1)!.timestamp]);
    assert.equal(await state(), before);
    const readings = await store.query.selectFrom('gatewayReadings').select('value').execute();
    assert.deepEqual(
      readings.map(({ value }) => JSON.parse(value)),
      [2.08],
    );
    assert.equal((await store.query.selectFrom('notifications').select('id').execute()).length, 1);
    assert.deepEqual(await journeysOf(deviceId), trips, 'trips are kept longer');
    const tracks = await store.query.selectFrom('trips').select('track').execute();
    assert.deepEqual(
      tracks.map(({ track }) => track),
      ['', '', ''],
      'but not the way they took',
    );
    const checkpoints = await store.query.selectFrom('checkpoints').select('at').execute();
    assert.equal(checkpoints.length, 1, 'the state of the newest position');
    await forget(START + 40 * DAY_MS);
    assert.deepEqual(await journeysOf(deviceId), { trips: [], stops: [] });
    assert.equal((await timesOf(deviceId)).length, 1);
    assert.deepEqual(await timesOf(other), []);
  });

  test('a device with pending evaluation is processed later', async () => {
    const { store, owner, intake, settle, forgetter, timesOf } = await setting({ positions: 2 });
    const deviceId = await makeDevice(store, owner.userId);
    await intake.store(deviceId, driveOf(0, 8), START + 10 * HOUR_MS);
    await settle(deviceId, START + DAY_MS);
    await store.query.updateTable('deviceStates').set({ lateFrom: START }).execute();
    const now = START + 9 * DAY_MS;
    await forgetter.run(now, always);
    assert.equal((await timesOf(deviceId)).length, 140);
    await store.query.updateTable('deviceStates').set({ lateFrom: null }).execute();
    await forgetter.run(now, always);
    assert.equal((await timesOf(deviceId)).length, 1);
    assert.equal(forgetter.progress().removed.positions, 139);
  });

  test('the plan of a device may say fewer days', async () => {
    const { store, owner, intake, settle, forget, timesOf } = await setting({ positions: 300 });
    const deviceId = await makeDevice(store, owner.userId, { keepDays: 100 });
    await store.query
      .insertInto('plans')
      .values({ name: 'small', days: 30, keepDays: 2 } as never)
      .execute();
    const { id: planId } = await store.query.selectFrom('plans').select('id').executeTakeFirstOrThrow();
    await store.query
      .insertInto('subscriptions')
      .values({ deviceId, userId: owner.userId, planId, start: START, end: START + 30 * DAY_MS, renews: 0 } as never)
      .execute();
    await intake.store(deviceId, driveOf(0, 8), START + 10 * HOUR_MS);
    await settle(deviceId, START + DAY_MS);
    await forget(START + 9 * DAY_MS);
    assert.equal((await timesOf(deviceId)).length, 1);
    const late = await intake.store(deviceId, driveOf(1, 8), START + 9 * DAY_MS);
    assert.equal(late?.expired, 141);
  });

  test('thinning keeps one position in 30 seconds, and where trips and stops begin and end', async () => {
    const { store, owner, intake, settle, forget, timesOf, journeysOf } = await setting({ thinAfter: 1 });
    const deviceId = await makeDevice(store, owner.userId);
    for (const on of [0, 1]) await intake.store(deviceId, driveOf(on, 8), START + on * DAY_MS + 10 * HOUR_MS);
    await settle(deviceId, START + 2 * DAY_MS);
    const before = await journeysOf(deviceId);
    const all = await timesOf(deviceId);
    await positionPacker(store)(START + DAY_MS, always);
    await forget(START + 2 * DAY_MS);
    assert.deepEqual(await timesOf(deviceId), all, 'not before it could still be evaluated again');
    await forget(START + 9 * DAY_MS);
    const times = await timesOf(deviceId);
    assert.ok(times.length > 60 && times.length < 120, `${times.length} are left`);
    for (const [index, at] of times.slice(1).entries()) {
      const isEdge = [...before.trips, ...before.stops].some(({ start, end }) => [start, end].includes(at));
      assert.ok(
        isEdge ||
          at - times[index]! >= THINNED_MS ||
          times[index - 1] === undefined ||
          at - times[index - 1]! >= THINNED_MS ||
          at === all.at(-1),
      );
    }
    for (const { start, end } of before.trips) assert.ok(times.includes(start) && times.includes(end));
    assert.deepEqual(await journeysOf(deviceId), before);
    await forget(START + 9 * DAY_MS);
    assert.deepEqual(await timesOf(deviceId), times, 'it is thinned once');
  });
});
