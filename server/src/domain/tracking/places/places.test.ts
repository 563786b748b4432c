import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createLog } from '../../../platform/log.ts';
import { distanceM } from '../../../platform/sphere.ts';
import type { Report, ReportedPoint } from '../../../reports.ts';
import { onEitherEngine } from '../../../testing/databases.ts';
import { callOf, makeDevice, makeUser, NOW, shareWith } from '../../../testing/people.ts';
import { deviceAccess } from '../../devices/access.ts';
import { geofenceOperations } from '../../geofences/operations.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { triggerOperations } from '../../triggers/operations.ts';
import { SIGHTING_MS, sightedPlace } from '../evaluate/sighted-place.ts';
import { Pipeline } from '../pipeline.ts';
import { relayReadings } from '../relay-readings.ts';
import { replay } from '../replay/replay.ts';
import { TRANSACTION_UNITS } from '../state/budget.ts';
import { RulesCache } from '../state/rules-cache.ts';
import { readSightings } from './gateway-places.ts';
import { placeDueTags } from './place-tag.ts';

const M = 1 / 111_195;
const WINDOW_MS = 30 * 86_400_000;
const TAG = 'AA:BB:CC:00:00:01';
const START = NOW + 3_600_000;

const NOTHING = { points: [], readings: [], gatewayReadings: [], messages: [] };
const sightingAt = (timestamp: number, rssi: number, sensorDeviceId = TAG): Report => ({
  ...NOTHING,
  gatewayReadings: [{ timestamp, type: 'ble_seen', value: rssi, rssi, sensorDeviceId }],
});

