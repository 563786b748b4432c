import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '../../../calls.ts';
import { onBothEngines } from '../../../testing/databases.ts';
import { callOf, makeDevice, makeUser, shareWith } from '../../../testing/people.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { fleetReportOperations } from './operations.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at as clients see them.
type Answer = any;

const HOUR = 3_600_000;
const at = (text: string) => Date.parse(text);
const RANGE = { from: at('2026-06-01T00:00:00+02:00'), to: at('2026-06-03T00:00:00+02:00'), tz: 'Europe/Berlin' };

onBothEngines<Tables>('reports on several devices', { migrations: MIGRATIONS }, (open) => {
  async function setting() {
    const store: Store = await open();
    const owner = await makeUser(store, 'owner@example.com');
    const other = await makeUser(store, 'other@example.com');
    const [van, car] = [
      await makeDevice(store, owner.userId, { name: 'Van' }),
      await makeDevice(store, owner.userId, { name: 'Car' }),
    ];
    const foreign = await makeDevice(store, other.userId, { name: 'Foreign' });
    const trip = (deviceId: number, start: number, hours: number, distance: number) =>
      store.query
        .insertInto('trips')
        .values({
          deviceId,
          start,
          end: start + hours * HOUR,
          distance,
          duration: hours * 3600,
          idle: 60,
          maxSpeed: 80,
          averageSpeed: 40,
          startLocationLat: 50,
          startLocationLng: 8,
          endLocationLat: 51,
          endLocationLng: 9,
          startPointId: 1,
          endPointId: 2,
          decidedAt: start,
        })
        .execute();
    // Two hours before and two after midnight in Berlin.
    await trip(van, at('2026-06-01T22:00:00+02:00'), 4, 4000);
    // One hour of two is before the range.
    await trip(van, at('2026-05-31T23:00:00+02:00'), 2, 2000);
    await trip(foreign, at('2026-06-01T10:00:00Z'), 1, 9999);
    await store.query
      .insertInto('stops')
      .values({
        deviceId: van,
        start: at('2026-05-31T12:00:00+02:00'),
        end: at('2026-06-01T12:00:00+02:00'),
        duration: 86_400,
        locationLat: 50,
        locationLng: 8,
        decidedAt: 0,
      } as never)
      .execute();
    const operations = fleetReportOperations(store);
    const report = (who: Caller, body: object): Promise<Answer> =>
      operations.fleetReport(callOf(who, { body: { ...RANGE, ...body } }) as never);
    return { store, owner, other, van, car, foreign, report };
  }

  test('days are cut at midnight of the time zone, and at the edge of the range', async () => {
    const { owner, van, report } = await setting();
    const { rows, isComplete } = await report(owner, { kind: 'days' });
    assert.ok(isComplete);
    assert.deepEqual(
      rows.map(({ deviceId, name, day, trips, distance, duration }: Answer) => [
        deviceId,
        name,
        day,
        trips,
        Math.round(distance),
        duration,
      ]),
      [
        [van, 'Van', '2026-06-01', 2, 3000, 3 * 3600],
        [van, 'Van', '2026-06-02', 1, 2000, 2 * 3600],
      ],
    );
  });

  test('a summary has a row for each device, one that did nothing included', async () => {
    const { owner, van, car, report } = await setting();
    const { rows } = await report(owner, { kind: 'summary' });
    assert.deepEqual(
      rows.map(({ deviceId, trips, days, distance, maxSpeed, start, end }: Answer) => [
        deviceId,
        trips,
        days,
        Math.round(distance),
        maxSpeed,
        start,
        end,
      ]),
      [
        [van, 2, 2, 5000, 80, '2026-05-31T22:00:00.000Z', '2026-06-02T00:00:00.000Z'],
        [car, 0, 0, 0, 0, null, null],
      ],
    );
  });

  test('trips are whole, stops are counted as far as they lie in the range', async () => {
    const { owner, report } = await setting();
    const trips = (await report(owner, { kind: 'trips' })).rows;
    assert.deepEqual(
      trips.map(({ distance, startLocation, endLocation }: Answer) => [distance, startLocation.lat, endLocation.lat]),
      [
        [2000, 50, 51],
        [4000, 50, 51],
      ],
    );
    const [stop] = (await report(owner, { kind: 'stops' })).rows;
    assert.deepEqual([stop.duration, stop.distance, stop.startLocation], [12 * 3600, null, { lat: 50, lng: 8 }]);
  });

  test('nobody gets rows of a device that they may not see', async () => {
    const { store, owner, other, van, foreign, report } = await setting();
    const seen = async (who: Caller, body: object = {}) =>
      (await report(who, { kind: 'trips', ...body })).rows.map(({ deviceId }: Answer) => deviceId);
    assert.deepEqual(await seen(other), [foreign]);
    assert.deepEqual(await seen(owner, { deviceIds: [van] }), [van, van]);
    await assert.rejects(seen(owner, { deviceIds: [van, foreign] }), { statusCode: 422 });
    await shareWith(store, foreign, owner.userId, 'view');
    assert.deepEqual(await seen(owner, { deviceIds: [foreign] }), [foreign]);
    const limited = { ...owner, scope: { access: 'read', deviceIds: [van] } } as Caller;
    assert.deepEqual(await seen(limited), [van, van]);
    await assert.rejects(seen(limited, { deviceIds: [foreign] }), { statusCode: 422 });
    const admin = { ...(await makeUser(store, 'admin@example.com', true)), scope: undefined };
    assert.equal((await seen(admin)).length, 3);
  });

  test('a range that is none, too long, or of no time zone is refused', async () => {
    const { owner, report } = await setting();
    const wrong = [{ to: RANGE.from }, { to: RANGE.from + 94 * 24 * HOUR }, { tz: 'Nowhere/Here' }];
    for (const body of wrong) await assert.rejects(report(owner, { kind: 'days', ...body }), { statusCode: 422 });
  });
});
