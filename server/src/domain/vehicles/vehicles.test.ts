import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FileAnswer } from '../../calls.ts';
import { onEitherEngine } from '../../testing/databases.ts';
import { callOf, makeDevice, makeUser, NOW } from '../../testing/people.ts';
import { storeReadings } from '../../testing/readings.ts';
import { devicePages } from '../devices/page-v2.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { vehicleOperations } from './vehicles.ts';

const HOUR = 3_600_000;
const JPEG = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3]);
const NONE = { plate: null, vin: null, odometer: null, odometerAt: null, hasPhoto: false };

onEitherEngine<Tables>('vehicles', { migrations: MIGRATIONS }, (open) => {
  async function setting() {
    const store: Store = await open();
    const owner = await makeUser(store, 'owner@example.com');
    const deviceId = await makeDevice(store, owner.userId, { name: 'Van' });
    const operations = vehicleOperations(store);
    const call = (more: object = {}) => callOf(owner, { deviceId, ...more }) as never;
    const update = (body: object, now = NOW) => operations.updateVehicle(call({ body, now }));
    const odometer = async () => ((await operations.getVehicle(call())) as { odometer: number | null }).odometer;
    const trip = (start: number, distance: number) =>
      store.query
        .insertInto('trips')
        .values({
          ...{ deviceId, start, end: start + HOUR, distance, duration: 3600, idle: 0, maxSpeed: 80, averageSpeed: 40 },
          ...{ startLocationLat: 50, startLocationLng: 8, endLocationLat: 51, endLocationLng: 9, decidedAt: start },
          ...{ startPointId: 1, endPointId: 2 },
        })
        .execute();
    const reading = (timestamp: number, metres: number) =>
      storeReadings(store, { deviceId, timestamp, type: 'odometer_m', value: JSON.stringify(metres) });
    return { store, owner, operations, call, update, odometer, trip, reading };
  }

  test('plate and VIN are kept, a field that is not sent stays, and devices are found by their plate', async () => {
    const { store, owner, operations, call, update } = await setting();
    assert.deepEqual(await operations.getVehicle(call()), NONE);
    await update({ plate: 'B-TW 1', vin: 'WDB9066331S123456' });
    assert.deepEqual(await update({ vin: '' }), { ...NONE, plate: 'B-TW 1' });
    const pages = devicePages(store);
    const found = async (plate: string) => {
      const parameters = { plate, _page: 1, _limit: 10, _include: ['vehicle'] };
      const page = (await pages.listDevicesV2(callOf(owner, { parameters }) as never)) as {
        data: { name: string; vehicle: object }[];
      };
      return page.data.map(({ name, vehicle }) => [name, vehicle]);
    };
    assert.deepEqual(await found('b-tw*'), [['Van', { plate: 'B-TW 1', vin: null, hasPhoto: false }]]);
    assert.deepEqual(await found('B-XY*'), []);
  });

  test('an odometer that was entered goes on by trips, or by the counter of the tracker', async () => {
    const { update, odometer, trip, reading } = await setting();
    await trip(NOW - 2 * HOUR, 5000);
    await update({ odometer: 84_200 });
    await trip(NOW + HOUR, 12_300);
    assert.equal(await odometer(), 84_212.3);
    await reading(NOW + 2 * HOUR, 1_000_000);
    assert.equal(await odometer(), 84_212.3, 'where the counter began is not known');
    await update({ odometer: 84_220 }, NOW + 3 * HOUR);
    await reading(NOW + 4 * HOUR, 1_007_500);
    assert.equal(await odometer(), 84_227.5);
    await reading(NOW + 5 * HOUR, 10);
    assert.equal(await odometer(), 84_220, 'a counter that was reset');
    await update({ odometer: null });
    await reading(NOW + 6 * HOUR, 50_000);
    assert.equal(await odometer(), 50, 'as the tracker reports it');
  });

  test('a photo is a JPEG or WebP file of limited size, and has the type of its content', async () => {
    const { operations, call, update } = await setting();
    await assert.rejects(async () => operations.getVehiclePhoto(call()), { statusCode: 404 });
    const shown = (await update({ photo: JPEG.toString('base64') })) as { hasPhoto: boolean };
    assert.equal(shown.hasPhoto, true);
    const photo = (await operations.getVehiclePhoto(call())) as unknown as FileAnswer;
    assert.deepEqual([photo.contentType, Buffer.from(photo.bytes)], ['image/jpeg', JPEG]);
    const large = Buffer.concat([JPEG, Buffer.alloc(200_000)]).toString('base64');
    for (const wrong of ['<svg onload=1>', Buffer.from('<svg/>').toString('base64'), large])
      await assert.rejects(update({ photo: wrong }), { statusCode: 422 });
    await update({ photo: null });
    await assert.rejects(async () => operations.getVehiclePhoto(call()), { statusCode: 404 });
  });
});
