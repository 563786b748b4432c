import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { onCitus } from '../../../testing/databases.ts';
import { callOf, makeDevice, makeUser, NOW } from '../../../testing/people.ts';
import { relayStaged } from '../../../testing/relay-staged.ts';
import { testVault } from '../../../testing/vault.ts';
import { forwardingOperations } from '../../delivery/forwarder-operations.ts';
import { DEFAULT_POLICY } from '../../delivery/sending-policy.ts';
import { deviceAccess } from '../../devices/access.ts';
import { rulesChanged } from '../../devices/rules-changed.ts';
import { geofenceOperations } from '../../geofences/operations.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import { ALL_DEVICES } from '../../schema/owned-devices.ts';
import { PLACEMENTS } from '../../schema/placement.ts';
import type { Tables } from '../../schema/tables.ts';
import { triggerOperations } from '../../triggers/operations.ts';
import { Pipeline } from '../pipeline.ts';
import { relayLeftReadings, relayReadings } from '../relay-readings.ts';
import { showFenceChecks } from '../state/own-fences.ts';
import { RulesCache } from '../state/rules-cache.ts';

const WINDOW_MS = 30 * 86_400_000;
const DEVICES = 70;
const WATCHED = 12;
const HOOK = 'https://example.com/hook';
const { place: positions } = PLACEMENTS.positions;
const skip = (positions as string) === 'distributed' ? false : 'positions have no slot yet';

