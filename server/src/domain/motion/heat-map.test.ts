import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '../../calls.ts';
import { onBothEngines } from '../../testing/databases.ts';
import { callOf, makeDevice, makeUser, NOW } from '../../testing/people.ts';
import { storePositions } from '../../testing/positions.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { heatMapOperations } from './heat-operations.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at as clients see them.
type Answer = any;

const HOUR = 3_600_000;
const DAY = 86_400_000;

onBothEngines<Tables>('heat map', { migrations: MIGRATIONS }, (open) => {
  test('positions are counted by cell, of devices that one may see, of the period and the map alone', async () => {
    const store: Store = await open();
    const [owner, other] = [await makeUser(store, 'owner@example.com'), await makeUser(store, 'other@example.com')];
    const [van, car] = [await makeDevice(store, owner.userId), await makeDevice(store, owner.userId)];
    const foreign = await makeDevice(store, other.userId);
    const point = (deviceId: number, at: number, lat: number, lng: number, judged: string | null = null) =>
      storePositions(store, {
        ...{ deviceId, timestamp: at, created: at, locationType: 'gps', judged },
        ...{ locationLat: lat, locationLng: lng },
      });
    for (let minute = 0; minute < 3; minute++) await point(van, NOW - HOUR + minute * 60_000, 50.0001, 8.0001);
    await point(car, NOW - HOUR, 50.0001, 8.0001);
    await point(car, NOW - HOUR, 50.2, 8.2);
    await point(car, NOW - HOUR, 60, 8.2);
    await point(car, NOW - 3 * DAY, 50.0001, 8.0001);
    await point(car, NOW - HOUR, 50.3, 8.3, 'implausible');
    await point(foreign, NOW - HOUR, 50.0001, 8.0001);
    const range = { from: new Date(NOW - DAY).toISOString(), to: new Date(NOW).toISOString() };
    const view = { ...range, west: 7, south: 49, east: 9, north: 51, zoom: 10 };
    const operations = heatMapOperations(store);
    const heat = (who: Caller, more: object = {}): Promise<Answer> =>
      (async () => operations.heatMap(callOf(who, { parameters: { ...view, ...more } as never }) as never))();
    const { cells, isComplete } = await heat(owner);
    assert.equal(isComplete, true);
    assert.deepEqual(
      cells.map(({ count }: Answer) => count),
      [4, 1],
    );
    assert.ok(Math.abs(cells[0].lat - 50.0001) < 0.01 && Math.abs(cells[0].lng - 8.0001) < 0.01);
    assert.deepEqual(
      (await heat(owner, { deviceId: van })).cells.map(({ count }: Answer) => count),
      [3],
    );
    assert.deepEqual((await heat(owner, { deviceId: foreign })).cells, []);
    const limited = { ...owner, scope: { access: 'read', deviceIds: [van] } } as const;
    assert.equal((await heat(limited)).cells[0].count, 3);
    await assert.rejects(heat(owner, { from: new Date(NOW - 40 * DAY).toISOString() }), /31 days/);
    await assert.rejects(heat(owner, { west: 10 }), /west/);
  });
});
