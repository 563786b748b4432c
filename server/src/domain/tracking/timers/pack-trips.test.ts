import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../../../platform/log.ts';
import { runSql } from '../../../platform/storage/run-sql.ts';
import { onBothEngines } from '../../../testing/databases.ts';
import { eventually } from '../../../testing/eventually.ts';
import { makeDevice, makeUser, NOW } from '../../../testing/people.ts';
import { storePositions } from '../../../testing/positions.ts';
import { NOT_PACKED, unpackTrack } from '../../motion/trip-track.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { startEngine } from '../engine.ts';
import { packer } from './pack-trips.ts';

const SECOND = 1000;
const START = NOW - 7_200_000;

onBothEngines<Tables>('packing trips', { migrations: MIGRATIONS }, (open) => {
  async function setting() {
    const store: Store = await open();
    const { userId } = await makeUser(store, 'owner@example.com');
    /** A trip with a position every second. */
    async function drive(deviceId: number, count: number, startAt = START): Promise<void> {
      const place = (index: number) => ({ locationLat: 48 + index * 0.001, locationLng: 11 });
      for (let from = 0; from < count; from += 1000) {
        const rows = Array.from({ length: Math.min(1000, count - from) }, (_, index) => ({
          deviceId,
          timestamp: startAt + (from + index) * SECOND,
          created: NOW,
          locationType: 'gps' as const,
          ...place(from + index),
        }));
        await storePositions(store, rows);
      }
      await store.query
        .insertInto('trips')
        .values({
          deviceId,
          start: startAt,
          end: startAt + (count - 1) * SECOND,
          distance: 1,
          duration: 1,
          idle: 0,
          maxSpeed: 1,
          averageSpeed: 1,
          startLocationLat: 48,
          startLocationLng: 11,
          endLocationLat: 48,
          endLocationLng: 11,
          startPointId: 1,
          endPointId: 2,
          decidedAt: startAt + count * SECOND,
        })
        .execute();
    }
    const tracks = async (deviceId: number) =>
      (
        await store.query
          .selectFrom('trips')
          .select('track')
          .where('deviceId', '=', deviceId)
          .orderBy('start')
          .execute()
      ).map(({ track }) => track);
    return { store, userId, drive, tracks };
  }

  test('all trips of all devices are packed, except too long ones', async () => {
    const { store, userId, drive, tracks } = await setting();
    const [one, other] = [await makeDevice(store, userId), await makeDevice(store, userId)];
    for (let trip = 0; trip < 60; trip++) await drive(one, 3, START + trip * 10 * SECOND);
    await drive(other, 5001);
    await packer(store)(() => true);
    const packed = await tracks(one);
    assert.equal(packed.length, 60);
    for (const [index, track] of packed.entries())
      assert.equal(unpackTrack(track!, START + index * 10 * SECOND).at[1], START + (index * 10 + 1) * SECOND);
    assert.deepEqual(await tracks(other), [NOT_PACKED]);
  });

  test('an engine that runs packs what is there', async () => {
    const { store, userId, drive, tracks } = await setting();
    const deviceId = await makeDevice(store, userId);
    await drive(deviceId, 3);
    const engine = await startEngine(store, { windowMs: 86_400_000, log: createLog('silent') });
    try {
      await eventually(
        'the trip is packed',
        () => tracks(deviceId),
        ([track]) => track !== null && track !== undefined,
      );
    } finally {
      await engine.stop();
    }
  });

  if (open.storeKind === 'postgres')
    test('a device that is being corrected is left out until that is done', async () => {
      const { store, userId, drive, tracks } = await setting();
      const [busy, free] = [await makeDevice(store, userId), await makeDevice(store, userId)];
      await drive(busy, 3);
      await drive(free, 3);
      await store.transaction(async (tx) => {
        const lock = 'SELECT "deviceId" FROM "deviceStates" WHERE "deviceId" = ? FOR UPDATE';
        await runSql(tx, lock, [busy]);
        await packer(store)(() => true);
        assert.deepEqual(await tracks(busy), [null]);
        assert.notDeepEqual(await tracks(free), [null]);
      });
      await packer(store)(() => true);
      assert.notDeepEqual(await tracks(busy), [null]);
    });
});