onCitus<Tables>('the path of a fix', { migrations: MIGRATIONS }, (open) => {
  async function setting(count: number, policy = DEFAULT_POLICY) {
    const store = await open();
    const owner = await makeUser(store, 'owner@example.com');
    const devices: number[] = [];
    while (devices.length < count) devices.push(await makeDevice(store, owner.userId));
    const rulesCache = new RulesCache(store, WINDOW_MS, policy);
    const intake = new Pipeline(store, rulesCache, {
      windowMs: WINDOW_MS,
      publish: () => {},
      lateDataOf: () => {},
      relay: (gatewayIds) =>
        relayReadings(store, rulesCache, gatewayIds, { windowMs: WINDOW_MS, units: 1000, evaluated: () => {} }),
    });
    /** Citus writes down every commit of two phases, before it begins the second, and forgets it within some minutes. */
    const twoPhase = async () =>
      (await sql<{ gid: string }>`SELECT "gid" FROM pg_dist_transaction`.execute(store.query)).rows.map(
        ({ gid }) => gid,
      );
    return {
      store,
      owner,
      devices,
      rulesCache,
      intake,
      report(deviceId: number, minute: number, count: number, more: object = {}) {
        const points = Array.from({ length: count }, (_, index) => ({
          timestamp: NOW + minute * 60_000 + index * 1000,
          location: { lat: 50 + minute / 1000, lng: 8 },
          ...more,
        }));
        return intake.store(deviceId, { points, readings: [], gatewayReadings: [], messages: [] }, NOW + 3_600_000);
      },
      /** Readings of a device, and its sightings of unregistered devices. */
      reportReadings(deviceId: number, minute: number) {
        const timestamp = NOW + minute * 60_000;
        const readings = [{ timestamp, type: 'temp', value: 20 + minute }];
        const gatewayReadings = [{ timestamp, type: 'ble_seen', value: 1, sensorDeviceId: 'aa:bb:cc:dd:ee:ff' }];
        return intake.store(deviceId, { points: [], readings, gatewayReadings, messages: [] }, NOW + 3_600_000);
      },
      /** From now on. */
      async twoPhaseCommits() {
        const before = new Set(await twoPhase());
        return async () => (await twoPhase()).filter((gid) => !before.has(gid));
      },
    };
  }

  test('a report needs one server, whether it comes alone or with reports of other devices', { skip }, async () => {
    const { store, devices, intake, report, twoPhaseCommits } = await setting(DEVICES);
    const twoPhase = await twoPhaseCommits();
    for (const deviceId of devices) await report(deviceId, 1, 1);
    assert.deepEqual(await twoPhase(), []);
    for (const minute of [2, 3]) {
      await Promise.all(devices.map((deviceId) => report(deviceId, minute, 20)));
      assert.deepEqual(await twoPhase(), []);
    }
    await intake.stop();
    const { count } = await store.query
      .selectFrom('points')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    assert.equal(count, DEVICES * 41);
  });

  test('so does one with readings, which is known again when it comes once more', { skip }, async () => {
    const { store, devices, intake, reportReadings, twoPhaseCommits } = await setting(WATCHED);
    const twoPhase = await twoPhaseCommits();
    for (const deviceId of devices) await reportReadings(deviceId, 1);
    await Promise.all(devices.map((deviceId) => reportReadings(deviceId, 2)));
    const again = await Promise.all(devices.map((deviceId) => reportReadings(deviceId, 2)));
    assert.deepEqual(await twoPhase(), []);
    assert.deepEqual(new Set(again.map((receipt) => `${receipt?.accepted} ${receipt?.duplicates}`)), new Set(['0 2']));
    await intake.stop();
    const rows = await store.query
      .selectFrom('gatewayReadings')
      .select(['reporterId', 'id'])
      .where('id', '>', 0)
      .execute();
    assert.equal(new Set(rows.map(({ id }) => id)).size, WATCHED * 4);
    assert.deepEqual(new Set(rows.map(({ reporterId }) => reporterId)), new Set(devices));
  });

  test('so does one of a device that has a fence of its own, which shows where it was all the same', {
    skip,
  }, async () => {
    const { store, owner, devices, intake, report, twoPhaseCommits } = await setting(WATCHED);
    const fences = geofenceOperations(store, deviceAccess(store));
    for (const deviceId of devices) {
      const body = { name: `Home of ${deviceId}`, center: { lat: 50.001, lng: 8 }, radius: 50, deviceId };
      await fences.createGeofence(callOf(owner, { body, now: NOW - 3_600_000 }));
    }
    const twoPhase = await twoPhaseCommits();
    const shown = async () => {
      await showFenceChecks(store, ALL_DEVICES);
      const rows = await store.query.selectFrom('geofences').select(['wasInside', 'lastChecked']).execute();
      return [...new Set(rows.map(({ wasInside, lastChecked }) => `${wasInside} ${(lastChecked! - NOW) / 60_000}`))];
    };
    for (const deviceId of devices) await report(deviceId, 1, 1);
    assert.deepEqual(await twoPhase(), []);
    assert.deepEqual(await shown(), ['1 1']);
    const again = await twoPhaseCommits();
    await Promise.all(devices.map((deviceId) => report(deviceId, 20, 1)));
    assert.deepEqual(await again(), []);
    await intake.stop();
    assert.deepEqual(await shown(), ['0 20']);
    const left = await store.query
      .selectFrom('geofenceChecks')
      .select('fenceId')
      .where('deviceId', 'in', devices)
      .execute();
    assert.deepEqual(left, []);
  });

  test('so does one that causes a notification, and one that is forwarded', { skip }, async () => {
    const { store, owner, devices, intake, report, twoPhaseCommits } = await setting(WATCHED);
    const triggers = triggerOperations(store, deviceAccess(store), () => undefined);
    const options = { checkTarget: () => undefined, changed: rulesChanged, vault: testVault };
    const forwarding = forwardingOperations(store, options);
    const button = {
      type: 'button',
      parameters: { endpoint: HOOK },
      delivery: { http: true, email: true },
      muteFor: 0,
      escalateAfter: 3600,
      escalation: { delivery: { email: true } },
    };
    const forwarder = { kind: 'http' as const, target: HOOK, types: ['newLoc'] };
    for (const [index, deviceId] of devices.entries())
      if (index % 2 === 0) await triggers.createNotificationTrigger(callOf(owner, { deviceId, body: button }));
      else await forwarding.createForwarder(callOf(owner, { deviceId, body: forwarder }));
    const twoPhase = await twoPhaseCommits();
    for (const deviceId of devices) await report(deviceId, 1, 1, { alertType: 8 });
    assert.deepEqual(await twoPhase(), []);
    await Promise.all(devices.map((deviceId) => report(deviceId, 2, 1, { alertType: 8 })));
    assert.deepEqual(await twoPhase(), []);
    await intake.stop();
    await relayStaged(store);
    const sent = await store.query.selectFrom('outbox').select(['deviceId', 'channel']).execute();
    const sentOf = (deviceId: number) =>
      sent
        .filter((row) => row.deviceId === deviceId)
        .map(({ channel }) => channel)
        .sort()
        .join(' ');
    assert.deepEqual(
      devices.map(sentOf),
      devices.map((_, index) => (index % 2 === 0 ? 'email email http http' : 'http http')),
    );
    assert.notDeepEqual(await twoPhase(), [], 'what is relayed is at two servers');
  });

  test('so does one of a gateway about devices of other servers, which are evaluated once all the same', {
    skip,
  }, async () => {
    const { store, owner, devices, rulesCache, intake, twoPhaseCommits } = await setting(WATCHED);
    const [gatewayId, ...tags] = devices as [number, ...number[]];
    const triggers = triggerOperations(store, deviceAccess(store), () => undefined);
    const forwarding = forwardingOperations(store, {
      checkTarget: () => undefined,
      changed: rulesChanged,
      vault: testVault,
    });
    const warm = { type: 'temp', parameters: { max: 25 }, delivery: { http: true }, muteFor: 0 };
    for (const [index, deviceId] of tags.entries()) {
      await store.query
        .updateTable('devices')
        .set({ serial: `tag-${index}` })
        .where('id', '=', deviceId)
        .execute();
      const body = { ...warm, parameters: { ...warm.parameters, endpoint: HOOK } };
      await triggers.createNotificationTrigger(callOf(owner, { deviceId, body, now: NOW - 3_600_000 }));
      const forwarder = { kind: 'http' as const, target: HOOK, types: ['newReading'] };
      await forwarding.createForwarder(callOf(owner, { deviceId, body: forwarder }));
    }
    const measured = (value: number, minute: number) => {
      const timestamp = NOW + minute * 60_000;
      const gatewayReadings = tags.flatMap((_, index) => [
        { timestamp, type: 'temp', value, sensorDeviceId: `tag-${index}` },
        { timestamp, type: 'ble_seen', value: 1, rssi: -60, sensorDeviceId: `tag-${index}` },
      ]);
      return intake.store(gatewayId, { points: [], readings: [], gatewayReadings, messages: [] }, NOW + 3_600_000);
    };
    const twoPhase = await twoPhaseCommits();
    await measured(20, 1);
    assert.deepEqual((await measured(30, 2))?.accepted, tags.length * 2);
    assert.deepEqual(await twoPhase(), []);
    await intake.stop();
    const left = () => store.query.selectFrom('readingRelay').selectAll().where('deviceId', '=', gatewayId).execute();
    assert.deepEqual(await left(), []);
    const found = async () => {
      await relayStaged(store);
      const notified = await store.query
        .selectFrom('notifications')
        .select('deviceId')
        .where('deviceId', 'in', tags)
        .execute();
      const sent = await store.query.selectFrom('outbox').select(['deviceId', 'what']).execute();
      const due = await store.query.selectFrom('placeQueue').select('deviceId').where('deviceId', 'in', tags).execute();
      return tags.map((tag) => [
        notified.filter(({ deviceId }) => deviceId === tag).length,
        sent.filter(({ deviceId, what }) => deviceId === tag && what === 'newReading').length,
        due.filter(({ deviceId }) => deviceId === tag).length,
      ]);
    };
    const once = await found();
    assert.deepEqual(
      once,
      tags.map(() => [1, 4, 2]),
    );
    // A process that died after it had evaluated them, and before it removed them, left them staged.
    const known = await store.query
      .selectFrom('receivedItems')
      .select(['deviceId', 'hash'])
      .where('deviceId', 'in', tags)
      .execute();
    assert.ok(known.length > 0, 'some tags are at another server');
    await store.query
      .insertInto('readingRelay')
      .values(
        known.map(({ deviceId, hash }) => ({
          id: Number(hash.split(' ')[1]),
          deviceId: gatewayId,
          otherDeviceId: deviceId,
          content: JSON.stringify({
            readings: [{ id: 1, timestamp: NOW, type: 'temp', value: '90', gatewayId, deviceId, datapointId: null }],
            places: [{ deviceId, at: NOW + 900_000, dueAt: 0 }],
          }),
          created: NOW,
        })) as never,
      )
      .execute();
    const evaluated: number[] = [];
    await relayLeftReadings(store, rulesCache, ALL_DEVICES, {
      windowMs: WINDOW_MS,
      units: 1000,
      now: NOW + 7_200_000,
      evaluated: ({ late, outgoing }) => evaluated.push(...late, ...outgoing),
    });
    assert.deepEqual([evaluated, await left()], [[], []]);
    assert.deepEqual(await found(), once);
  });

  test('so does the first that sends to a queue or to an address of mail', { skip }, async () => {
    const policy = { ...DEFAULT_POLICY, publicUrl: 'https://example.com', mail: { canAsk: true, toOthersPerDay: 0 } };
    const { store, owner, devices, intake, report, twoPhaseCommits } = await setting(WATCHED, policy);
    const triggers = triggerOperations(store, deviceAccess(store), () => undefined);
    const [email, sqsArn] = ['other@example.com', 'arn:aws:sqs:eu-central-1:123456789012:first'];
    const button = { type: 'button', parameters: { email }, delivery: { sqs: true, sqsArn, email: true }, muteFor: 0 };
    for (const deviceId of devices) await triggers.createNotificationTrigger(callOf(owner, { deviceId, body: button }));
    // As if they had been made before anybody held the queue, and before mail could ask.
    for (const table of ['queueHolders', 'mailRecipients', 'accountMails', 'outbox'] as const)
      await store.query.deleteFrom(table).execute();
    const twoPhase = await twoPhaseCommits();
    for (const deviceId of devices) await report(deviceId, 1, 1, { alertType: 8 });
    assert.deepEqual(await twoPhase(), []);
    await intake.stop();
    await relayStaged(store);
    const holders = await store.query.selectFrom('queueHolders').select(['arn', 'userId']).execute();
    assert.deepEqual(holders, [{ arn: sqsArn, userId: owner.userId }]);
    const sent = await store.query.selectFrom('outbox').select(['channel', 'what', 'state']).execute();
    const count = (what: string, channel: string, state: string) =>
      sent.filter((row) => row.what === what && row.channel === channel && row.state === state).length;
    assert.equal(count('account', 'email', 'queued'), 1, 'the address is asked once');
    assert.equal(count('notification', 'email', 'suppressed'), WATCHED);
    assert.equal(count('notification', 'sqs', 'queued'), WATCHED);
  });
});
