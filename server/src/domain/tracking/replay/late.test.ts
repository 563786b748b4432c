import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createLog } from '../../../platform/log.ts';
import type { Report, ReportedPoint } from '../../../reports.ts';
import { onEitherEngine } from '../../../testing/databases.ts';
import { callOf, makeDevice, makeUser, NOW } from '../../../testing/people.ts';
import { deviceAccess } from '../../devices/access.ts';
import { geofenceOperations } from '../../geofences/operations.ts';
import { packDay } from '../../positions/pack.ts';
import { positions } from '../../positions/positions.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { triggerOperations } from '../../triggers/operations.ts';
import { vehicleReport } from '../api/vehicle-report.ts';
import { Pipeline } from '../pipeline.ts';
import { RulesCache } from '../state/rules-cache.ts';
import { decideDue } from '../timers/due.ts';
import { packer } from '../timers/pack-trips.ts';
import { replay } from './replay.ts';

const MINUTE = 60_000;
const M = 1 / 111_195;
const START = NOW + 10 * MINUTE;
const END = START + 12 * 60 * MINUTE;
/** Long enough after the last report that the clock decides. */
const SETTLED = END + 5 * MINUTE;
const WINDOW_MS = 30 * 86_400_000;

interface Step {
  readonly gapS: number;
  readonly metres: number;
  readonly speedKmh: number;
  readonly temp: number | null;
  readonly wild: boolean;
  readonly ignition: 'bit' | boolean | null;
}

const step = fc.record<Step>({
  gapS: fc.integer({ min: 5, max: 900 }),
  metres: fc.integer({ min: -600, max: 600 }),
  speedKmh: fc.integer({ min: 0, max: 40 }),
  temp: fc.option(fc.integer({ min: 0, max: 40 }), { nil: null }),
  wild: fc.boolean().map((wild) => wild),
  ignition: fc.constantFrom<Step['ignition'][]>('bit', 'bit', true, false, null, null, null, null),
});

/** What a device says over time: small reports, one after the other in fix time. */
function reportsOf(steps: readonly Step[]): Report[] {
  let at = START;
  return steps.map(({ gapS, metres, speedKmh, temp, wild, ignition }, index) => {
    at += gapS * 1000;
    const lat = (wild && index % 5 === 4 ? 60 : 0) + metres * M;
    const point: ReportedPoint = {
      timestamp: at,
      location: { lat, lng: 0 },
      speedKmh,
      accuracyM: 8,
      alertType: (index % 7 === 0 ? 8 : 0) + (ignition === 'bit' ? 32 : 0),
    };
    const readings = [
      ...(temp === null ? [] : [{ timestamp: at, type: 'temp', value: temp }]),
      ...(typeof ignition === 'boolean' ? [{ timestamp: at, type: 'ignition', value: ignition }] : []),
    ];
    return { points: [point], readings, gatewayReadings: [], messages: [] };
  });
}

const joined = (reports: readonly Report[]): Report => ({
  points: reports.flatMap(({ points }) => points),
  readings: reports.flatMap(({ readings }) => readings),
  gatewayReadings: [],
  messages: [],
});

