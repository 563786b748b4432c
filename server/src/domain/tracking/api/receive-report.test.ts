import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fingerprint } from '../../../platform/secrets.ts';
import { onBothEngines } from '../../../testing/databases.ts';
import { makeDevice, makeUser, NOW } from '../../../testing/people.ts';
import { testVault } from '../../../testing/vault.ts';
import { keysChanged } from '../../devices/device-keys.ts';
import { knownTrackers } from '../../devices/known-trackers.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { Pipeline } from '../pipeline.ts';
import { RulesCache } from '../state/rules-cache.ts';
import { reportReceiver } from './receive-report.ts';

const WINDOW_MS = 30 * 86_400_000;
const KEY = 'the key of a device';

const NOTHING = { points: [], readings: [], gatewayReadings: [], messages: [] };
const LATER = NOW + 3_600_000;
const pointAt = (minute: number) => ({ timestamp: NOW + minute * 60_000, location: { lat: 50, lng: 8 } });

function receiving(store: Store) {
  const ingest = new Pipeline(store, new RulesCache(store, WINDOW_MS), {
    windowMs: WINDOW_MS,
    publish: () => {},
    lateDataOf: () => {},
  });
  return { ingest, receiver: reportReceiver(store, ingest, testVault) };
}

onBothEngines<Tables>('the reception of devices', { migrations: MIGRATIONS }, (open) => {
  async function setting() {
    const store = await open();
    const { userId } = await makeUser(store, 'owner@example.com');
    const deviceId = await makeDevice(store, userId);
    await setKey(store, deviceId, KEY);
    const { receiver } = receiving(store);
    /** Undefined where the key is refused, early or late. */
    const report = async (minute: number, key = KEY) => {
      const identity = await receiver.deviceOfKey(key);
      const said = { ...NOTHING, points: [pointAt(minute)] };
      return identity && receiver.receive(identity, said, { messages: [] }, LATER);
    };
    const stored = async () => (await store.query.selectFrom('points').select('id').execute()).length;
    return { store, deviceId, report, stored, receiver };
  }

  type Change = Partial<
    Record<'keyHash' | 'imei', string | null> & Record<'deletedAt' | 'allowKeyless' | 'identityPending', number>
  >;
  const set = (store: Store, deviceId: number, values: Change) =>
    store.transaction(async (tx) => {
      await tx.updateTable('devices').set(values).where('id', '=', deviceId).execute();
      await keysChanged(tx, deviceId);
    });
  const setKey = (store: Store, deviceId: number, key: string | null) =>
    set(store, deviceId, { keyHash: key && fingerprint(key) });

  test('a revoked or replaced key is refused at once, on every node', async () => {
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

  test('a deleted device is refused, and devices in the same batch are not', async () => {
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

  const IMEI = '356307042441013';
  const LINK = { protocol: 'gt06', transport: 'tcp', address: '192.0.2.7' } as const;
  /** What ends the right to report by an IMEI alone. */
  const ENDINGS: Record<string, readonly Change[]> = {
    'is of no device': [{ imei: null }],
    'needs the key again': [{ allowKeyless: 0 }],
    'is of a deleted device': [{ deletedAt: NOW }],
    'is entered again, and an admin must approve it': [{ imei: null }, { imei: IMEI, identityPending: 1 }],
  };
  for (const [name, changes] of Object.entries(ENDINGS))
    test(`an IMEI that ${name} stores nothing, also if another server changed it`, async () => {
      const place = await open.emptyPlace();
      const store: Store = await open.at(place);
      const other: Store = open.storeKind === 'postgres' ? await open.at(place) : store;
      const { userId } = await makeUser(store, 'owner@example.com');
      const deviceId = await makeDevice(store, userId);
      await set(store, deviceId, { imei: IMEI, allowKeyless: 1 });
      const { ingest, receiver } = receiving(store);
      const report = (minute: number) => ({ ...NOTHING, points: [pointAt(minute)] });
      const known = (await receiver.deviceOfIdentifier(IMEI))!;
      const tracker = (await knownTrackers(store)([IMEI], undefined, LINK, []))!;
      assert.equal((await receiver.receive(known, report(1), { messages: [] }, LATER))?.accepted, 1);
      assert.equal((await ingest.store(deviceId, report(2), LATER, tracker))?.accepted, 1);

      for (const change of changes) await set(other, deviceId, change);
      assert.deepEqual(await receiver.deviceOfIdentifier(IMEI), known, 'it is not read again');
      assert.equal(await receiver.receive(known, report(3), { messages: [] }, LATER), undefined);
      assert.equal(await ingest.store(deviceId, report(4), LATER, tracker), undefined);
      assert.equal(await receiver.deviceOfIdentifier(IMEI), undefined);
      assert.equal((await store.query.selectFrom('points').select('id').execute()).length, 2);
    });

  test('an IMEI that another device has now is of that device from the second attempt on', async () => {
    const { store, deviceId, receiver } = await setting();
    await set(store, deviceId, { imei: IMEI, allowKeyless: 1 });
    const known = (await receiver.deviceOfIdentifier(IMEI))!;
    const other = await makeDevice(store, 1);
    await set(store, deviceId, { imei: null });
    await set(store, other, { imei: IMEI, allowKeyless: 1 });
    const report = { ...NOTHING, points: [pointAt(1)] };
    assert.equal(await receiver.receive(known, report, { messages: [] }, LATER), undefined);
    assert.deepEqual(await receiver.deviceOfIdentifier(IMEI), { deviceId: other, identifier: IMEI });
    assert.equal(await receiver.isCurrent(known), false);
  });

  test('the hash of a key is no identifier', async () => {
    const { receiver, report } = await setting();
    assert.equal((await report(1))?.accepted, 1);
    assert.equal(await receiver.deviceOfIdentifier(fingerprint(KEY)), undefined);
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