onEitherEngine<Tables>('places of tags', { migrations: MIGRATIONS }, (open) => {
  async function scene() {
    const store: Store = await open();
    const owner = await makeUser(store, 'owner@example.com');
    const tagId = await makeDevice(store, owner.userId, { name: 'Keys', btMac: TAG });
    const rulesCache = new RulesCache(store, WINDOW_MS);
    const late = new Set<number>();
    const intake = new Pipeline(store, rulesCache, {
      windowMs: WINDOW_MS,
      publish: () => {},
      lateDataOf: (deviceId) => late.add(deviceId),
      relay: (gatewayIds) =>
        relayReadings(store, rulesCache, gatewayIds, {
          windowMs: WINDOW_MS,
          units: TRANSACTION_UNITS,
          evaluated: (done) => {
            for (const deviceId of done.late) late.add(deviceId);
          },
        }),
    });
    /** A gateway that stands north of home. */
    const fixed = (north: number, more: object = {}) =>
      makeDevice(store, owner.userId, { meta: { place: { lat: 50 + north * M, lng: 8, ...more } } });
    /** Lets the clock come to a time: tags are placed, and what is late is evaluated again. */
    async function until(now: number): Promise<void> {
      const placed = (deviceId: number, { isLate }: { isLate: boolean }) => isLate && late.add(deviceId);
      const options = { log: createLog('silent'), now: () => now, goOn: () => true, windowMs: WINDOW_MS };
      await placeDueTags(store, rulesCache, { ...options, units: TRANSACTION_UNITS, placed });
      for (const deviceId of late) await replay(store, rulesCache, deviceId, () => now);
      late.clear();
    }
    const positions = (deviceId = tagId) =>
      store.query
        .selectFrom('points')
        .select([
          'id',
          'timestamp',
          'locationLat',
          'locationLng',
          'accuracy',
          'locationType',
          'isLocatedByGateways',
          'locatingGateways',
        ])
        .where('deviceId', '=', deviceId)
        .orderBy('timestamp')
        .execute();
    const hear = (gatewayId: number, at: number, rssi = -70, now = at, tag = TAG) =>
      intake.store(gatewayId, sightingAt(at, rssi, tag), now);
    const report = (deviceId: number, point: ReportedPoint, more: Partial<Report> = {}) =>
      intake.store(deviceId, { ...NOTHING, ...more, points: [point] }, point.timestamp!);
    return { store, owner, tagId, rulesCache, intake, fixed, until, positions, hear, report };
  }

  const northOf = ({ locationLat }: { locationLat: number | null }) => (locationLat! - 50) / M;
  const countedIn = ({ locatingGateways }: { locatingGateways: string | null }) =>
    (
      JSON.parse(locatingGateways!) as {
        gatewayId: number;
        rssi: number;
        weight: number;
        distance: number;
        at: number;
      }[]
    ).map((one) => one);

  test('three gateways that receive a tag give it one position, with the gateways that counted', async () => {
    const { fixed, until, positions, hear, store, tagId } = await scene();
    const gateways = [await fixed(0), await fixed(20), await fixed(40)];
    for (const [index, gatewayId] of gateways.entries())
      await hear(gatewayId, START + index * 300, [-80, -80, -60][index]);
    await until(START + 1000);
    assert.deepEqual(await positions(), [], 'other gateways may still report');
    await until(START + 4000);
    const [position, ...more] = await positions();
    assert.deepEqual(more, []);
    assert.equal(position!.locationType, 'gateway');
    assert.equal(position!.timestamp, START + 601);
    assert.ok(northOf(position!) > 25 && northOf(position!) < 40, `${northOf(position!)} m`);
    assert.ok(position!.accuracy! > 3 && position!.accuracy! < 40);
    const counted = countedIn(position!);
    assert.deepEqual(
      counted.map(({ gatewayId }) => gatewayId),
      [gateways[2], gateways[1], gateways[0]],
    );
    assert.deepEqual(
      counted.map(({ rssi }) => rssi),
      [-60, -80, -80],
    );
    const device = await store.query
      .selectFrom('devices')
      .select(['lastConnection', 'firstSeen'])
      .where('id', '=', tagId)
      .executeTakeFirst();
    assert.equal(device!.lastConnection, START + 601);
  });

  test('what three gateways receive of one measurement is stored once, and each of them counts for the place', async () => {
    const { fixed, until, positions, store, tagId, intake } = await scene();
    const gateways = [await fixed(0), await fixed(20), await fixed(40)];
    const measured = (timestamp: number, values: Readonly<Record<string, number>>): Report => ({
      ...NOTHING,
      gatewayReadings: Object.entries(values).map(([type, value]) => ({
        ...{ timestamp, type, value, rssi: -70, sensorDeviceId: TAG },
      })),
    });
    const stored = async () => {
      const rows = await store.query
        .selectFrom('gatewayReadings')
        .select(['gatewayId', 'type', 'value', 'timestamp'])
        .where('deviceId', '=', tagId)
        .orderBy('timestamp')
        .orderBy('type')
        .execute();
      return rows.map((row) => `${gateways.indexOf(row.gatewayId!)} ${row.type} ${row.value} ${row.timestamp - START}`);
    };
    const VALUES = { battery: 90, temp: 21.5 };
    const reports = gateways.map((id, index) => [id, measured(START + index * 300, VALUES)] as const);
    // Two of them in one transaction.
    await intake.store(...reports[0]!, START + 900);
    await Promise.all(reports.slice(1).map(([id, report]) => intake.store(id, report, START + 900)));
    const ONCE = ['0 battery 90 0', '0 temp 21.5 0', `1 ble_seen "${TAG}" 300`, `2 ble_seen "${TAG}" 600`];
    assert.deepEqual(await stored(), ONCE);
    const again = await Promise.all(reports.map(([id, report]) => intake.store(id, report, START + 1000)));
    assert.deepEqual(await stored(), ONCE);
    assert.deepEqual(
      again.map((receipt) => receipt?.accepted),
      [0, 0, 0],
    );
    await until(START + 5000);
    assert.equal(countedIn((await positions())[0]!).length, 3);

    await intake.store(gateways[1]!, measured(START + 6000, { temp: 22 }), START + 6000);
    await intake.store(gateways[0]!, measured(START + 10_000, VALUES), START + 10_000);
    await intake.store(gateways[2]!, measured(START + 60_000, VALUES), START + 60_000);
    assert.deepEqual((await stored()).slice(ONCE.length), [
      '1 temp 22 6000',
      '0 battery 90 10000',
      '0 temp 21.5 10000',
      '2 battery 90 60000',
      '2 temp 21.5 60000',
    ]);
  });

  test('a tag that stays gets few positions, and one that is carried a trip', async () => {
    const { fixed, until, positions, hear, report, owner, store, tagId } = await scene();
    const gateway = await fixed(0);
    for (let second = 0; second < 600; second += 5) {
      await hear(gateway, START + second * 1000);
      await until(START + second * 1000);
    }
    const still = await positions();
    assert.ok(still.length >= 2 && still.length <= 4, `${still.length} positions`);
    const van = await makeDevice(store, owner.userId);
    const away = START + 600_000;
    for (let second = 0; second <= 600; second += 10) {
      const at = away + second * 1000;
      const point = { timestamp: at, location: { lat: 50 + second * 12 * M, lng: 8 }, speedKmh: 43, accuracyM: 5 };
      await report(van, point, sightingAt(at, -60));
      await until(at);
    }
    const relayed = (await positions()).slice(still.length);
    assert.ok(relayed.length > 25 && relayed.length <= 41, `${relayed.length} positions`);
    for (const position of relayed) {
      const second = (position.timestamp - 1 - away) / 1000;
      if (second > 60) assert.ok(Math.abs(northOf(position) - second * 12) < 1, 'it is where the van was');
    }
    await until(away + 3_600_000);
    const state = await store.query
      .selectFrom('deviceStates')
      .select('state')
      .where('deviceId', '=', tagId)
      .executeTakeFirst();
    assert.match(state!.state, /"underway"/, 'it is on a trip');
  });

  test('a fence is entered once, in any order of the gateways', async () => {
    const { fixed, until, hear, owner, store, tagId } = await scene();
    const access = deviceAccess(store);
    await geofenceOperations(store, access).createGeofence(
      callOf(owner, { body: { name: 'Yard', center: { lat: 50, lng: 8 }, radius: 150 } }),
    );
    const body = { type: 'geofence', parameters: {}, delivery: {}, muteFor: 0 };
    await triggerOperations(store, access, () => undefined).createNotificationTrigger(
      callOf(owner, { deviceId: tagId, body }),
    );
    const [far, near, nearer] = [await fixed(5000), await fixed(0), await fixed(20)];
    for (let second = 0; second < 120; second += 20) {
      await hear(far!, START + second * 1000);
      await until(START + second * 1000 + 4000);
    }
    const inside = START + 300_000;
    for (let second = 0; second < 120; second += 10) {
      await hear(second % 20 === 0 ? near! : nearer!, inside + second * 1000);
      await until(inside + second * 1000 + 4000);
    }
    const fired = await store.query.selectFrom('notifications').select(['kind', 'status', 'late']).execute();
    assert.deepEqual(
      fired.map((one) => ({ ...one })),
      [{ kind: 'entry', status: 'valid', late: 0 }],
    );
  });

  test('a late sighting corrects the position of its minute, without a duplicate', async () => {
    const { fixed, until, positions, hear } = await scene();
    const [south, north] = [await fixed(0), await fixed(40)];
    await hear(south!, START, -70);
    await until(START + 4000);
    const [before] = await positions();
    assert.equal(northOf(before!), 0);
    await hear(north!, START - 2000, -60, START + 600_000);
    await until(START + 700_000);
    const [after, ...more] = await positions();
    assert.deepEqual(more, []);
    assert.equal(after!.id, before!.id);
    assert.ok(northOf(after!) > 20, `${northOf(after!)} m`);
    assert.equal(countedIn(after!).length, 2);
  });

  test('however sightings come, each position is what all sightings of its minute say', async () => {
    const step = fc.record({
      gateway: fc.nat(2),
      second: fc.nat(200),
      rssi: fc.integer({ min: -95, max: -50 }),
      isPlaced: fc.boolean(),
    });
    const { fixed, until, positions, hear, store, owner } = await scene();
    let tags = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        const tag = `AA:BB:CC:DD:00:${String(++tags).padStart(2, '0')}`;
        const tagId = await makeDevice(store, owner.userId, { btMac: tag });
        const gateways = [await fixed(0), await fixed(30), await fixed(60)];
        const later = START + 300_000;
        for (const { gateway, second, rssi, isPlaced } of steps) {
          await hear(gateways[gateway]!, START + second * 1000, rssi, later, tag);
          if (isPlaced) await until(later + 60_000);
        }
        await until(later + 60_000);
        const stored = await positions(tagId);
        assert.ok(stored.length > 0);
        const span = { from: START - SIGHTING_MS, to: later };
        const sightings = await readSightings(store.query, tagId, span);
        for (const position of stored) {
          const expected = sightedPlace(sightings, position.timestamp)!;
          const place = { lat: position.locationLat!, lng: position.locationLng! };
          assert.ok(distanceM(place, expected.place) < 0.05);
          assert.equal(countedIn(position).length, expected.gateways.length);
        }
        const state = await store.query
          .selectFrom('deviceStates')
          .select('lateFrom')
          .where('deviceId', '=', tagId)
          .executeTakeFirst();
        assert.equal(state!.lateFrom, null);
        assert.equal((await store.query.selectFrom('placeQueue').select('minute').execute()).length, 0);
      }),
      { numRuns: 15 },
    );
  });

  test('where a tag says itself where it is, that counts; late too', async () => {
    const { fixed, until, positions, hear, report, tagId } = await scene();
    const gateway = await fixed(0);
    const own = (at: number) => ({ timestamp: at, location: { lat: 51, lng: 8 }, accuracyM: 5 });
    await report(tagId, own(START));
    await hear(gateway, START + 10_000);
    await until(START + 60_000);
    assert.deepEqual(
      (await positions()).map(({ locationType }) => locationType),
      ['gps'],
    );
    await hear(gateway, START + 90_000);
    await until(START + 120_000);
    assert.deepEqual(
      (await positions()).map(({ locationType }) => locationType),
      ['gps', 'gateway'],
    );
    await report(tagId, own(START + 80_000));
    await until(START + 150_000);
    assert.deepEqual(
      (await positions()).map(({ locationType }) => locationType),
      ['gps', 'gps'],
    );
  });

  test('a position of a gateway that comes after its sightings counts', async () => {
    const { until, positions, hear, report, owner, store } = await scene();
    const van = await makeDevice(store, owner.userId);
    await report(van, { timestamp: START - 60_000, location: { lat: 50, lng: 8 }, speedKmh: 40, accuracyM: 5 });
    await hear(van, START);
    await until(START + 5000);
    const [before] = await positions();
    assert.equal(northOf(before!), 0);
    assert.ok(before!.accuracy! > 600, 'it may have gone far in a minute');
    await report(van, { timestamp: START - 1000, location: { lat: 50 + 650 * M, lng: 8 }, speedKmh: 40, accuracyM: 5 });
    await until(START + 10_000);
    const [after, ...more] = await positions();
    assert.deepEqual(more, []);
    assert.ok(Math.abs(northOf(after!) - 650) < 1, `${northOf(after!)} m`);
    assert.ok(after!.accuracy! < 30);
  });

  test('without known places of gateways there is no position', async () => {
    const { until, positions, hear, owner, store, tagId, report } = await scene();
    const lost = await makeDevice(store, owner.userId, { meta: { place: 'second floor' } });
    await hear(lost, START);
    await until(START + 5000);
    assert.deepEqual(await positions(), []);
    // Two tags that hear each other do not keep each other in place.
    await report(lost, { timestamp: START + 60_000, location: { lat: 50, lng: 8 }, accuracyM: 5 });
    await hear(lost, START + 61_000);
    await until(START + 70_000);
    assert.equal((await positions()).length, 1);
    const other = await makeDevice(store, owner.userId, { btMac: 'AA:BB:CC:00:00:02' });
    await report(
      tagId,
      { timestamp: START + 200_000, locationType: 'invalid' },
      sightingAt(START + 200_000, -50, 'AA:BB:CC:00:00:02'),
    );
    await until(START + 210_000);
    assert.deepEqual(await positions(other), []);
  });

  test('a gateway counts while the owner of the tag may see it', async () => {
    const { until, positions, hear, owner, store, tagId } = await scene();
    const stranger = await makeUser(store, 'stranger@example.com');
    const foreign = await makeDevice(store, stranger.userId, { meta: { place: { lat: 50, lng: 8 } } });
    await hear(foreign, START);
    const row = await store.query.selectFrom('gatewayReadings').select('deviceId').executeTakeFirst();
    assert.equal(row!.deviceId, null, 'it is not matched with a tag of another user');
    /** As a user could who may manage both. */
    const linked = async (at: number) => {
      await hear(foreign, at);
      await store.query.updateTable('gatewayReadings').set({ deviceId: tagId }).where('timestamp', '=', at).execute();
      await store.query
        .insertInto('placeQueue')
        .values({ deviceId: tagId, minute: Math.floor(at / 60_000), changesFrom: at, dueAt: 0 })
        .execute();
    };
    await linked(START + 60_000);
    await until(START + 70_000);
    assert.deepEqual(await positions(), []);
    await shareWith(store, foreign, owner.userId, 'view');
    await linked(START + 120_000);
    await until(START + 130_000);
    assert.equal((await positions()).length, 1);
    await store.query.deleteFrom('shares').execute();
    await linked(START + 600_000);
    await until(START + 610_000);
    assert.equal((await positions()).length, 1, 'what was found before stays');
  });

  test('two servers that place a tag at once do so once', async () => {
    const { fixed, until, positions, hear } = await scene();
    const gateway = await fixed(0);
    await hear(gateway, START);
    await Promise.all([until(START + 5000), until(START + 5000), until(START + 5000)]);
    assert.equal((await positions()).length, 1);
  });

  test('what is inactive or deleted gets no position', async () => {
    const { fixed, until, positions, hear, store, tagId } = await scene();
    const gateway = await fixed(0);
    await hear(gateway, START);
    await store.query.updateTable('devices').set({ active: 0 }).where('id', '=', tagId).execute();
    await until(START + 5000);
    await hear(gateway, START + 60_000);
    await store.query.updateTable('devices').set({ active: 1, deletedAt: START }).where('id', '=', tagId).execute();
    await until(START + 70_000);
    assert.deepEqual(await positions(), []);
    assert.equal((await positions()).filter(({ isLocatedByGateways }) => isLocatedByGateways === 1).length, 0);
  });
});
