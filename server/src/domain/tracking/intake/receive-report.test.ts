import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fingerprint } from '../../../platform/secrets.ts';
import { onBothEngines } from '../../../testing/databases.ts';
import { makeDevice, makeUser, NOW } from '../../../testing/people.ts';
import { testVault } from '../../../testing/vault.ts';
import { keysChanged } from '../../devices/device-keys.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { RulesCache } from '../state/rules-cache.ts';
import { Intake } from './intake.ts';
import { reportReceiver } from './receive-report.ts';

const WINDOW_MS = 30 * 86_400_000;
const KEY = 'the key of a device';

onBothEngines<Tables>('the reception of devices', { migrations: MIGRATIONS }, (open) => {
  async function setting() {
    const store = await open();
    const { userId } = await makeUser(store, 'owner@example.com');
    const deviceId = await makeDevice(store, userId);
    await setKey(store, deviceId, KEY);
    const ingest = new Intake(store, new RulesCache(store, WINDOW_MS), {
      windowMs: WINDOW_MS,
      publish: () => {},
      late: () => {},
    });
    const receiver = reportReceiver(store, ingest, testVault);
    /** Undefined where the key is refused, early or late. */
    const report = async (minute: number, key = KEY) => {
      const identity = await receiver.deviceOfKey(key);
      const points = [{ timestamp: NOW + minute * 60_000, location: { lat: 50, lng: 8 } }];
      const said = { points, readings: [], gatewayReadings: [], messages: [] };
      return identity && receiver.receive(identity, said, { messages: [] }, NOW + 3_600_000);
    };
    const stored = async () => (await store.query.selectFrom('points').select('id').execute()).length;
    return { store, deviceId, report, stored };
  }

  const set = (store: Store, deviceId: number, values: { keyHash?: string | null; deletedAt?: number }) =>
    store.transaction(async (tx) => {
      await tx.updateTable('devices').set(values).where('id', '=', deviceId).execute();
      await keysChanged(tx, deviceId);
    });
  const setKey = (store: Store, deviceId: number, key: string | null) =>
    set(store, deviceId, { keyHash: key && fingerprint(key) });

  test('a key that was taken away, or given anew, is refused at once, whoever did it', async () => {
    const { store, deviceId, report, stored } = await setting();
    assert.equal((await report(1))?.accepted, 1);
    await setKey(store, deviceId, 'another key');
    assert.equal(await report(2), undefined);
    assert.equal((await report(3, 'another key'))?.accepted, 1);
    await setKey(store, deviceId, null);
    assert.equal(await report(4, 'another key'), undefined);
    assert.equal(await stored(), 2);
    await setKey(store, deviceId, KEY);
    assert.equal((await report(5))?.accepted, 1);
  });

  test('a device that was deleted is refused, and those who report with it are not', async () => {
    const { store, deviceId, report, stored } = await setting();
    await report(1);
    const other = await makeDevice(store, 1);
    await setKey(store, other, 'of the other');
    await report(1, 'of the other');
    await set(store, deviceId, { deletedAt: NOW });
    const [gone, there] = await Promise.all([report(2), report(2, 'of the other')]);
    assert.equal(gone, undefined);
    assert.equal(there?.accepted, 1);
    assert.equal(await stored(), 3);
  });

  test('what was said before is known again, within a group and after it', async () => {
    const { report, stored } = await setting();
    await report(0);
    const together = await Promise.all([report(1), report(2), report(1), report(2)]);
    assert.deepEqual(
      together.map((received) => [received?.accepted, received?.duplicates]),
      [
        [1, 0],
        [1, 0],
        [0, 1],
        [0, 1],
      ],
    );
    assert.equal((await report(1))?.duplicates, 1);
    assert.equal(await stored(), 3);
  });

  test('a message that waits comes with the next answer', async () => {
    const { store, deviceId, report } = await setting();
    assert.deepEqual((await report(1))?.messages, []);
    await store.query
      .insertInto('messages')
      .values({ message: 'ring', config: null, mobileTerminated: 1, created: NOW, sent: null, deviceId, userId: null })
      .execute();
    assert.deepEqual(
      (await report(2))?.messages.map(({ message }) => message),
      ['ring'],
    );
  });
});
