import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '../../calls.ts';
import { onEitherEngine } from '../../testing/databases.ts';
import { callOf, makeDevice, makeUser, NOW, shareWith } from '../../testing/people.ts';
import { deviceConfigs } from '../commands/config-operations.ts';
import { pendingConfig } from '../commands/pending.ts';
import { deviceAccess } from '../devices/access.ts';
import { rightsEnded } from '../history/rights-ending.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { UNLIMITED } from '../users/quotas.ts';
import type { Geofence } from './fences.ts';
import { geofenceOperations } from './operations.ts';

const TRIANGLE = [
  { lat: 46, lng: 11 },
  { lat: 46, lng: 12 },
  { lat: 47, lng: 12 },
];
const WIDER = [...TRIANGLE, { lat: 48, lng: 10 }];
const CIRCLE = { name: 'Yard', center: { lat: 46, lng: 11 }, radius: 50 };

onEitherEngine<Tables>('the safe zone of a device', { migrations: MIGRATIONS }, (open) => {
  async function setting(quota = 0) {
    const store: Store = await open();
    const owner = await makeUser(store, 'owner@example.com');
    const manager = await makeUser(store, 'manager@example.com');
    const viewer = await makeUser(store, 'viewer@example.com');
    const deviceId = await makeDevice(store, owner.userId, { name: 'Van' });
    await shareWith(store, deviceId, manager.userId);
    await shareWith(store, deviceId, viewer.userId, 'view');
    const shapes: number[] = [];
    const quotas = { ...UNLIMITED, geofences: quota };
    const shaped = async ({ fenceId }: { fenceId: number }) => void shapes.push(fenceId);
    const fences = geofenceOperations(store, deviceAccess(store), shaped, quotas);
    const pending = pendingConfig(store);
    const set = async (data: object[], caller: Caller = owner) =>
      (await fences.setSafeZone(callOf(caller, { deviceId, body: { data } as never }))) as Geofence | null;
    const get = async () => (await fences.getSafeZone(callOf(viewer, { deviceId }))) as Geofence;
    const create = async (body: object, caller: Caller = owner) =>
      (await fences.createGeofence(callOf(caller, { body: body as never }))) as Geofence;
    const update = async (key: number, body: object, caller: Caller = owner) =>
      (await fences.updateGeofence(callOf(caller, { key, body: body as never, sent: body as never }))) as Geofence;
    const read = async (id: number) =>
      store.query.selectFrom('geofences').selectAll().where('id', '=', id).executeTakeFirst();
    const config = async (of = deviceId) =>
      store.query
        .selectFrom('deviceConfigs')
        .select(['id', 'safeZoneId', 'modified'])
        .where('deviceId', '=', of)
        .executeTakeFirstOrThrow();
    return { store, owner, manager, deviceId, shapes, fences, pending, set, get, create, update, read, config };
  }
  const none = { statusCode: 404, message: /found for safeZone/ };

  test('is a fence of the owner that the device gets, also if another user sets it', async () => {
    const { owner, manager, deviceId, set, get, pending, shapes, config } = await setting();
    await assert.rejects(get(), none);
    const made = (await set(TRIANGLE, manager))!;
    const { id: configId, safeZoneId } = await config();
    const { outline, name, type, userId, modified } = made;
    assert.deepEqual(
      { outline, name, type, userId, modified, deviceId: made.deviceId, configId: made.configId },
      {
        outline: TRIANGLE,
        name: 'Safe zone of Van',
        type: 'safe',
        userId: owner.userId,
        modified: true,
        deviceId,
        configId,
      },
    );
    assert.equal(safeZoneId, made.id);
    assert.deepEqual(await get(), made);
    assert.deepEqual(await pending.zone(deviceId), made);
    assert.deepEqual(shapes, [made.id], 'it is looked who is inside');

    await pending.zoneTaken(deviceId, made.id);
    assert.equal(await pending.zone(deviceId), undefined);
    const again = (await set(WIDER))!;
    assert.deepEqual([again.id, again.outline, again.modified], [made.id, WIDER, true], 'its outline is replaced');
    assert.equal(((await pending.zone(deviceId)) as Geofence).id, made.id);
  });

  test('keeps the versions of its outline', async () => {
    const { store, set } = await setting();
    const { id } = (await set(TRIANGLE))!;
    await set(WIDER);
    const versions = await store.query
      .selectFrom('geofenceVersions')
      .select(['fence', 'validTo'])
      .where('fenceId', '=', id)
      .orderBy('id')
      .execute();
    assert.deepEqual(
      versions.map(({ fence, validTo }) => [JSON.parse(JSON.parse(fence).outline).length, validTo]),
      [
        [3, NOW],
        [4, null],
      ],
    );
  });

  test('goes away with an empty list, and with it the fence that was made', async () => {
    const { set, get, read, config } = await setting();
    const { id } = (await set(TRIANGLE))!;
    assert.equal(await set([]), null);
    assert.equal(await read(id), undefined);
    assert.equal((await config()).safeZoneId, null);
    await assert.rejects(get(), none);
    assert.equal(await set([]), null, 'as often as one likes');
  });

  test('refuses what is no polygon', async () => {
    const { set } = await setting();
    for (const data of [TRIANGLE.slice(1), [TRIANGLE[0]!, TRIANGLE[0]!, TRIANGLE[1]!]])
      await assert.rejects(set(data), { statusCode: 422, message: /`data` must have at least 3/ });
  });

  test('counts as a fence of the owner', async () => {
    const { create, set, manager } = await setting(1);
    await create(CIRCLE);
    await assert.rejects(set(TRIANGLE, manager), { statusCode: 403, message: /at most 1 geofences/ });
  });

  test('never overwrites a fence that a user drew, or that another device has', async () => {
    const { store, owner, deviceId, create, set, read, config } = await setting();
    const drawn = await create(CIRCLE);
    const configs = deviceConfigs(store).operations;
    const point = (device: number, safeZoneId: number | null) => {
      const body = { safeZoneId } as never;
      return configs.updateDeviceConfig(callOf(owner, { deviceId: device, body, sent: body }));
    };
    await point(deviceId, drawn.id);
    const made = (await set(TRIANGLE))!;
    assert.notEqual(made.id, drawn.id);
    assert.equal(((await read(drawn.id)) as { radius?: number }).radius, 50);

    const otherDevice = await makeDevice(store, owner.userId);
    await point(otherDevice, made.id);
    const second = (await set(WIDER))!;
    assert.notEqual(second.id, made.id, 'the other device keeps its zone');
    assert.equal((await config(otherDevice)).safeZoneId, made.id);
    assert.equal((await read(made.id))!.configId, null);
    await point(deviceId, null);
    assert.equal((await read(second.id))!.configId, null, 'what is no safe zone any more does not say so');
  });

  test('is the fence that names the configuration, the newest of them', async () => {
    const { create, update, get, read, config, set } = await setting();
    const { id: configId } = await config();
    const one = await create({ ...CIRCLE, configId });
    assert.deepEqual([(await get()).id, (await get()).modified, (await get()).deviceId], [one.id, true, null]);
    const two = await create(CIRCLE);
    await update(two.id, { configId });
    assert.equal((await get()).id, two.id);
    assert.equal((await read(one.id))!.configId, null);
    await update(two.id, { configId: null });
    assert.equal((await config()).safeZoneId, null);
    assert.equal((await config()).modified, NOW, 'the device is notified');

    await update(one.id, { configId });
    assert.deepEqual((await set(TRIANGLE))!.center, null, 'its outline replaces the circle');
    assert.equal((await get()).id, one.id);
    await set([]);
    assert.equal((await read(one.id))!.configId, null, 'a fence that a user drew stays');
  });

  test('ends with the fence, one or all', async () => {
    const { fences, owner, create, config } = await setting();
    const { id: configId } = await config();
    const { id: key } = await create({ ...CIRCLE, configId });
    await fences.deleteGeofence(callOf(owner, { key }));
    assert.equal((await config()).safeZoneId, null);
    await create({ ...CIRCLE, configId });
    await fences.deleteGeofences(callOf(owner));
    assert.equal((await config()).safeZoneId, null);
  });

  test('needs the right to manage the device', async () => {
    const { store, manager, create, update, config } = await setting();
    const viewer = { userId: manager.userId + 1, admin: false, tokenId: 0 };
    const stranger = await makeUser(store, 'stranger@example.com');
    const admin = await makeUser(store, 'admin@example.com', true);
    const { id: configId } = await config();
    const refused = { statusCode: 422, message: /`configId` is not a configuration of a device you may manage/ };
    for (const caller of [viewer, stranger]) {
      await assert.rejects(create({ ...CIRCLE, configId }, caller), refused);
      const { id } = await create(CIRCLE, caller);
      await assert.rejects(update(id, { configId }, caller), refused);
    }
    const forStranger = callOf(admin, { userId: stranger.userId, body: { ...CIRCLE, configId } as never });
    const fences = geofenceOperations(store, deviceAccess(store));
    await assert.rejects(fences.createGeofence(forStranger as never), refused);
    assert.equal((await config()).safeZoneId, null);
    assert.equal((await create({ ...CIRCLE, configId }, manager)).configId, configId);
  });

  test('ends with the right of whose fence it is', async () => {
    const { store, manager, deviceId, create, read, config } = await setting();
    const { id } = await create({ ...CIRCLE, configId: (await config()).id }, manager);
    await store.transaction(async (tx) => {
      await tx.deleteFrom('shares').where('userId', '=', manager.userId).execute();
      await rightsEnded(tx, { deviceId, userId: manager.userId }, NOW);
    });
    assert.equal((await config()).safeZoneId, null);
    assert.equal((await read(id))!.configId, null);
  });
});
