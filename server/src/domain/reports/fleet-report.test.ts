import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '../../calls.ts';
import { onEitherEngine } from '../../testing/databases.ts';
import { callOf, makeDevice, makeUser, shareWith } from '../../testing/people.ts';
import { storePositions } from '../../testing/positions.ts';
import { storeReadings } from '../../testing/readings.ts';
import { deviceAccess } from '../devices/access.ts';
import { geofenceOperations } from '../geofences/operations.ts';
import { packTrack } from '../motion/trip-track.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { fleetReportOperations } from './operations.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at as clients see them.
type Answer = any;

const HOUR = 3_600_000;
const at = (text: string) => Date.parse(text);
const RANGE = { from: at('2026-06-01T00:00:00+02:00'), to: at('2026-06-03T00:00:00+02:00'), tz: 'Europe/Berlin' };

onEitherEngine<Tables>('reports on several devices', { migrations: MIGRATIONS }, (open) => {
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
    const report = (who: Caller, body: object, now?: number): Promise<Answer> =>
      operations.fleetReport(callOf(who, { body: { ...RANGE, ...body }, ...(now && { now }) }) as never);
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

  test('a trip over midnight counts in each day with its way, as in utilisation', async () => {
    const { store, owner, van, report } = await setting();
    const [start, end] = [at('2026-06-01T22:00:00+02:00'), at('2026-06-02T02:00:00+02:00')];
    // Half of the time to midnight, in which it went a quarter of the way; then it stood for an hour.
    const fixes = [
      [start, 50],
      [start + 2 * HOUR, 50.01],
      [start + 3 * HOUR, 50.01],
      [end, 50.04],
    ] as const;
    const track = packTrack(
      {
        count: fixes.length,
        at: Float64Array.from(fixes, ([time]) => time),
        lat: Float64Array.from(fixes, ([, lat]) => lat),
        lng: Float64Array.from(fixes, () => 8),
        moved: Uint8Array.from([0, 1, 0, 1]),
      },
      start,
    );
    await store.query
      .updateTable('trips')
      .set({ track })
      .where('deviceId', '=', van)
      .where('start', '=', start)
      .execute();
    const now = at('2026-06-03T00:00:00Z');
    const ofDays = async (kind: string, device = van) =>
      (await report(owner, { kind, deviceIds: [device] }, now)).rows.map(({ day, distance, idle }: Answer) => [
        day,
        Math.round(distance),
        Math.round(idle),
      ]);
    // The trip over the edge of the range has no track: half of its 2000 m, and of its 60 s.
    assert.deepEqual(await ofDays('days'), [
      ['2026-06-01', 1000 + 1000, 30],
      ['2026-06-02', 3000, 60],
    ]);
    const [first, second] = await ofDays('utilisation');
    assert.deepEqual([second[0], second[1]], ['2026-06-02', 3000]);
    assert.equal(first[0], '2026-06-01');
  });

  test('a trip contains its driver', async () => {
    const { store, owner, van, report } = await setting();
    const driver = await store.query
      .insertInto('drivers')
      .values({ userId: owner.userId, name: 'Jane', created: 0 } as never)
      .returning('id')
      .executeTakeFirstOrThrow();
    const since = at('2026-06-01T12:00:00+02:00');
    await store.query
      .insertInto('driverSignOns')
      .values({ deviceId: van, driverId: driver.id, at: since, created: since } as never)
      .execute();
    const now = at('2026-06-03T00:00:00Z');
    const { rows } = await report(owner, { kind: 'trips' }, now);
    assert.deepEqual(
      rows.map(({ driverId, driver: name }: Answer) => [driverId, name]),
      [
        [null, null],
        [driver.id, 'Jane'],
      ],
    );
  });

  test('idling is time with the engine on without moving, with its place, from two minutes on', async () => {
    const { store, owner, van, car, report } = await setting();
    const start = at('2026-06-02T08:00:00+02:00');
    const MINUTE = 60_000;
    const ignition = (deviceId: number, minutes: number, isOn: boolean) => ({
      ...{ deviceId, at: start + minutes * MINUTE, isOn: Number(isOn) },
    });
    await storePositions(store, { deviceId: car, timestamp: start, locationLat: 48, locationLng: 9 });
    await store.query
      .insertInto('ignitionChanges')
      .values([
        ...[ignition(car, 10, true), ignition(car, 25, false)],
        ...[ignition(car, 30, true), ignition(car, 31, false)],
      ] as never)
      .execute();
    const { rows } = await report(owner, { kind: 'idling', deviceIds: [car] }, start + HOUR);
    assert.deepEqual(
      rows.map(({ start: from, end, duration, startLocation }: Answer) => [
        ...[(at(from) - start) / MINUTE, (at(end) - start) / MINUTE, duration, startLocation],
      ]),
      [[10, 25, 900, { lat: 48, lng: 9 }]],
    );
    assert.deepEqual((await report(owner, { kind: 'idling', deviceIds: [van] }, start)).rows, []);
  });

  test('drivers have a score by harsh events, speeding and idling, from a distance on', async () => {
    const { store, owner, van, car, report } = await setting();
    const names = ['Jane', 'Joe'];
    const drivers = await store.query
      .insertInto('drivers')
      .values(names.map((name) => ({ userId: owner.userId, name, created: 0 })) as never)
      .returning('id')
      .execute();
    const [jane, joe] = drivers.map(({ id }) => id).sort((a, b) => a - b) as [number, number];
    const signOn = (deviceId: number, driverId: number, when: string) => ({
      deviceId,
      driverId,
      at: at(when),
      created: 0,
    });
    await store.query
      .insertInto('driverSignOns')
      .values([signOn(van, jane, '2026-05-31T12:00:00+02:00'), signOn(van, joe, '2026-06-01T12:00:00+02:00')] as never)
      .execute();
    await store.query.updateTable('trips').set({ distance: 100_000, idle: 1200 }).where('deviceId', '=', van).execute();
    await store.query
      .updateTable('trips')
      .set({ distance: 49_000 })
      .where('deviceId', '=', van)
      .where('start', '>', at('2026-06-01T12:00:00+02:00'))
      .execute();
    const alarm = (time: string, value: string) => ({
      ...{ deviceId: van, gatewayId: null, timestamp: at(time), type: 'alarm', value: JSON.stringify(value) },
      ...{ hash: null, created: 0 },
    });
    await storeReadings(
      store,
      ...[alarm('2026-06-01T00:10:00+02:00', 'harshBraking'), alarm('2026-06-01T00:20:00+02:00', 'harshCornering')],
      ...[alarm('2026-06-01T00:30:00+02:00', 'sos'), alarm('2026-06-01T23:00:00+02:00', 'harshAcceleration')],
    );
    const { rows } = await report(owner, { kind: 'drivers', deviceIds: [van, car] }, at('2026-06-03T00:00:00Z'));
    assert.deepEqual(
      rows.map(({ driver, deviceId, trips, distance, harsh, speeding, idle, score }: Answer) => [
        ...[driver, deviceId, trips, distance, harsh, speeding, idle, score],
      ]),
      [
        ['Jane', van, 1, 100_000, 2, 0, 1200, 100 - 2 * 4 - 20 * 0.25],
        ['Joe', van, 1, 49_000, 1, 0, 1200, null],
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

  test('places have the name of the smallest geofence around them, where the caller reaches geofences', async () => {
    const { store, owner, van, car, report } = await setting();
    const fences = geofenceOperations(store, deviceAccess(store));
    const draw = (body: object) => fences.createGeofence(callOf(owner, { body } as never) as never);
    await draw({ name: 'Town', center: { lat: 50, lng: 8 }, radius: 5000 });
    await draw({ name: 'Yard', center: { lat: 50, lng: 8 }, radius: 100 });
    await draw({ name: '', center: { lat: 50, lng: 8 }, radius: 10 });
    await draw({ name: 'Of the car', center: { lat: 51, lng: 9 }, radius: 100, deviceId: car });
    const named = async (who: Caller) =>
      (await report(who, { kind: 'trips' })).rows.map(({ startPlace, endPlace }: Answer) => [startPlace, endPlace]);
    assert.deepEqual(await named(owner), [
      ['Yard', null],
      ['Yard', null],
    ]);
    assert.equal((await report(owner, { kind: 'stops' })).rows[0].startPlace, 'Yard');
    await draw({ name: 'Of the van', center: { lat: 51, lng: 9 }, radius: 100, deviceId: van });
    assert.deepEqual((await named(owner))[0], ['Yard', 'Of the van']);
    for (const scope of [
      { access: 'read', families: ['trips'] },
      { access: 'read', deviceIds: [van] },
    ])
      assert.deepEqual((await named({ ...owner, scope } as never))[0], [undefined, undefined]);
  });

  test('users get no rows of devices that they may not see', async () => {
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

  test('devices are chosen by a group with those below it, or by a tag', async () => {
    const { store, owner, other, van, car, foreign, report } = await setting();
    const groups = store.query.insertInto('deviceGroups');
    const made = async (ownerId: number, parentId: number | null = null) =>
      (await groups.values({ name: 'G', parentId, ownerId, created: 0 }).returning('id').executeTakeFirstOrThrow()).id;
    const top = await made(owner.userId);
    const below = await made(owner.userId, top);
    const foreignGroup = await made(other.userId);
    const members = [
      { groupId: top, deviceId: car, created: 0 },
      { groupId: below, deviceId: van, created: 0 },
      { groupId: foreignGroup, deviceId: foreign, created: 0 },
    ];
    await store.query.insertInto('deviceGroupMembers').values(members).execute();
    await store.query.updateTable('devices').set({ tags: '["team:north"]' }).where('id', '=', car).execute();
    const seen = async (body: object) =>
      (await report(owner, { kind: 'summary', ...body })).rows.map(({ deviceId }: Answer) => deviceId);
    assert.deepEqual(await seen({ groupId: top }), [van, car]);
    assert.deepEqual(await seen({ groupId: below }), [van]);
    assert.deepEqual(await seen({ tag: 'team:north' }), [car]);
    assert.deepEqual(await seen({ tag: 'team' }), [car], 'any value of the name');
    assert.deepEqual(await seen({ tag: 'team:south' }), []);
    await assert.rejects(seen({ groupId: foreignGroup }), { statusCode: 422 });
    await assert.rejects(seen({ groupId: top, tag: 'team' }), { statusCode: 422 });
    // A user who loses a device loses it in every group.
    await store.query.updateTable('devices').set({ ownerId: other.userId }).where('id', '=', car).execute();
    assert.deepEqual(await seen({ groupId: top }), [van]);
  });

  test('numeric readings are summed by day and type', async () => {
    const { store, owner, van, report } = await setting();
    const reading = (time: string, type: string, value: unknown) => ({
      ...{ deviceId: van, gatewayId: null, timestamp: at(time), type, value: JSON.stringify(value), hash: null },
      created: 0,
    });
    const all = [
      reading('2026-06-01T23:59:59+02:00', 'temp', 4),
      reading('2026-06-02T00:00:00+02:00', 'temp', -2),
      reading('2026-06-02T10:00:00+02:00', 'temp', 6.5),
      reading('2026-06-02T10:00:00+02:00', 'door', 'open'),
      reading('2026-06-03T00:00:00+02:00', 'temp', 99),
      reading('2026-06-01T08:00:00+02:00', 'humidity', 40),
    ];
    await storeReadings(store, ...all);
    const { rows } = await report(owner, { kind: 'readings' });
    assert.deepEqual(
      rows.map(({ day, type, count, min, mean, max }: Answer) => [day, type, count, min, mean, max]),
      [
        ['2026-06-01', 'humidity', 1, 40, 40, 40],
        ['2026-06-01', 'temp', 1, 4, 4, 4],
        ['2026-06-02', 'temp', 2, -2, 2.25, 6.5],
      ],
    );
  });

  test('messages are counted by direction, notifications by type and only of the caller', async () => {
    const { store, owner, other, van, report } = await setting();
    const message = (created: number, mobileTerminated: number) => ({ deviceId: van, created, mobileTerminated });
    await store.query
      .insertInto('messages')
      .values([
        message(RANGE.from, 1),
        message(RANGE.from + HOUR, 0),
        message(RANGE.to - 1, 1),
        message(RANGE.to, 1),
      ] as never)
      .execute();
    const reported = (userId: number, type: string, more: object = {}) => ({
      ...{
        created: 0,
        timestamp: RANGE.from + HOUR,
        decidedAt: 0,
        params: JSON.stringify({ type }),
        explanation: '{}',
      },
      ...{
        deviceId: van,
        userId,
        triggerId: 1,
        triggerVersion: 1,
        kind: 'x',
        status: 'valid',
        late: 0,
        isForPeople: 1,
      },
      ...{ isOrdered: 1, severity: 'info', unread: 0, ...more },
    });
    const rows = [
      reported(owner.userId, 'speed'),
      reported(owner.userId, 'speed', { acknowledgedAt: 1, timestamp: RANGE.from }),
      reported(owner.userId, 'button'),
      reported(owner.userId, 'button', { status: 'retracted' }),
      reported(other.userId, 'button'),
    ];
    await store.query
      .insertInto('notifications')
      .values(rows.map((row) => ({ acknowledgedAt: null, ...row })) as never)
      .execute();
    const counted = async (kind: string) =>
      (await report(owner, { kind })).rows.map(({ type, count, open, start }: Answer) => [type, count, open, start]);
    assert.deepEqual(await counted('messages'), [
      ['fromDevice', 1, undefined, new Date(RANGE.from + HOUR).toISOString()],
      ['toDevice', 2, undefined, new Date(RANGE.from).toISOString()],
    ]);
    assert.deepEqual(await counted('notifications'), [
      ['button', 1, 1, new Date(RANGE.from + HOUR).toISOString()],
      ['speed', 2, 1, new Date(RANGE.from).toISOString()],
    ]);
  });

  test('a limited token needs the family of what it asks for', async () => {
    const { owner, van, report } = await setting();
    const limited = (scope: object) => ({ ...owner, scope: { access: 'read', ...scope } }) as Caller;
    const needed = {
      readings: 'readings',
      drivers: 'readings',
      messages: 'messages',
      notifications: 'notifications',
      visits: 'geofences',
    };
    for (const [kind, family] of Object.entries(needed)) {
      await assert.rejects(report(limited({ families: ['trips'] }), { kind }), { statusCode: 403 });
      await report(limited({ families: ['trips', family] }), { kind });
    }
    await assert.rejects(report(limited({ deviceIds: [van] }), { kind: 'visits' }), { statusCode: 403 });
    for (const kind of ['visits', 'speeding'])
      await assert.rejects(report(owner, { kind, fenceIds: [987_654] }), { statusCode: 422 });
    await report(limited({ families: ['trips'] }), { kind: 'speeding' });
    for (const scope of [{ families: ['trips'] }, { deviceIds: [van] }])
      await assert.rejects(report(limited(scope), { kind: 'speeding', fenceIds: [1] }), { statusCode: 403 });
  });

  test('a range that is none, too long, or of no time zone is refused', async () => {
    const { owner, report } = await setting();
    const wrong = [{ to: RANGE.from }, { to: RANGE.from + 94 * 24 * HOUR }, { tz: 'Nowhere/Here' }];
    for (const body of wrong) await assert.rejects(report(owner, { kind: 'days', ...body }), { statusCode: 422 });
  });
});
