import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '../../calls.ts';
import { onEitherEngine } from '../../testing/databases.ts';
import { callOf, makeDevice, makeUser, NOW } from '../../testing/people.ts';
import { storeReadings } from '../../testing/readings.ts';
import { deviceAccess } from '../devices/access.ts';
import { tripOperations } from '../motion/trip-operations.ts';
import { packReadingsOf } from '../positions/pack-readings.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { driverOperations } from './driver-operations.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at as clients see them.
type Answer = any;

const HOUR = 3_600_000;
const DAY = 86_400_000;

onEitherEngine<Tables>('drivers', { migrations: MIGRATIONS }, (open) => {
  async function setting() {
    const store: Store = await open();
    const owner = await makeUser(store, 'owner@example.com');
    const deviceId = await makeDevice(store, owner.userId, { name: 'Van 3' });
    const operations = driverOperations(store);
    const trips = tripOperations(store, deviceAccess(store));
    const create = (body: object, who: Caller = owner): Promise<Answer> =>
      operations.createDriver(callOf(who, { body }) as never) as Promise<Answer>;
    const signOn = (driverId: number, at: number, now = NOW): Promise<Answer> =>
      operations.signOnDriver(callOf(owner, { deviceId, body: { driverId, at }, now }) as never) as Promise<Answer>;
    const signOff = (at: number) =>
      operations.signOffDriver(callOf(owner, { deviceId, parameters: { at } as never }) as never);
    const now = (at = NOW): Promise<Answer> =>
      operations.getDeviceDriver(callOf(owner, { deviceId, now: at }) as never) as Promise<Answer>;
    const range = { from: new Date(NOW - 5 * DAY).toISOString(), to: new Date(NOW).toISOString() };
    const shifts = (): Promise<Answer> =>
      operations.listShifts(callOf(owner, { deviceId, parameters: range as never }) as never) as Promise<Answer>;
    const drove = async (): Promise<Answer> => {
      const answer = (await trips.listTrips(
        callOf(owner, { deviceId, parameters: range as never }) as never,
      )) as Answer;
      return (Array.isArray(answer) ? answer : JSON.parse(answer.text)).map((one: Answer) => one.driverName);
    };
    const reading = (at: number, value: unknown, type = 'driver_id') =>
      storeReadings(store, { deviceId, timestamp: at, type, value: JSON.stringify(value) });
    const trip = (start: number, hours: number) =>
      store.query
        .insertInto('trips')
        .values({
          ...{ deviceId, start, end: start + hours * HOUR, distance: 1000, duration: hours * 3600, idle: 0 },
          ...{ maxSpeed: 80, averageSpeed: 40, startLocationLat: 50, startLocationLng: 8, endLocationLat: 51 },
          ...{ endLocationLng: 9, startPointId: 1, endPointId: 2, decidedAt: start },
        })
        .execute();
    return { store, owner, deviceId, operations, create, signOn, signOff, now, shifts, drove, reading, trip };
  }

  test('trips know who drove, by hand and by tag, also when the tag is reported late', async () => {
    const { create, signOn, signOff, now, drove, reading, trip, shifts } = await setting();
    await trip(NOW - 50 * HOUR, 1);
    await trip(NOW - 20 * HOUR, 1);
    await trip(NOW - 10 * HOUR, 1);
    assert.deepEqual(await drove(), [null, null, null]);
    const jane = await create({ name: 'Jane', tags: ['01-00 1a2b'] });
    const joe = await create({ name: 'Joe', phone: '123' });
    await signOn(joe.id, NOW - 51 * HOUR);
    await signOff(NOW - 48 * HOUR);
    assert.deepEqual(await drove(), ['Joe', null, null]);
    await reading(NOW - 9.9 * HOUR, '01001A2B');
    assert.deepEqual(await drove(), ['Joe', null, 'Jane'], 'who signs on after the start drove most of it');
    await reading(NOW - 20.1 * HOUR, '01001A2B', 'driverUniqueId');
    await reading(NOW - 15 * HOUR, '00000000');
    assert.deepEqual(await drove(), ['Joe', 'Jane', 'Jane']);
    const driving = await now();
    assert.deepEqual(driving, {
      driverId: jane.id,
      driverName: 'Jane',
      since: new Date(NOW - 9.9 * HOUR).toISOString(),
      by: 'tag',
    });
    assert.deepEqual(
      (await shifts()).map((shift: Answer) => [shift.driverName, shift.by, shift.end === null]),
      [
        ['Joe', 'hand', false],
        ['Jane', 'tag', false],
        ['Jane', 'tag', true],
      ],
    );
    assert.equal((await now(NOW + 2 * DAY)).driverId, null, 'a sign-on by tag ends');
  });

  test('a tag that is reported with every position is one shift, on many trips too', async () => {
    const { store, create, drove, trip, deviceId, shifts } = await setting();
    await create({ name: 'Jane', tags: ['AB12'] });
    const from = NOW - 4 * DAY;
    const rows = Array.from({ length: 500 }, (_, minute) => ({
      ...{ deviceId, timestamp: from + minute * 60_000, type: 'driver_id', value: '"ab12"' },
      created: from,
    }));
    await storeReadings(store, ...rows);
    for (let index = 0; index < 210; index++) await trip(from + index * 120_000, 0.01);
    assert.deepEqual([...new Set(await drove())], ['Jane']);
    assert.equal((await shifts()).length, 1);
  });

  test('a sign-on by hand of long ago lasts, unless a tag was read since', async () => {
    const { create, signOn, drove, reading, trip } = await setting();
    const joe = await create({ name: 'Joe' });
    await signOn(joe.id, NOW - 60 * DAY);
    await trip(NOW - 3 * HOUR, 1);
    assert.deepEqual(await drove(), ['Joe']);
    await reading(NOW - 30 * DAY, 'FFFF');
    assert.deepEqual(await drove(), [null]);
  });

  test('a tag that the vehicle receives signs its driver on, also once it is packed', async () => {
    const { store, owner, deviceId, create, drove, trip, now, signOn } = await setting();
    const other = await makeUser(store, 'other@example.com');
    const reportSighting = (tag: number, at: number, type = 'temp') =>
      storeReadings(store, { deviceId: tag, gatewayId: deviceId, timestamp: at, type, value: '4' });
    const fob = await makeDevice(store, owner.userId, { btMacAddress: 'aa:bb:cc:dd:ee:01' });
    const box = await makeDevice(store, owner.userId, { serial: 'BOX-7' });
    const foreign = await makeDevice(store, other.userId, { btMacAddress: 'aa:bb:cc:dd:ee:02' });
    const jane = await create({ name: 'Jane', tags: ['AA-BB-CC-DD-EE-01', 'aabbccddee02'] });
    await create({ name: 'Joe', tags: ['BOX-7'] });
    await trip(NOW - 60 * HOUR, 1);
    await trip(NOW - 2 * HOUR, 1);
    await reportSighting(foreign, NOW - 2 * HOUR);
    await reportSighting(box, NOW - 2 * HOUR, 'lora_seen');
    assert.deepEqual(await drove(), [null, null], 'neither the tag of another user, nor one far away');
    for (let minute = 0; minute < 60; minute += 10) {
      await reportSighting(fob, NOW - 60 * HOUR + minute * 60_000);
      await reportSighting(box, NOW - 2 * HOUR + minute * 60_000);
    }
    assert.deepEqual(await drove(), ['Jane', 'Joe']);
    assert.equal((await now(NOW - 61 * 60_000)).driverName, 'Joe');
    assert.equal((await now()).driverName, null, 'not received any more');
    const packed = { at: NOW - 60 * HOUR, before: NOW };
    await store.transaction((tx) => packReadingsOf(tx, deviceId, packed));
    assert.equal((await store.query.selectFrom('readingSegments').select('id').execute()).length > 0, true);
    assert.deepEqual(await drove(), ['Jane', 'Joe']);
    // Manually long ago: a tag that was received since has ended it.
    await signOn(jane.id, NOW - 70 * DAY);
    assert.deepEqual(await drove(), ['Jane', 'Joe']);
    await trip(NOW - HOUR / 2, 0.2);
    assert.deepEqual(await drove(), ['Jane', 'Joe', null]);
  });

  test('a tag belongs to one driver of a user; drivers of others are out of reach', async () => {
    const { store, owner, operations, create, signOn, drove, reading, trip } = await setting();
    const other = await makeUser(store, 'other@example.com');
    const jane = await create({ name: 'Jane', tags: ['AB12'] });
    await assert.rejects(create({ name: 'Joe', tags: ['ab-12'] }), /another driver/);
    await assert.rejects(create({ name: 'Joe', tags: ['000'] }), /letter or a digit/);
    const foreign = await create({ name: 'Foreign', tags: ['ab12', 'CD34'] }, other);
    await assert.rejects(signOn(foreign.id, NOW), /no driver of the owner/);
    await assert.rejects(operations.updateDriver(callOf(owner, { key: foreign.id, body: { name: 'Mine' } }) as never), {
      statusCode: 404,
    });
    await reading(NOW - 2 * HOUR, 'CD34');
    await trip(NOW - 2 * HOUR, 1);
    assert.deepEqual(await drove(), [null]);
    const same = await operations.updateDriver(
      callOf(owner, { key: jane.id, body: { tags: ['AB12', 'CD34'] } }) as never,
    );
    assert.deepEqual((same as Answer).tags, ['AB12', 'CD34']);
    assert.deepEqual(await drove(), ['Jane']);
    await operations.deleteDriver(callOf(owner, { key: jane.id }) as never);
    assert.deepEqual(await drove(), [null]);
    await assert.rejects(signOn(jane.id, NOW), /no driver of the owner/);
  });
});
