import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createVault, newKey } from '../../platform/vault.ts';
import { onEitherEngine } from '../../testing/databases.ts';
import { makeDevice, makeUser, NOW } from '../../testing/people.ts';
import { unzip } from '../../testing/unzip.ts';
import { insertReadings } from '../positions/pack-readings.ts';
import { readings } from '../positions/readings.ts';
import { DAY_MS } from '../positions/segments.ts';
import type { StoredReadingRow } from '../positions/stored-reading.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { positionPacker } from '../tracking/timers/pack-positions.ts';
import { archive } from './archive.ts';
import { beginErasure, goOnErasing } from './erase.ts';
import { dataExports } from './export-data.ts';
import { erasureParts } from './personal-data.ts';
import { DEVICE_COLUMNS, rowsNaming } from './testing/fill-tables.ts';

const MARCH = Date.UTC(2026, 2, 1);
const COUNT = 700;

onEitherEngine<Tables>('packed readings of persons', { migrations: MIGRATIONS }, (open) => {
  async function setUp() {
    const store: Store = await open({ searchDeadlineMs: 600_000 });
    const { userId: jo } = await makeUser(store, 'jo@example.com');
    const { userId: other } = await makeUser(store, 'other@example.com');
    const tag = await makeDevice(store, jo, { name: 'Tag' });
    const gateway = await makeDevice(store, other, { name: 'Gateway' });
    const rows = Array.from({ length: COUNT }, (_, index): StoredReadingRow => {
      const timestamp = MARCH + Math.floor(index / 3) * 600_000;
      return {
        ...{ id: index + 1, timestamp, created: timestamp + 5, type: index % 2 ? 'temp' : 'ble_seen' },
        ...{ value: JSON.stringify(index / 10), rssi: -50 - index / 100, meta: null, relatedId: null },
        ...{ correlationId: null, datapointId: null, hash: null, deviceId: index % 5 === 0 ? null : tag },
        ...(index % 5 === 0 || index % 3 === 0
          ? { gatewayId: gateway, sensorDeviceId: '11:22:33:44:55:66' }
          : { gatewayId: null, sensorDeviceId: null }),
      };
    });
    await store.transaction((tx) => insertReadings(tx, rows));
    const pack = async () => {
      await positionPacker(store)(MARCH + 60 * DAY_MS, () => true);
      assert.equal((await store.query.selectFrom('gatewayReadings').select('id').execute()).length, 0);
    };
    return { store, tag, gateway, rows, pack };
  }

  test('an export has them as they were', async () => {
    const { store, tag, gateway, pack } = await setUp();
    const exported = async (deviceId: number) => {
      const { bytes } = await dataExports(store).ofDevice(deviceId, 'jo');
      const parts: Uint8Array[] = [];
      for await (const part of bytes) parts.push(part);
      const files = unzip(Buffer.concat(parts));
      return [files.get('readings.jsonl'), files.get('heard-by.jsonl')];
    };
    const plain = [await exported(tag), await exported(gateway)];
    await pack();
    assert.deepEqual([await exported(tag), await exported(gateway)], plain);
  });

  test('an archive has them all, and what is removed then is all but the newest of each type', async (t) => {
    const { store, tag, gateway, rows, pack } = await setUp();
    await pack();
    const folder = await mkdtemp(join(tmpdir(), 'trackway-archive-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const options = { folder, before: NOW - 20 * DAY_MS, program: 'test', report() {} };
    const { written } = await archive(store, { ...options, removes: true });
    assert.equal(written.readings, COUNT);
    const newest = new Map(
      rows.map(({ id, gatewayId, deviceId, type }) => [JSON.stringify([gatewayId, deviceId, type]), id]),
    );
    const all = { from: 0, to: NOW, columns: [], limit: COUNT };
    const left = [
      ...(await readings(store.query, { scope: { gatewayId: gateway }, ...all })),
      ...(await readings(store.query, { scope: { gatewayId: null, deviceId: tag }, ...all })),
    ];
    assert.deepEqual(left.map(({ id }) => id).sort(), [...newest.values()].sort());
  });

  test('an erasure deletes them, and removes the device from sightings of other gateways', async () => {
    const { store, tag, gateway, rows, pack } = await setUp();
    await pack();
    const parts = erasureParts(store, createVault([newKey()]));
    const erasure = await beginErasure(parts, { kind: 'device', subjectId: tag, since: NOW }, null, NOW);
    await goOnErasing(parts, erasure, () => true);
    assert.deepEqual(await rowsNaming(store, DEVICE_COLUMNS, tag), {});
    const columns = ['deviceId', 'sensorDeviceId', 'value'] as const;
    const left = await readings(store.query, {
      scope: { gatewayId: gateway },
      from: 0,
      to: NOW,
      columns,
      limit: COUNT,
    });
    assert.deepEqual(
      left.map(({ id, deviceId, sensorDeviceId, value }) => ({ id, deviceId, sensorDeviceId, value })),
      rows
        .filter(({ gatewayId }) => gatewayId === gateway)
        .map(({ id, deviceId, sensorDeviceId, value }) => ({
          ...{ id, deviceId: null, value },
          sensorDeviceId: deviceId === null ? sensorDeviceId : null,
        })),
    );
  });
});
