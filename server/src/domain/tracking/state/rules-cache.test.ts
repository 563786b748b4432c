import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEitherEngine } from '../../../testing/databases.ts';
import { makeDevice, makeUser, NOW } from '../../../testing/people.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import type { Tables } from '../../schema/tables.ts';
import { RulesCache } from './rules-cache.ts';

const MINUTE_MS = 60_000;
const WINDOW_MS = 30 * 86_400_000;
const MANY = 500;
const HOME = { lat: 50, lng: 8 };

onEitherEngine<Tables>('rules that change all the time', { migrations: MIGRATIONS }, (open) => {
  test('of many versions that ended, those are read that something is evaluated by', async () => {
    const store = await open();
    const { userId } = await makeUser(store, 'owner@example.com');
    const deviceId = await makeDevice(store, userId);
    const fence = JSON.stringify({ name: 'Home', type: null, centerLat: HOME.lat, centerLng: HOME.lng, radius: 100 });
    const trigger = JSON.stringify({ name: 'Fast', type: 'speed', parameters: { limit: 50 } });
    /** Versions of a minute each, one after the other; the last one is active. */
    const times = Array.from({ length: MANY }, (_, index) => {
      const validTo = NOW - (MANY - 1 - index) * MINUTE_MS;
      return { validFrom: validTo - MINUTE_MS, validTo: index === MANY - 1 ? null : validTo };
    });
    for (let start = 0; start < MANY; start += 250) {
      const some = times.slice(start, start + 250);
      const fences = some.map((time, at) => ({ ...time, fenceId: start + at + 1, shapedAt: time.validFrom }));
      await store.query
        .insertInto('geofenceVersions')
        .values(fences.map((one) => ({ ...one, userId, deviceId: null, fence })))
        .execute();
      const triggers = some.map((time, at) => ({ ...time, triggerId: start + at + 1 }));
      await store.query
        .insertInto('triggerVersions')
        .values(triggers.map((one) => ({ ...one, userId, deviceId, trigger })))
        .execute();
    }
    const read: number[] = [];
    const counted = { ...store, prepare: store.prepare.bind(store), query: store.query };
    counted.query = store.query.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        read.push(result.rows.length);
        return result;
      },
    });
    const cache = new RulesCache(counted, WINDOW_MS);
    const inForce = async (at: number, from: number) => {
      const rules = await cache.rulesFor(deviceId, 1, NOW, from);
      const fences = [...rules.fencesNear(at, HOME, 10)].map(({ fenceId }) => fenceId);
      return [fences, rules.triggers(at).map(({ triggerId }) => triggerId)];
    };
    assert.deepEqual(await inForce(NOW, NOW - 1000), [[MANY], [MANY]]);
    // Ended versions are counted up to a limit, and not opened.
    assert.ok(Math.max(...read) <= 101, `${Math.max(...read)} rows`);
    const opened = read.filter((rows) => rows < 101).reduce((sum, rows) => sum + rows, 0);
    assert.ok(opened < 50, `${opened} rows`);
    // What is evaluated by older versions finds them.
    const number = 300;
    const at = times[number]!.validFrom;
    assert.deepEqual(await inForce(at, at), [[number + 1], [number + 1]]);
    const first = times[0]!.validFrom;
    assert.deepEqual(await inForce(first, Number.MIN_SAFE_INTEGER), [[1], [1]]);
    // They are known from then on.
    read.length = 0;
    assert.deepEqual(await inForce(NOW, NOW - 1000), [[MANY], [MANY]]);
    assert.deepEqual(read, []);
  });
});
