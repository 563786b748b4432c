import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { onPostgres } from '../../testing/databases.ts';
import { eventually } from '../../testing/eventually.ts';
import { callOf, makeDevice, makeUser, NOW } from '../../testing/people.ts';
import { storePositions } from '../../testing/positions.ts';
import { forgetHistory } from '../devices/claim.ts';
import { purgeLong } from '../devices/purge.ts';
import { packDay } from '../positions/pack.ts';
import { insertReadings, packReadingsOf } from '../positions/pack-readings.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { points } from '../tracking/api/points.ts';
import { eraseLong } from './erase-rows.ts';

const DAY_MS = 86_400_000;
const START = NOW - 9 * DAY_MS;

const PUBLISHED = 'its positions are deleted';

type Remove = (store: Store, deviceId: number, me: Awaited<ReturnType<typeof makeUser>>) => Promise<unknown>;

const REMOVALS: Readonly<Record<string, Remove>> = {
  [PUBLISHED]: async (store, deviceId, me) =>
    points(store, { evaluateAgain() {} }).operations.deletePoints(callOf(me, { deviceId, now: NOW }) as never),
  'it is purged': (store, deviceId) => purgeLong(store, deviceId),
  'it is claimed': (store, deviceId) => store.transaction((tx) => forgetHistory(tx, deviceId, NOW)),
  'it is erased': (store, deviceId) => eraseLong(store, 'device', deviceId, () => true),
};

// On SQLite there is one writer.
onPostgres<Tables>('deleting while a day is packed', { migrations: MIGRATIONS }, (open) => {
  async function setting() {
    const store: Store = await open();
    const me = await makeUser(store, 'owner@example.com');
    const deviceId = await makeDevice(store, me.userId);
    const at = [0, 1, 2].map((minute) => START + minute * 60_000);
    for (const timestamp of at) await storePositions(store, { deviceId, timestamp, locationLat: 46, locationLng: 11 });
    const reading = { id: 1, gatewayId: null, deviceId, timestamp: START, created: START, type: 'temp', value: '1' };
    const empty = { rssi: null, meta: null, relatedId: null, correlationId: null, sensorDeviceId: null };
    await store.transaction((tx) => insertReadings(tx, [{ ...reading, ...empty, datapointId: null, hash: null }]));
    return { store, me, deviceId };
  }

  for (const [what, remove] of Object.entries(REMOVALS))
    test(`nothing is left of a device whose day is being packed while ${what}`, async () => {
      const { store, me, deviceId } = await setting();
      const removal = await store.transaction(async (tx) => {
        assert.equal(await packDay(tx, deviceId, START), 3);
        if (what !== PUBLISHED) assert.equal(await packReadingsOf(tx, deviceId, { at: START, before: NOW }), 1);
        const removing = { ended: remove(store, deviceId, me) };
        await eventually(
          'it waits for the packer',
          () => waiting(store),
          (count) => count > 0,
        );
        return removing;
      });
      await removal.ended;
      for (const table of [
        'points',
        'positionSegments',
        ...(what === PUBLISHED ? [] : (['gatewayReadings', 'readingSegments'] as const)),
      ] as const)
        assert.deepEqual(await store.query.selectFrom(table).select('deviceId').execute(), [], table);
    });
});

/** How many statements wait for a lock. */
async function waiting({ query, dialect }: Store): Promise<number> {
  const waits = dialect.isDistributed
    ? sql`SELECT 1 FROM citus_lock_waits`
    : sql`SELECT "pid" FROM pg_stat_activity WHERE "datname" = current_database() AND "wait_event_type" = 'Lock'`;
  return (await waits.execute(query)).rows.length;
}
