import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEitherEngine } from '../../../testing/databases.ts';
import { callOf, makeDevice, makeUser, NOW } from '../../../testing/people.ts';
import { changePositionsAt } from '../../../testing/positions.ts';
import { notificationOperations } from '../../delivery/notification-operations.ts';
import { deviceAccess } from '../../devices/access.ts';
import { geofenceOperations } from '../../geofences/operations.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import { ALL_DEVICES } from '../../schema/owned-devices.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { triggerOperations } from '../../triggers/operations.ts';
import { trialOperations } from '../api/try-trigger.ts';
import { Pipeline } from '../pipeline.ts';
import { replay } from '../replay/replay.ts';
import { showFenceChecks } from './own-fences.ts';
import { RulesCache } from './rules-cache.ts';

const MINUTE = 60_000;
const WINDOW_MS = 30 * 86_400_000;
const at = (minute: number) => NOW + minute * MINUTE;

onEitherEngine<Tables>('notifications', { migrations: MIGRATIONS }, (open) => {
  async function setting(trigger: Record<string, unknown> = {}) {
    const store: Store = await open();
    const owner = await makeUser(store, 'owner@example.com');
    const stranger = await makeUser(store, 'stranger@example.com');
    const deviceId = await makeDevice(store, owner.userId, { name: 'Van 3' });
    const access = deviceAccess(store);
    const fence = { name: 'Depot', center: { lat: 0, lng: 0 }, radius: 100 };
    await geofenceOperations(store, access).createGeofence(callOf(owner, { body: fence }));
    const body = { type: 'geofence', parameters: {}, delivery: {}, muteFor: 0, ...trigger };
    const triggers = triggerOperations(store, access, () => undefined);
    const { id: triggerId } = (await triggers.createNotificationTrigger(callOf(owner, { deviceId, body }))) as {
      id: number;
    };
    const rulesCache = new RulesCache(store, WINDOW_MS);
    const ingest = new Pipeline(store, rulesCache, { windowMs: WINDOW_MS, publish: () => {}, lateDataOf: () => {} });
    /** A fix some minutes after the start and metres from the centre, received at once or later. */
    const report = async (minute: number, metres: number, receivedAt = at(minute)) => {
      const points = [{ timestamp: at(minute), location: { lat: metres / 111_195, lng: 0 }, accuracyM: 5 }];
      await ingest.store(deviceId, { points, readings: [], gatewayReadings: [], messages: [] }, receivedAt);
      await replay(store, rulesCache, deviceId, () => receivedAt);
    };
    const feed = async () =>
      (await store.query.selectFrom('notifications').selectAll().orderBy('timestamp').orderBy('id').execute()).map(
        (row) => ({ ...row, params: JSON.parse(row.params) }),
      );
    const reported = async () =>
      (await feed()).map(({ kind, timestamp, status }) => `${kind} ${(timestamp - NOW) / MINUTE} ${status}`);
    return { store, owner, stranger, deviceId, triggerId, report, feed, reported };
  }

  test('a notification says in a sentence what happened, and explains itself to its user', async () => {
    const { store, owner, stranger, report, feed } = await setting();
    for (const [minute, metres] of [
      [1, 900],
      [2, 600],
      [3, 0],
    ] as const)
      await report(minute, metres);
    const [one] = await feed();
    assert.equal(one!.params.message, 'Van 3 entered Depot');
    assert.deepEqual(
      [one!.params.subtype, one!.params.zones, one!.params.meta.crossType],
      ['cross', ['Depot'], 'entry'],
    );
    const operations = notificationOperations(store);
    const why = (await operations.explainNotification(callOf(owner, { key: one!.id }))) as unknown as {
      sentence: string;
      because: { evidence: unknown[]; thresholds: object };
    };
    assert.match(why.sentence, /100 m inside the edge, with an accuracy of 5 m/);
    assert.equal(why.because.evidence.length, 1);
    await assert.rejects(operations.explainNotification(callOf(stranger, { key: one!.id })), { statusCode: 404 });
  });

  test('an exit is as sure as the device is outside', async () => {
    const { store, owner, report, feed } = await setting();
    for (const [minute, metres] of [
      [1, 0],
      [2, 400],
    ] as const)
      await report(minute, metres);
    const [exit] = await feed();
    const { confidence, eventConfidence } = exit!.params.meta;
    assert.ok(confidence < 0.01 && eventConfidence > 0.99, `${confidence} inside, ${eventConfidence} outside`);
    const why = await notificationOperations(store).explainNotification(callOf(owner, { key: exit!.id }));
    assert.match(
      (why as { sentence: string }).sentence,
      /outside with a confidence of 100 %\. The required confidence is 70 %/,
    );
  });

  test('late data adds what was missed and takes back what did not happen', async () => {
    const { report, reported } = await setting();
    await report(1, 900);
    await report(2, 0);
    await report(3, 0);
    await report(30, 900, at(30));
    assert.deepEqual(await reported(), ['entry 2 valid', 'exit 30 valid']);
    // A fix that was held back shows that it left much earlier.
    await report(4, 900, at(31));
    assert.deepEqual(await reported(), ['entry 2 valid', 'exit 4 valid'], 'the same exit, corrected');
    await report(10, 0, at(32));
    assert.deepEqual(await reported(), ['entry 2 valid', 'exit 4 valid', 'entry 10 valid', 'exit 30 valid']);
  });

  test('what turns out not to have happened is retracted, not deleted', async () => {
    const { store, report, reported, deviceId } = await setting();
    await report(1, 900);
    await report(2, 0);
    await report(3, 900);
    assert.deepEqual(await reported(), ['entry 2 valid', 'exit 3 valid']);
    // The fix inside is corrected by hand: it was never there.
    await changePositionsAt(store, at(2), { locationLat: 1200 / 111_195 });
    await store.query
      .updateTable('deviceStates')
      .set({ lateFrom: at(2) })
      .where('deviceId', '=', deviceId)
      .execute();
    await report(4, 900);
    assert.deepEqual(await reported(), ['entry 2 retracted', 'exit 3 retracted']);
  });

  test('muting decides what is sent, not what happened', async () => {
    const { store, triggerId, report, reported } = await setting({ muteFor: 600 });
    for (const [minute, metres] of [
      [1, 900],
      [2, 0],
      [3, 900],
      [4, 0],
      [20, 900],
    ] as const)
      await report(minute, metres);
    assert.deepEqual(await reported(), ['entry 2 valid', 'exit 3 suppressed', 'entry 4 suppressed', 'exit 20 valid']);
    const trigger = await store.query
      .selectFrom('notificationTriggers')
      .select('lastTriggered')
      .where('id', '=', triggerId)
      .executeTakeFirstOrThrow();
    assert.equal(trigger.lastTriggered, at(20));
  });

  test('old news goes to machines only, but a pressed button always to people', async () => {
    const { report, feed } = await setting();
    await report(1, 900);
    await report(2, 0, at(100));
    assert.deepEqual(
      (await feed()).map(({ isForPeople }) => isForPeople),
      [0],
    );
  });

  test('a change of rules never touches the past', async () => {
    const { store, owner, report, reported } = await setting();
    await report(1, 900);
    await report(2, 0);
    const fences = geofenceOperations(store, deviceAccess(store));
    await fences.updateGeofence(callOf(owner, { key: 1, now: at(10), body: { radius: 5000 } }));
    await report(5, 900, at(11));
    assert.deepEqual(await reported(), ['entry 2 valid', 'exit 5 valid'], 'evaluated by the fence as it was then');
    await report(12, 900);
    assert.deepEqual(
      await reported(),
      ['entry 2 valid', 'exit 5 valid'],
      'the first decision about the new shape is silent',
    );
  });

  test('a fence of one device shows whether that device was inside', async () => {
    const { store, owner, deviceId, report } = await setting();
    const body = { name: 'Its own', center: { lat: 0, lng: 0 }, radius: 100, deviceId };
    await geofenceOperations(store, deviceAccess(store)).createGeofence(callOf(owner, { body }));
    const shown = async () => {
      await showFenceChecks(store, ALL_DEVICES);
      const row = await store.query
        .selectFrom('geofences')
        .select(['wasInside', 'lastChecked'])
        .where('name' as never, '=', 'Its own' as never)
        .executeTakeFirstOrThrow();
      return [row.wasInside, row.lastChecked];
    };
    assert.deepEqual(await shown(), [0, null]);
    await report(1, 0);
    assert.deepEqual(await shown(), [1, at(1)]);
    await report(5, 900);
    assert.deepEqual(await shown(), [0, at(5)]);
    await report(3, 0, at(6));
    assert.deepEqual(await shown(), [0, at(5)]);
  });

  test('a trial returns what would have fired, and leaves no trace', async () => {
    const { store, owner, deviceId, report, feed } = await setting({ type: 'button' });
    for (const [minute, metres] of [
      [1, 900],
      [2, 0],
      [3, 900],
    ] as const)
      await report(minute, metres);
    const before = JSON.stringify(await feed());
    const body = { type: 'geofence', parameters: { zoneType: 'inside' }, days: 7 };
    const tried = await trialOperations(store).tryTrigger(callOf(owner, { deviceId, now: at(60), body }));
    assert.deepEqual(
      (tried as { firings: { message: string }[] }).firings.map(({ message }) => message),
      ['Van 3 entered Depot'],
    );
    assert.equal(JSON.stringify(await feed()), before);
  });
});
