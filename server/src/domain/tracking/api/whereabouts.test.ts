import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AnswerOf } from '@trackway/contract/operations.ts';
import type { Caller, JsonText } from '../../../calls.ts';
import { onEitherEngine } from '../../../testing/databases.ts';
import { callOf, makeDevice, makeUser, NOW } from '../../../testing/people.ts';
import { storePositions } from '../../../testing/positions.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { INITIAL_STATE } from '../evaluate/device-state.ts';
import { whereaboutsOperations } from './whereabouts.ts';

type Whereabouts = AnswerOf<'listWhereabouts'>;
const MINUTE_MS = 60_000;

onEitherEngine<Tables>('whereabouts', { migrations: MIGRATIONS }, (open) => {
  async function setting() {
    const store: Store = await open();
    const owner = await makeUser(store, 'owner@example.org');
    const guest = await makeUser(store, 'guest@example.org');
    const admin = await makeUser(store, 'admin@example.org', true);
    const { listWhereabouts } = whereaboutsOperations(store);
    const seenBy = async (user: Caller, caller = user): Promise<Whereabouts> =>
      JSON.parse(((await listWhereabouts(callOf(caller, { userId: user.userId }))) as JsonText<unknown>).text);
    return { store, owner, guest, admin, seenBy };
  }

  async function storePosition(store: Store, deviceId: number, minute: number, lat: number | null): Promise<number> {
    const at = NOW + minute * MINUTE_MS;
    const [id] = await storePositions(store, {
      deviceId,
      timestamp: at,
      created: at,
      locationType: lat === null ? 'invalid' : 'gps',
      ...(lat !== null && { locationLat: lat, locationLng: 5, speed: 30 + minute }),
    });
    return id!;
  }

  async function evaluated(store: Store, deviceId: number, pointId: number, isUnderway: boolean): Promise<void> {
    const motion = { last: { pointId }, standstill: {}, ...(isUnderway && { underway: {} }) };
    const state = JSON.stringify({ ...INITIAL_STATE, motion });
    await store.query.updateTable('deviceStates').set({ state }).where('deviceId', '=', deviceId).execute();
  }

  test('the newest position by the time of the fix, not of its arrival', async () => {
    const { store, owner, seenBy } = await setting();
    const device = await makeDevice(store, owner.userId, {
      name: 'Van',
      color: '#123456',
      tags: ['blue'],
      meta: { icon: 'van' },
    });
    await storePosition(store, device, 2, 52);
    await storePosition(store, device, 1, 51);
    const [one] = await seenBy(owner);
    assert.deepEqual(one, {
      deviceId: device,
      name: 'Van',
      plate: null,
      color: '#123456',
      type: null,
      icon: 'van',
      tags: ['blue'],
      right: 'own',
      location: { lat: 52, lng: 5 },
      timestamp: new Date(NOW + 2 * MINUTE_MS).toISOString(),
      speed: 32,
      course: null,
      accuracy: null,
      locationType: 'gps',
      batteryPct: null,
      lastConnection: null,
      moving: null,
    });
  });

  test('a report without a location leaves the last one standing', async () => {
    const { store, owner, seenBy } = await setting();
    const device = await makeDevice(store, owner.userId);
    const pointId = await storePosition(store, device, 1, 51);
    await evaluated(store, device, pointId, true);
    await storePosition(store, device, 2, null);
    const [one] = await seenBy(owner);
    assert.deepEqual([one!.location, one!.moving], [{ lat: 51, lng: 5 }, true]);
    await evaluated(store, device, pointId, false);
    assert.equal((await seenBy(owner))[0]!.moving, false);
  });

  test('everyone sees what they may see, with their right; a device that never reported has no place', async () => {
    const { store, owner, guest, admin, seenBy } = await setting();
    const shared = await makeDevice(store, owner.userId);
    const kept = await makeDevice(store, owner.userId);
    const gone = await makeDevice(store, owner.userId);
    await store.query.updateTable('devices').set({ deletedAt: NOW }).where('id', '=', gone).execute();
    await store.query
      .insertInto('shares')
      .values({ deviceId: shared, userId: guest.userId, rights: 'manage', created: NOW })
      .execute();
    const reported = (list: Whereabouts) => list.map(({ deviceId, right, location }) => [deviceId, right, location]);
    assert.deepEqual(reported(await seenBy(owner)), [
      [shared, 'own', null],
      [kept, 'own', null],
    ]);
    assert.deepEqual(reported(await seenBy(guest)), [[shared, 'manage', null]]);
    assert.deepEqual(reported(await seenBy(guest, admin)), [[shared, 'manage', null]], 'as that user sees it');
    assert.equal((await seenBy(admin)).length, 2, 'an admin sees every device');
  });
});
