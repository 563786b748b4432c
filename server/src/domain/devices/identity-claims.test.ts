import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AnswerOf } from '@trackway/contract/operations.ts';
import type { Caller, JsonText } from '../../calls.ts';
import { onEitherEngine } from '../../testing/databases.ts';
import { callOf, makeUser, NOW } from '../../testing/people.ts';
import { testVault } from '../../testing/vault.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Tables } from '../schema/tables.ts';
import { UNLIMITED } from '../users/quotas.ts';
import { deviceAccess } from './access.ts';
import { deviceKeys } from './device-keys.ts';
import { deviceIdentifiers, ownDevices } from './identifiers.ts';
import { knownTrackers } from './known-trackers.ts';
import { deviceOperations } from './operations.ts';
import { trackerOperations } from './tracker-operations.ts';

/** Where users join without an admin, an IMEI or serial number of theirs waits for one. */

const IMEI = '356307042441013';
const LINK = { protocol: 'gt06', transport: 'tcp', address: '192.0.2.7' } as const;
const IN_USE = { statusCode: 422, message: /already in use/ };

onEitherEngine<Tables>('claims of identities', { migrations: MIGRATIONS }, (open) => {
  async function setting(identityClaims = 0, areClaims = true) {
    const store = await open();
    const [admin, anna, bert] = await Promise.all([
      makeUser(store, 'admin@example.com', true),
      makeUser(store, 'anna@example.com'),
      makeUser(store, 'bert@example.com'),
    ]);
    const quotas = { ...UNLIMITED, identityClaims };
    const operations = deviceOperations(store, {}, testVault, undefined, quotas, areClaims);
    const known = knownTrackers(store);
    const keys = deviceKeys(store, testVault);
    type WithKey = AnswerOf<'createDevice'>;
    return {
      ...{ store, admin, anna, bert, operations },
      make: async (caller: Caller, values: object = {}) => {
        const body = { imei: IMEI, name: 'Van', allowKeyless: true, ...values } as never;
        return (await operations.createDevice(callOf(caller, { body }))) as WithKey;
      },
      change: async (caller: Caller, deviceId: number, values: object) =>
        (await operations.updateDevice(callOf(caller, { deviceId, body: values as never }))) as WithKey,
      approve: async (caller: Caller, key: number, identifier = IMEI) =>
        (await operations.approveDeviceIdentity(callOf(caller, { key, body: { identifier } }))) as WithKey,
      /** The device that would store a report without a key, from a socket and from HTTP or MQTT. */
      async reportsTo(name = IMEI) {
        const tracker = await known([name], undefined, LINK, []);
        const { deviceId, identifier } = (await keys.deviceOfIdentifier(name)) ?? {};
        assert.deepEqual([tracker?.deviceId, tracker?.identifier], [deviceId, identifier]);
        return tracker?.deviceId;
      },
      reportsWithKey: async (key: string) => (await known([IMEI], key, LINK, []))?.deviceId,
    };
  }

  test('a second claimant gets the response of the first, and neither receives reports before approval', async () => {
    const { admin, anna, bert, make, approve, reportsTo, reportsWithKey } = await setting();
    const first = await make(anna);
    const second = await make(bert);
    const without = ({ id, ownerId, deviceKey, ...rest }: typeof first) => rest;
    assert.deepEqual(without(second), without(first));
    assert.equal(first.identityPending, true);
    assert.equal(await reportsTo(), undefined);
    assert.equal(await reportsWithKey(first.deviceKey!), first.id);

    assert.equal((await approve(admin, second.id)).identityPending, false);
    assert.equal(await reportsTo(), second.id);
    await assert.rejects(approve(admin, first.id), IN_USE);
    // Neither does a third user learn that it is in use now.
    assert.deepEqual(without(await make(anna, { imei: '1' })), without({ ...first, imei: '1' }));
    assert.equal(await reportsWithKey(first.deviceKey!), first.id);
  });

  test('the same owner cannot enter an identity twice, whether it is pending or not', async () => {
    const { admin, anna, make, change, approve } = await setting();
    const { id } = await make(anna);
    await assert.rejects(make(anna), IN_USE);
    await approve(admin, id);
    await assert.rejects(make(anna), IN_USE);
    const other = await make(anna, { imei: '2' });
    await assert.rejects(change(anna, other.id, { imei: IMEI }), IN_USE);
  });

  test('an identity takes effect at once for admins, and for everybody where only admins create accounts', async () => {
    const claims = await setting();
    await claims.make(claims.anna);
    const { id, identityPending } = await claims.make(claims.admin);
    assert.deepEqual([identityPending, await claims.reportsTo()], [false, id]);
    await assert.rejects(claims.make(claims.admin), IN_USE);

    const { anna, bert, make, reportsTo } = await setting(0, false);
    const device = await make(anna);
    assert.deepEqual([device.identityPending, await reportsTo()], [false, device.id]);
    await assert.rejects(make(bert), IN_USE);
  });

  test('a changed identity is a claim, and what was approved before keeps its effect', async () => {
    const { admin, anna, bert, make, change, approve, operations, reportsTo } = await setting();
    const { id } = await make(anna);
    await approve(admin, id);
    assert.equal((await change(anna, id, { imei: IMEI, name: 'Lorry' })).identityPending, false);
    assert.equal((await change(anna, id, { serial: 'S1' })).identityPending, true);
    assert.deepEqual([await reportsTo(), await reportsTo('S1')], [id, undefined]);
    await operations.rotateDeviceKey(callOf(anna, { deviceId: id }));
    assert.deepEqual([await reportsTo(), await reportsTo('S1')], [id, undefined]);
    // An admin who saves the device unchanged approves nothing.
    assert.equal((await change(admin, id, { imei: IMEI, serial: 'S1' })).identityPending, true);
    // What the admin saw is approved, not what the owner entered since.
    await change(anna, id, { serial: 'S2' });
    await assert.rejects(approve(admin, id, 'S1'), { statusCode: 422 });
    assert.equal((await approve(admin, id, 'S2')).identityPending, false);
    assert.equal(await reportsTo('S2'), id);

    assert.equal((await change(anna, id, { imei: '' })).identityPending, false);
    assert.equal(await reportsTo(), undefined);
    assert.equal((await change(anna, id, { imei: IMEI })).identityPending, true);
    const taken = await make(bert, { imei: '3' });
    assert.equal((await change(admin, taken.id, { imei: IMEI })).identityPending, false);
    assert.equal(await reportsTo(), taken.id);
    assert.equal((await change(anna, id, { imei: '' })).identityPending, false);
  });

  test('a list of trackers is added as claims', async () => {
    const { anna, bert, operations, reportsTo } = await setting();
    for (const caller of [anna, bert, bert]) {
      const body = { identifiers: [IMEI] } as never;
      const [added] = (await operations.addTrackers(callOf(caller, { body }))) as AnswerOf<'addTrackers'>;
      assert.deepEqual([added!.problem, added!.identityPending], [null, true]);
    }
    assert.equal(await reportsTo(), undefined);
  });

  test('a user cannot have more pending identities than the quota', async () => {
    const { admin, anna, operations, make, change, approve } = await setting(1);
    const { id } = await make(anna);
    const full = { statusCode: 403, code: 'QUOTA_EXCEEDED' };
    await assert.rejects(make(anna, { imei: '2' }), full);
    const body = { identifiers: ['2'] } as never;
    const [added] = (await operations.addTrackers(callOf(anna, { body }))) as AnswerOf<'addTrackers'>;
    assert.equal(added!.problemCode, 'QUOTA_EXCEEDED');
    const plain = await make(anna, { imei: undefined });
    await assert.rejects(change(anna, plain.id, { serial: 'S1' }), full);
    await change(anna, id, { imei: '4' });
    await approve(admin, id, '4');
    assert.equal((await make(anna, { imei: '2' })).identityPending, true);
  });

  test('the owner finds a device by an identity that is pending, others do not', async () => {
    const { store, anna, bert, make } = await setting();
    const { id } = await make(anna);
    const named = deviceIdentifiers(store, deviceAccess(store));
    assert.equal((await named(anna, `imei:${IMEI}`))?.deviceId, id);
    assert.equal(await named(bert, `imei:${IMEI}`), undefined);
    // The token of the owner is a proof, unlike the identity.
    assert.equal((await ownDevices(store).byAnyName(anna, [IMEI]))?.deviceId, id);
    assert.equal(await ownDevices(store).byAnyName(bert, [IMEI]), undefined);
  });

  test('an unknown tracker that one user claims is given to that user; of several, the admin names one', async () => {
    const { store, admin, anna, bert, make, reportsTo } = await setting();
    const { listUnknownTrackers, addUnknownTracker } = trackerOperations(
      store,
      { write: async () => undefined as never },
      () => undefined as never,
    );
    const unknownKey = async () => {
      const unknownTracker = { protocol: 'gt06', identity: IMEI, otherNames: '[]', address: '192.0.2.7', count: 1 };
      const [row] = await store.query
        .insertInto('unknownTrackers')
        .values({ ...unknownTracker, firstAt: NOW, lastAt: NOW })
        .returning('id')
        .execute();
      return row!.id;
    };
    const first = await make(anna);
    const second = await make(bert, { allowKeyless: false });
    const key = await unknownKey();
    const listed = JSON.parse(((await listUnknownTrackers(callOf(admin))) as unknown as JsonText<unknown>).text);
    assert.equal(listed[0].deviceId, first.id);
    await assert.rejects(addUnknownTracker(callOf(admin, { key, body: {} })), {
      statusCode: 422,
      message: /several users/,
    });
    const taken = (await addUnknownTracker(
      callOf(admin, { key, body: { userId: bert.userId } }),
    )) as AnswerOf<'addUnknownTracker'>;
    assert.deepEqual([taken.id, taken.identityPending, await reportsTo()], [second.id, false, second.id]);
  });
});