onEitherEngine<Tables>('late data', { migrations: MIGRATIONS }, (open) => {
  async function makeFleet(store: Store) {
    const owner = await makeUser(store, 'owner@example.com');
    const access = deviceAccess(store);
    const fences = geofenceOperations(store, access);
    const circle = { center: { lat: 0, lng: 0 }, radius: 150 };
    for (const body of [
      { name: 'Depot', type: 'work', ...circle },
      { name: 'Slow', ...circle, radius: 250, meta: { enterAfter: 120, exitAfter: 60 } },
    ]) {
      await fences.createGeofence(callOf(owner, { body, sent: {} }));
    }
    const triggers = triggerOperations(store, access, () => undefined);
    const device = async () => {
      const deviceId = await makeDevice(store, owner.userId);
      for (const body of [
        { type: 'geofence', muteFor: 0 },
        { type: 'geoEntry', muteFor: 600 },
        { type: 'speed', parameters: { limit: 30, for: 60 }, muteFor: 0 },
        { type: 'temp', parameters: { min: 5, max: 30 }, muteFor: 0 },
        { type: 'motionStop', parameters: { for: 300 }, muteFor: 0 },
        { type: 'button', muteFor: 0 },
      ]) {
        await triggers.createNotificationTrigger(
          callOf(owner, { deviceId, body: { parameters: {}, delivery: {}, ...body }, sent: {} }),
        );
      }
      return deviceId;
    };
    return { device, userId: owner.userId };
  }

  /** Optionally, the last half of the reports comes while a replay runs, between its evaluating and its commit. */
  async function send(store: Store, deviceId: number, batches: readonly Report[], isFlood = false): Promise<void> {
    const rulesCache = new RulesCache(store, WINDOW_MS);
    const late = new Set<number>();
    const pack = packer(store);
    const ingest = new Pipeline(store, rulesCache, {
      windowMs: WINDOW_MS,
      publish: () => {},
      lateDataOf: (id) => late.add(id),
    });
    const flood = isFlood ? batches.slice(batches.length / 2) : [];
    for (const batch of batches.slice(0, batches.length - flood.length)) {
      await ingest.store(deviceId, batch, END);
      // Now and then the replay runs in between, as it would, and trips are packed.
      if (batch.points.length % 2 === 0) {
        if (late.size > 0) await replay(store, rulesCache, deviceId, () => END);
        await pack(() => true);
      }
      // Positions are packed only when they are old, but it must not matter when.
      if (batch.points.length % 3 === 0)
        for (const at of [START, END]) await store.transaction((tx) => packDay(tx, deviceId, at));
    }
    while (flood.length > 0) {
      const said = async () => void (await ingest.store(deviceId, flood.shift()!, END));
      // Nothing to evaluate again: it is said all the same.
      if ((await replay(beforeCommit(store, said), rulesCache, deviceId, () => END)) === undefined) await said();
    }
    for (let outcome = await replay(store, rulesCache, deviceId, () => END); outcome; )
      outcome = await replay(store, rulesCache, deviceId, () => END);
    await decideDue(store, rulesCache, SETTLED, { log: createLog('silent'), goOn: () => true, fired: () => {} });
  }

  /** The same store, with a hook before every second transaction, which contains the corrections of a replay. */
  function beforeCommit(store: Store, happen: () => Promise<void>): Store {
    let transactions = 0;
    const transaction: Store['transaction'] = async (work) => {
      if (++transactions % 2 === 0) await happen();
      return store.transaction(work);
    };
    return { ...store, transaction };
  }

  /** Everything that must not depend on the order of arrival. */
  async function outcome(store: Store, deviceId: number, userId: number) {
    const row = await store.query
      .selectFrom('deviceStates')
      .selectAll()
      .where('deviceId', '=', deviceId)
      .executeTakeFirstOrThrow();
    const points = await positions(store.query, {
      deviceId,
      from: 0,
      to: Number.MAX_SAFE_INTEGER,
      limit: Number.MAX_SAFE_INTEGER,
      columns: ['id', 'timestamp', 'judged'],
    });
    const timeOf = new Map(points.map(({ id, timestamp }) => [id, timestamp]));
    const trips = await store.query
      .selectFrom('trips')
      .selectAll()
      .where('deviceId', '=', deviceId)
      .orderBy('start')
      .execute();
    const stops = await store.query
      .selectFrom('stops')
      .selectAll()
      .where('deviceId', '=', deviceId)
      .orderBy('start')
      .execute();
    const ignition = await store.query
      .selectFrom('ignitionChanges')
      .select(['at', 'isOn'])
      .where('deviceId', '=', deviceId)
      .orderBy('at')
      .orderBy('id')
      .execute();
    const asked = { kind: 'summary', userId, deviceId, from: START, to: END, now: SETTLED, tz: 'UTC' } as const;
    const zones = { work: { type: 'work' }, maintenance: { type: 'maintenance' } };
    const reports = async () => [
      await vehicleReport.read(store, { ...asked, ...zones }),
      await vehicleReport.read(store, { ...asked, ...zones, kind: 'activity' }),
    ];
    const before = await reports();
    await packer(store)(() => true);
    const packed = await store.query
      .selectFrom('trips')
      .select(['start', 'track'])
      .where('deviceId', '=', deviceId)
      .orderBy('start')
      .execute();
    assert.ok(packed.every(({ track }) => track));
    assert.deepEqual(await reports(), before, 'tracks say what the positions say');
    const events = await store.query
      .selectFrom('notifications')
      .innerJoin('triggerVersions', (join) =>
        join
          .onRef('triggerVersions.id', '=', 'notifications.triggerVersion')
          .onRef('triggerVersions.deviceId', '=', 'notifications.deviceId'),
      )
      .select([
        'notifications.timestamp',
        'notifications.decidedAt',
        'notifications.kind',
        'notifications.zoneId',
        'triggerVersions.trigger',
      ])
      .where('notifications.deviceId', '=', deviceId)
      .where('status', '!=', 'retracted')
      .execute();
    const withoutIds = (text: string) =>
      text.replaceAll(
        /"(pointId|startPointId|firstPointId)":\s*(\d+)/g,
        (_all, name, id) => `"${name}":${timeOf.get(Number(id))}`,
      );
    const state = JSON.parse(withoutIds(row.state));
    return {
      state: {
        ...state,
        triggers: Object.values(state.triggers).map((trigger) => ({ ...(trigger as object), version: 0 })),
      },
      dirty: row.lateFrom,
      judged: points.map(({ timestamp, judged }) => [timestamp, judged]),
      trips: trips.map(({ id: _, deviceId: __, track: ___, startPointId, endPointId, ...trip }) => ({
        ...trip,
        from: timeOf.get(startPointId),
        to: timeOf.get(endPointId),
      })),
      ignition: ignition.map(({ at, isOn }) => [at, isOn]),
      reports: before,
      tracks: packed.map(({ track }) => track),
      stops: stops.map(({ id: _, deviceId: __, ...stop }) => stop),
      events: events
        .map(({ trigger, ...event }) => JSON.stringify({ ...event, type: JSON.parse(trigger).type }))
        .sort(),
    };
  }

  test('any order, any duplication, any batching ends like arrival in order', async () => {
    const store: Store = await open();
    const { device, userId } = await makeFleet(store);
    const shuffledBatches = fc.array(step, { minLength: 2, maxLength: 30 }).chain((steps) => {
      const reports = reportsOf(steps);
      const extra = fc.subarray(reports);
      return extra.chain((again) =>
        fc
          .shuffledSubarray([...reports, ...again], { minLength: reports.length + again.length })
          .chain((shuffled) =>
            fc
              .array(fc.integer({ min: 1, max: 6 }), { minLength: shuffled.length, maxLength: shuffled.length })
              .map((sizes) => ({ reports, shuffled, sizes })),
          ),
      );
    });
    await fc.assert(
      fc.asyncProperty(shuffledBatches, async ({ reports, shuffled, sizes }) => {
        const [inOrder, anyhow] = [await device(), await device()];
        await send(store, inOrder, reports);
        const batches: Report[] = [];
        for (let from = 0, index = 0; from < shuffled.length; index++) {
          batches.push(joined(shuffled.slice(from, from + sizes[index]!)));
          from += sizes[index]!;
        }
        const expected = await outcome(store, inOrder, userId);
        await send(store, anyhow, batches);
        assert.deepEqual(await outcome(store, anyhow, userId), expected);
        const meanwhile = await device();
        await send(store, meanwhile, batches, true);
        assert.deepEqual(await outcome(store, meanwhile, userId), expected);
      }),
      { numRuns: 60, seed: 7, endOnFailure: false },
    );
  });
});
