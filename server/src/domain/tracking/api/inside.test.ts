import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AnswerOf } from '@trackway/contract/operations.ts';
import { type Caller, JsonText } from '../../../calls.ts';
import { onEitherEngine } from '../../../testing/databases.ts';
import { callOf, makeDevice, makeUser, NOW } from '../../../testing/people.ts';
import { deviceAccess } from '../../devices/access.ts';
import { geofenceOperations } from '../../geofences/operations.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { Pipeline } from '../pipeline.ts';
import { RulesCache } from '../state/rules-cache.ts';
import { insideOperations } from './fleet.ts';

type Inside = AnswerOf<'listDevicesInside'>;

const MINUTE_MS = 60_000;
const WINDOW_MS = 30 * 86_400_000;
const DEPOT = { name: 'Depot', center: { lat: 0, lng: 0 }, radius: 100 };
const at = (minute: number) => NOW + minute * MINUTE_MS;
const iso = (minute: number) => new Date(at(minute)).toISOString();

onEitherEngine<Tables>('inside', { migrations: MIGRATIONS }, (open) => {
  async function setting() {
    const store: Store = await open();
    const owner = await makeUser(store, 'owner@example.com');
    const guest = await makeUser(store, 'guest@example.com');
    const admin = await makeUser(store, 'admin@example.com', true);
    const fences = geofenceOperations(store, deviceAccess(store));
    const { listDevicesInside } = insideOperations(store);
    const ingest = new Pipeline(store, new RulesCache(store, WINDOW_MS), {
      windowMs: WINDOW_MS,
      publish: () => {},
      lateDataOf: () => {},
    });
    const draw = async (user: Caller, more: Record<string, unknown> = {}) =>
      ((await fences.createGeofence(callOf(user, { body: { ...DEPOT, ...more } }))) as { id: number }).id;
    const redraw = (user: Caller, key: number, body: Record<string, unknown>, minute: number) =>
      fences.updateGeofence(callOf(user, { key, body, now: at(minute) }));
    const report = async (deviceId: number, minute: number, metres: number) => {
      const points = [{ timestamp: at(minute), location: { lat: metres / 111_195, lng: 0 }, accuracyM: 5 }];
      await ingest.store(deviceId, { points, readings: [], gatewayReadings: [], messages: [] }, at(minute));
    };
    const insideOf = async (user: Caller, key: number, caller = user): Promise<Inside> => {
      const answer = await listDevicesInside(callOf(caller, { userId: user.userId, key }));
      return answer instanceof JsonText ? JSON.parse(answer.text) : (answer as Inside);
    };
    return { store, owner, guest, admin, draw, redraw, report, insideOf };
  }

  test('devices inside are listed with the time of entry, the longest first, and are removed after leaving', async () => {
    const { store, owner, draw, report, insideOf } = await setting();
    const van = await makeDevice(store, owner.userId, { name: 'Van' });
    const bike = await makeDevice(store, owner.userId, { name: 'Bike' });
    await makeDevice(store, owner.userId, { name: 'never reported' });
    const depot = await draw(owner);
    assert.deepEqual(await insideOf(owner, depot), []);
    await report(bike, 1, 0);
    await report(van, 2, 900);
    await report(van, 3, 20);
    assert.deepEqual(await insideOf(owner, depot), [
      { deviceId: bike, name: 'Bike', since: iso(1) },
      { deviceId: van, name: 'Van', since: iso(3) },
    ]);
    await report(bike, 4, 900);
    assert.deepEqual(
      (await insideOf(owner, depot)).map(({ deviceId }) => deviceId),
      [van],
    );
  });

  test('only devices that the user of the fence may see, for any caller', async () => {
    const { store, owner, guest, admin, draw, report, insideOf } = await setting();
    const shared = await makeDevice(store, owner.userId);
    const kept = await makeDevice(store, owner.userId);
    await store.query
      .insertInto('shares')
      .values({ deviceId: shared, userId: guest.userId, rights: 'view', created: NOW })
      .execute();
    const depot = await draw(guest);
    await report(shared, 1, 0);
    await report(kept, 1, 0);
    const ids = (list: Inside) => list.map(({ deviceId }) => deviceId);
    assert.deepEqual(ids(await insideOf(guest, depot)), [shared]);
    assert.deepEqual(ids(await insideOf(guest, depot, admin)), [shared], 'an admin sees it as that user does');
    await store.query.deleteFrom('shares').execute();
    assert.deepEqual(await insideOf(guest, depot), [], 'devices without a share are not listed any more');
    await assert.rejects(insideOf(owner, depot), { statusCode: 404 });
  });

  test('a fence that was drawn anew, or is for another device, is evaluated anew', async () => {
    const { store, owner, draw, redraw, report, insideOf } = await setting();
    const van = await makeDevice(store, owner.userId);
    const bike = await makeDevice(store, owner.userId);
    const depot = await draw(owner);
    await report(van, 1, 0);
    await report(bike, 1, 0);
    await redraw(owner, depot, { name: 'Renamed' }, 2);
    assert.equal((await insideOf(owner, depot)).length, 2, 'a new name changes nothing');
    await redraw(owner, depot, { radius: 200 }, 3);
    assert.deepEqual(await insideOf(owner, depot), []);
    await report(van, 4, 0);
    const since = iso(3);
    assert.deepEqual(await insideOf(owner, depot), [{ deviceId: van, name: null, since }], 'it stood there then');
    await redraw(owner, depot, { deviceId: bike }, 5);
    await report(van, 6, 0);
    await report(bike, 6, 0);
    assert.deepEqual(
      (await insideOf(owner, depot)).map(({ deviceId }) => deviceId),
      [bike],
    );
  });
});
