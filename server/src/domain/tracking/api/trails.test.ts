import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AnswerOf } from '@trackway/contract/operations.ts';
import type { Caller, JsonText } from '../../../calls.ts';
import { onEitherEngine } from '../../../testing/databases.ts';
import { callOf, makeDevice, makeUser, NOW, shareWith } from '../../../testing/people.ts';
import { storePositions } from '../../../testing/positions.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { whereaboutsOperations } from './whereabouts.ts';

onEitherEngine<Tables>('trails', { migrations: MIGRATIONS }, (open) => {
  test('the last minutes of those that are seen, a position for each step', async () => {
    const store: Store = await open();
    const owner = await makeUser(store, 'owner@example.org');
    const guest = await makeUser(store, 'guest@example.org');
    const [van, car] = [await makeDevice(store, owner.userId), await makeDevice(store, owner.userId)];
    const fix = (deviceId: number, second: number, lat: number | null, more: object = {}) =>
      storePositions(store, {
        deviceId,
        timestamp: NOW + second * 1000,
        created: NOW,
        locationType: lat === null ? 'invalid' : 'gps',
        ...(lat !== null && { locationLat: lat, locationLng: 5 }),
        ...more,
      });
    await fix(van, -700, 1);
    await fix(van, -60, 2);
    await fix(van, -59, 3);
    await fix(van, -30, 99, { judged: 'implausible' });
    await fix(van, -20, null);
    await fix(van, -1, 4);
    await fix(van, 30, 5);
    await fix(car, -5, 6);
    const { listTrails } = whereaboutsOperations(store);
    const seenBy = async (caller: Caller, deviceIds: number[]): Promise<AnswerOf<'listTrails'>> => {
      const parameters = { deviceIds };
      return JSON.parse(((await listTrails(callOf(caller, { parameters }))) as JsonText<unknown>).text);
    };
    const placesOf = async (caller: Caller, deviceIds: number[]) =>
      (await seenBy(caller, deviceIds)).map(({ deviceId, location }) => [deviceId, location!.lat]);
    assert.deepEqual(await placesOf(owner, [van, car, 999]), [
      [van, 3],
      [van, 4],
      [car, 6],
    ]);
    assert.deepEqual(await seenBy(guest, [van]), []);
    await shareWith(store, car, guest.userId, 'view');
    assert.deepEqual(await placesOf(guest, [van, car]), [[car, 6]]);
  });
});
