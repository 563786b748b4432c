import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXPORT_FORMATS } from '@trackway/contract/resources/trip.ts';
import { onEitherEngine } from '../../testing/databases.ts';
import { makeDevice, makeUser, NOW } from '../../testing/people.ts';
import { storePositions } from '../../testing/positions.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { trackExports } from './trip-operations.ts';

/** A busy machine takes long to start the threads that read. */
const PATIENT = { searchDeadlineMs: 600_000 };

onEitherEngine<Tables>('export', { migrations: MIGRATIONS }, (open) => {
  test('each position of the range once, in order, in every format, over many chunks and equal times', async () => {
    const store: Store = await open(PATIENT);
    const { userId } = await makeUser(store, 'a@example.com');
    const deviceId = await makeDevice(store, userId);
    const count = 2500;
    // Runs of equal times cross the ends of chunks.
    const rows = Array.from({ length: count }, (_, index) => ({
      deviceId,
      timestamp: NOW + Math.floor(index / 7) * 1000,
      created: NOW,
      locationLat: index / 1000,
      locationLng: -0.5,
      locationType: 'gps',
    }));
    for (let start = 0; start < count; start += 250) await storePositions(store, rows.slice(start, start + 250));
    await storePositions(store, { deviceId, timestamp: NOW, created: NOW, locationType: 'invalid' });

    const exportOf = trackExports(store);
    for (const format of EXPORT_FORMATS) {
      let text = '';
      const device = { id: deviceId, name: '<Van> & "Co"' };
      for await (const chunk of await exportOf({ device, format, from: NOW, to: NOW + 1e9 }, 'a')) text += chunk;
      const found =
        format === 'geojson'
          ? JSON.parse(text).features.map(
              (feature: { geometry: { coordinates: number[] } }) => feature.geometry.coordinates[1],
            )
          : [
              ...text.matchAll(
                { gpx: /lat="([^"]+)"/g, kml: /<gx:coord>\S+ (\S+)/g, csv: /^\d+,[^,]+,([^,]+),/gm }[format],
              ),
            ].map((match) => Number(match[1]));
      assert.deepEqual(
        found,
        rows.map(({ locationLat }) => locationLat),
        format,
      );
      if (format === 'gpx' || format === 'kml') assert.ok(!text.includes('<Van>'), 'names are escaped');
    }
    let empty = '';
    const none = { device: { id: deviceId, name: 'x' }, format: 'geojson', from: 0, to: 1 } as const;
    for await (const chunk of await exportOf(none, 'a')) empty += chunk;
    assert.deepEqual(JSON.parse(empty).features, []);
  });

  test('a table has the texts of a device, in quotes where they need them, and none that a program would run', async () => {
    const store: Store = await open(PATIENT);
    const { userId } = await makeUser(store, 'a@example.com');
    const device = { id: await makeDevice(store, userId), name: 'Van' };
    const said = { stringValue: '=1+1,"x"', currentUsed: 1.5, num_value: '-07' };
    const values = { deviceId: device.id, timestamp: NOW, created: NOW, locationLat: 1, locationLng: 2, ...said };
    await storePositions(store, { ...values, locationType: 'gps' });
    let text = '';
    const track = { device, format: 'csv', from: NOW, to: NOW } as const;
    for await (const chunk of await trackExports(store)(track, 'a')) text += chunk;
    const [names, row] = text.split('\r\n');
    assert.match(names!, /,location_type,string_value,current_used,num_value$/);
    assert.match(row!, /,gps,"'=1\+1,""x""",1\.5,-07$/);
  });

  test('a user has two exports open, others their own; one that is given up makes room for the next', async () => {
    const store: Store = await open(PATIENT);
    const { userId } = await makeUser(store, 'a@example.com');
    const device = { id: await makeDevice(store, userId), name: 'Van' };
    const exportOf = trackExports(store);
    const begin = (owner: string) => exportOf({ device, format: 'csv', from: 0, to: 1 }, owner);
    const [first] = await Promise.all([begin('a'), begin('a')]);
    const third = begin('a');
    let isThirdOpen = false;
    void third.then(() => {
      isThirdOpen = true;
    });
    await begin('b');
    assert.equal(isThirdOpen, false);
    await first!.return!();
    await third;
    // What waits is bounded.
    const waiting = Array.from({ length: 16 }, () => begin('a'));
    await assert.rejects(begin('a'), { statusCode: 429, headers: { 'retry-after': '5' } });
    await first!.return!();
    const remaining = [await third];
    for (const one of waiting) {
      await remaining.pop()!.return!();
      remaining.push(await one);
    }
  });
});
