import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MIGRATIONS } from '../../../server/src/domain/schema/migrations.ts';
import { onCitus } from '../../../server/src/testing/databases.ts';
import { citusAddress, citusServers } from '../../../server/src/testing/storage/citus-places.ts';
import { apiOf } from '../harness/api.ts';
import { startServer } from '../harness/server-process.ts';
import { makeStation } from '../harness/station.ts';

/** Some of both workers. */
const DEVICES = 12;
const MINUTE_MS = 60_000;

onCitus('a node at a worker', { migrations: MIGRATIONS }, (open) => {
  test('stores what it is sent, for devices of every worker, and shows what others stored', async (t) => {
    const place = await open.migratedPlace(MIGRATIONS);
    const [, worker] = await citusServers();
    const atWorker = citusAddress(new URL(place).pathname.slice(1), worker!);

    const first = await startServer('postgres', place);
    t.after(() => first.stop());
    const api = apiOf(first.address);
    t.after(() => api.close());
    const { owner } = await makeStation(api);
    const keys = new Map<number, string>();
    while (keys.size < DEVICES) {
      const device = await owner.client.createDevice({ body: { name: `van ${keys.size}` } });
      keys.set(device.id, device.deviceKey!);
    }

    const second = await startServer('postgres', atWorker, { TRACKWAY_DATABASE_DIRECT_URL: place });
    t.after(() => second.stop());
    const startAt = Date.now() - 60 * MINUTE_MS;
    const report = async (at: string, minute: number) => {
      for (const [id, key] of keys) {
        const timestamp = new Date(startAt + minute * MINUTE_MS).toISOString();
        const points = [{ timestamp, location: { lat: 50 + id / 1000, lng: 8 } }];
        const told = await apiOf(at)('POST', '/ingest/reports', { token: key, body: { points } });
        assert.equal(told.status, 200, told.text);
      }
    };
    await report(second.address, 0);
    await report(first.address, 1);
    await report(second.address, 2);
    for (const at of [first.address, second.address])
      for (const id of keys.keys()) {
        const answer = await apiOf(at)('GET', `/api/devices/${id}/points/count`, { token: owner.token });
        assert.deepEqual([answer.status, answer.body.count], [200, 3], answer.text);
      }
    const ids = new Set<number>();
    for (const id of keys.keys()) {
      const answer = await apiOf(second.address)('GET', `/api/devices/${id}/points`, { token: owner.token });
      for (const point of answer.body) ids.add(point.id);
    }
    assert.equal(ids.size, DEVICES * 3);
    assert.ok([...ids].every(Number.isSafeInteger));
    // Before the database is removed.
    assert.deepEqual([await second.stop(), await first.stop()], [0, 0]);
  });
});
