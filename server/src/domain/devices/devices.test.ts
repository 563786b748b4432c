import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AnswerOf } from '@trackway/contract/operations.ts';
import { onEitherEngine } from '../../testing/databases.ts';
import { callOf, makeDevice, makeUser, NOW } from '../../testing/people.ts';
import { storePositions } from '../../testing/positions.ts';
import { storeReadings } from '../../testing/readings.ts';
import { testVault } from '../../testing/vault.ts';
import { forwardingOperations } from '../delivery/forwarder-operations.ts';
import { rightsEnded } from '../history/rights-ending.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { triggerOperations } from '../triggers/operations.ts';
import { deviceAccess } from './access.ts';
import { deviceOperations } from './operations.ts';
import { purgeDevices, RESTORABLE_MS } from './purge.ts';
import { rulesChanged } from './rules-changed.ts';
import { shareOperations } from './shares.ts';

onEitherEngine<Tables>('devices', { migrations: MIGRATIONS }, (open) => {
  test('an identifier is free again once its device was deleted, and holds back a restore', async () => {
    const store: Store = await open();
    const admin = await makeUser(store, 'admin@example.com', true);
    const operations = deviceOperations(store, {}, testVault);
    const first = await makeDevice(store, admin.userId, { imei: '35' });
    await assert.rejects(makeDevice(store, admin.userId, { imei: '35' }), { statusCode: 422, message: /imei/ });
    await operations.deleteDevice(callOf(admin, { deviceId: first }));
    const second = await makeDevice(store, admin.userId, { imei: '35' });
    await assert.rejects(operations.restoreDevice(callOf(admin, { key: first })), { statusCode: 422, message: /imei/ });
    await operations.deleteDevice(callOf(admin, { deviceId: second }));
    await operations.restoreDevice(callOf(admin, { key: first }));
    assert.equal(await deviceAccess(store).rightOn(admin, first), 'own');
  });

  test('many trackers are added by their identifiers, and the trackers of the caller may report from now on', async () => {
    const store: Store = await open();
    const [me, stranger] = [await makeUser(store, 'a@example.com'), await makeUser(store, 'b@example.com')];
    const imei = (end: number) => `35630704244100${end}`;
    const mine = await makeDevice(store, me.userId, { imei: imei(1) });
    await makeDevice(store, stranger.userId, { imei: imei(2) });
    const operations = deviceOperations(store, {}, testVault);
    const identifiers = [imei(1), imei(2), ` ${imei(3)} `, imei(3), 'S-4', ''];
    const added = (await operations.addTrackers(
      callOf(me, { body: { identifiers, name: 'Van', model: 'GT06N' }, now: NOW }) as never,
    )) as AnswerOf<'addTrackers'>;
    assert.deepEqual(
      added.map(({ identifier, problemCode }) => [identifier, problemCode]),
      [
        [imei(1), null],
        [imei(2), 'IN_USE'],
        [imei(3), null],
        ['S-4', null],
      ],
    );
    assert.equal(added[0]!.deviceId, mine);
    const devices = await store.query
      .selectFrom('devices')
      .select(['name', 'imei', 'serial', 'allowKeyless', 'meta'])
      .where('ownerId', '=', me.userId)
      .orderBy('id')
      .execute();
    assert.deepEqual(
      devices.map(({ imei, serial, allowKeyless }) => [imei, serial, allowKeyless]),
      [
        [imei(1), null, 1],
        [imei(3), null, 1],
        [null, 'S-4', 1],
      ],
    );
    const model = 'GT06N';
    assert.deepEqual(
      devices.slice(1).map(({ name, meta }) => [name, JSON.parse(meta ?? '')]),
      [
        ['Van 441003', { model }],
        ['Van S-4', { model }],
      ],
    );
  });

  test('each user sees their rights, the share, and whether there is a key', async () => {
    const store: Store = await open();
    const owner = await makeUser(store, 'a@example.com');
    const friend = await makeUser(store, 'b@example.com');
    const deviceId = await makeDevice(store, owner.userId);
    const operations = deviceOperations(store, {}, testVault);
    const shares = shareOperations(store, { began: [], ended: [] });
    const body = { email: 'b@example.com', rights: 'manage' as const };
    const share = (await shares.createShare(callOf(owner, { deviceId, body }))) as { id: number };
    const forOwner = callOf(owner, { deviceId, right: 'own', body: undefined });
    await operations.rotateDeviceKey(forOwner);
    assert.deepEqual(await operations.getDeviceAccess(forOwner), { right: 'own', shareId: null, hasKey: true });
    await operations.revokeDeviceKey(forOwner);
    assert.deepEqual(await operations.getDeviceAccess(callOf(friend, { deviceId, right: 'manage', body: undefined })), {
      right: 'manage',
      shareId: share.id,
      hasKey: false,
    });
  });

  test('the secret of a phone is stored unchanged, fits the cipher, and is in no list', async () => {
    const store: Store = await open();
    const owner = await makeUser(store, 'a@example.com');
    const deviceId = await makeDevice(store, owner.userId);
    const operations = deviceOperations(store, {}, testVault);
    const call = (secret?: string) => callOf(owner, { deviceId, body: { secret } }) as never;
    assert.deepEqual(await operations.getDeviceSecret(call()), { secret: null });
    assert.deepEqual(await operations.setDeviceSecret(call(' öffne dich ')), { secret: ' öffne dich ' });
    assert.deepEqual(await operations.getDeviceSecret(call()), { secret: ' öffne dich ' });
    await assert.rejects(operations.setDeviceSecret(call('ö'.repeat(17))), { statusCode: 422, message: /32 bytes/ });
    assert.doesNotMatch(JSON.stringify(await operations.getDevice(call())), /secret|öffne/);
    await operations.removeDeviceSecret(call());
    assert.deepEqual(await operations.getDeviceSecret(call()), { secret: null });
  });

  test('a token for some devices manages no others, also where they are named together', async () => {
    const store: Store = await open();
    const owner = await makeUser(store, 'a@example.com');
    const [first, second] = [await makeDevice(store, owner.userId), await makeDevice(store, owner.userId)];
    const access = deviceAccess(store);
    assert.equal(await access.managesAll(owner, [first, second]), true);
    const limited = { ...owner, scope: { access: 'full' as const, deviceIds: [first] } };
    assert.equal(await access.managesAll(limited, [first]), true);
    assert.equal(await access.managesAll(limited, [first, second]), false);
  });

  test('empty identifiers are none', async () => {
    const store: Store = await open();
    const { userId } = await makeUser(store, 'a@example.com');
    await makeDevice(store, userId, { imei: '', serial: '' });
    await makeDevice(store, userId, { imei: '', serial: '' });
  });

  test('deleting hides at once, and what can no longer be restored is deleted with all its data', async () => {
    const store: Store = await open();
    const owner = await makeUser(store, 'a@example.com');
    const deviceId = await makeDevice(store, owner.userId);
    const kept = await makeDevice(store, owner.userId);
    const point = { timestamp: NOW, locationType: 'gps', created: NOW };
    for (const id of [deviceId, kept]) {
      await storePositions(store, { ...point, deviceId: id });
    }
    const reading = { timestamp: NOW, type: 'temp', value: '20' };
    await storeReadings(
      store,
      { ...reading, deviceId },
      { ...reading, gatewayId: deviceId },
      { ...reading, deviceId, gatewayId: kept },
      { ...reading, deviceId: kept },
    );
    const configs = store.query.selectFrom('deviceConfigs').select('id').where('deviceId', '=', deviceId);
    const { id: configId } = await configs.executeTakeFirstOrThrow();
    const fence = { name: 'Yard', userId: owner.userId };
    await store.query
      .insertInto('geofences')
      .values([
        { ...fence, deviceId, configId: null },
        { ...fence, deviceId: null, configId },
      ] as never)
      .execute();
    await deviceOperations(store, {}, testVault).deleteDevice(callOf(owner, { deviceId }));
    assert.equal(await deviceAccess(store).rightOn(owner, deviceId), undefined);
    assert.equal(await purgeDevices(store, NOW + RESTORABLE_MS), 0);
    assert.equal(await purgeDevices(store, NOW + RESTORABLE_MS + 1), 1);
    const fences = await store.query.selectFrom('geofences').select(['deviceId', 'configId']).execute();
    assert.deepEqual(
      fences.map((row) => [row.deviceId, row.configId]),
      [[null, null]],
      'a geofence for the device goes with it, one of its configuration stays without it',
    );
    const left = await store.query.selectFrom('points').select('deviceId').execute();
    assert.deepEqual(
      left.map((row) => row.deviceId),
      [kept],
    );
    const readings = await store.query.selectFrom('gatewayReadings').select(['gatewayId', 'deviceId']).execute();
    assert.deepEqual(
      new Set(readings.map((row) => `${row.gatewayId} ${row.deviceId}`)),
      new Set([`${kept} null`, `null ${kept}`]),
      'a sighting of another gateway stays, but without the device',
    );
    assert.equal(await deviceAccess(store).rightOn(owner, kept), 'own');
  });

  for (const how of ['ended', 'lowered to view'] as const) {
    test(`what a user had on a device goes when the share is ${how}, and nothing else does`, async () => {
      const store: Store = await open();
      const owner = await makeUser(store, 'owner@example.com');
      const guest = await makeUser(store, 'guest@example.com');
      const deviceId = await makeDevice(store, owner.userId);
      const access = deviceAccess(store);
      const shares = shareOperations(store, {
        began: [],
        ended: [(tx, endedOn, userId, now) => rightsEnded(tx, { deviceId: endedOn, userId }, now)],
      });
      const triggers = triggerOperations(store, access, () => undefined);
      const share = (await shares.createShare(
        callOf(owner, { deviceId, body: { email: 'Guest@Example.com', rights: 'manage' } }),
      )) as { id: number };
      assert.equal(await access.rightOn(guest, deviceId), 'manage');

      const trigger = { type: 'button', muteFor: 0, delivery: {} };
      for (const user of [owner, guest])
        await triggers.createNotificationTrigger(callOf(user, { deviceId, body: trigger }));
      const sqsArn = 'arn:aws:sqs:eu-west-1:123456789012:queue';
      const forwarding = forwardingOperations(store, {
        checkTarget: () => undefined,
        changed: rulesChanged,
        vault: testVault,
      });
      await forwarding.setupSqsForwarding(callOf(guest, { deviceId, parameters: { sqsArn } }));

      const ofShare = { deviceId, key: share.id };
      if (how === 'ended') await shares.deleteShare(callOf(owner, ofShare));
      else await shares.updateShare(callOf(owner, { ...ofShare, body: { rights: 'view' } }));
      assert.equal(await access.rightOn(guest, deviceId), how === 'ended' ? undefined : 'view');
      const left = await store.query.selectFrom('notificationTriggers').select('userId').execute();
      assert.deepEqual(
        left.map((row) => row.userId),
        [owner.userId],
      );
      assert.deepEqual(await store.query.selectFrom('forwarders').select('id').execute(), []);
    });
  }

  test('a bluetooth address is read in any spelling and shown in both', async () => {
    const store: Store = await open();
    const { userId } = await makeUser(store, 'a@example.com');
    for (const btMac of ['AA:BB:CC:DD:EE:0F', 'aa-bb-cc-dd-ee-0f', 'aabbccddee0f', 0xaabbccddee0f]) {
      const id = await makeDevice(store, userId, { btMac });
      const row = await store.query
        .selectFrom('devices')
        .select(['btMac', 'btMacAddress'])
        .where('id', '=', id)
        .executeTakeFirst();
      assert.deepEqual({ ...row }, { btMac: 0xaabbccddee0f, btMacAddress: 'aa:bb:cc:dd:ee:0f' });
    }
    await assert.rejects(makeDevice(store, userId, { btMac: 'nonsense' }), { statusCode: 422 });
  });
});
