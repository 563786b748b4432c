import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '../../testing/databases.ts';
import { callOf, makeDevice, makeUser } from '../../testing/people.ts';
import { deviceAccess } from '../devices/access.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { type Area, areaOf, signedDistanceM } from './area.ts';
import { geofenceOperations } from './operations.ts';
import { zonesOf } from './seen-fences.ts';

onBothEngines<Tables>('zones', { migrations: MIGRATIONS }, (open) => {
  test('few or many of them contain the same places as each of them does, and only those that count', async () => {
    const store: Store = await open();
    const owner = await makeUser(store, 'owner@example.com');
    const { createGeofence } = geofenceOperations(store, deviceAccess(store));
    const [deviceId, other] = [await makeDevice(store, owner.userId), await makeDevice(store, owner.userId)];
    const circle = (index: number) => ({
      center: { lat: (index % 8) * 0.01, lng: 179.96 + (index % 4) * 0.01 },
      radius: 300,
    });
    const asked = { userId: owner.userId, deviceId };
    const everywhere = { center: { lat: 0, lng: 180 }, radius: 50_000 };
    for (const body of [
      { type: 'other', ...everywhere },
      { type: 'work', deviceId: other, ...everywhere },
      { type: 'work', name: 'without a shape' },
    ])
      await createGeofence(callOf(owner, { body }));
    const areas: Area[] = [];
    for (let index = 0; index < 40; index++) {
      await createGeofence(callOf(owner, { body: { type: 'work', ...circle(index) } }));
      areas.push(areaOf(circle(index))!);
      if (index !== 2 && index !== 39) continue;
      const zones = await zonesOf(store, asked, { type: 'work' });
      assert.equal(zones.count, index + 1);
      let inside = 0;
      for (let lat = -0.01; lat < 0.09; lat += 0.0007)
        for (let lng = 179.94; lng < 180.02; lng += 0.0013) {
          const place = { lat, lng: lng > 180 ? lng - 360 : lng };
          const isInside = areas.some((area) => signedDistanceM(area, place) <= 0);
          assert.equal(zones.contain(place), isInside, JSON.stringify(place));
          if (isInside) inside++;
        }
      assert.ok(inside > 10);
    }
    assert.equal((await zonesOf(store, asked, { ids: [] })).count, 0);
  });
});
