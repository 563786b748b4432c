import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { AnswerOf } from '@trackway/contract/operations.ts';
import type { Caller, JsonStream, JsonText } from '../../../calls.ts';
import { onEitherEngine } from '../../../testing/databases.ts';
import { callOf, makeDevice, makeUser, NOW, shareWith } from '../../../testing/people.ts';
import { storePositions } from '../../../testing/positions.ts';
import { storeReadings } from '../../../testing/readings.ts';
import { testVault } from '../../../testing/vault.ts';
import { notificationOperations } from '../../delivery/notification-operations.ts';
import { deviceAccess } from '../../devices/access.ts';
import { deviceOperations } from '../../devices/operations.ts';
import { devicePages } from '../../devices/page-v2.ts';
import { geofenceOperations } from '../../geofences/operations.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { fleetOperations, nearbyOperations } from './fleet.ts';

type Summary = AnswerOf<'getDeviceSummary'>;
type InZone = AnswerOf<'getDevicesInZone'>;
type Nearby = AnswerOf<'nearbyDevices'>;
type Readings = AnswerOf<'nearbyDeviceData'>;
type Activity = AnswerOf<'getRecentActivity'>;
type Page = AnswerOf<'listDevicesV2'>;

const MINUTE_MS = 60_000;
const at = (minute: number) => NOW + minute * MINUTE_MS;
const iso = (minute: number) => new Date(at(minute)).toISOString();
const parsed = <T>(answer: unknown): T =>
  typeof (answer as JsonText<T>).text === 'string' ? JSON.parse((answer as JsonText<T>).text) : (answer as T);

onEitherEngine<Tables>('fleet', { migrations: MIGRATIONS }, (open) => {
  let store: Store;
  let [owner, guest, stranger, admin]: Caller[] = [];
  let [van, bike, gateway]: number[] = [];

  async function put(deviceId: number, minute: number, more: object = {}): Promise<number> {
    const located = { locationLat: 52, locationLng: 5, locationType: 'gps' };
    const values = { deviceId, timestamp: at(minute), created: at(minute), ...located, ...more };
    const [id] = await storePositions(store, values);
    return id!;
  }

  before(async () => {
    store = await open();
    owner = await makeUser(store, 'owner@example.com');
    guest = await makeUser(store, 'guest@example.com');
    stranger = await makeUser(store, 'stranger@example.com');
    admin = await makeUser(store, 'admin@example.com', true);
    van = await makeDevice(store, owner.userId, { name: 'Van', tags: ['kind:veh_big', 'Kind:x'], serial: 'AB-1' });
    bike = await makeDevice(store, owner.userId, { name: 'Bike', tags: ['kind:vehXbig'], imei: '35', btPasskey: 7 });
    gateway = await makeDevice(store, owner.userId, { name: 'Gate', meta: { a: 1 } });
    await shareWith(store, van, guest.userId, 'view');
  });

  const summary = async (user: Caller, parameters: object = {}, caller = user): Promise<Summary> => {
    const { getDeviceSummary } = fleetOperations(store);
    const answer = await getDeviceSummary(callOf(caller, { userId: user.userId, parameters }) as never);
    let text = '';
    for await (const chunk of (answer as JsonStream<Summary>).chunks) text += chunk;
    return JSON.parse(text);
  };

  test('a summary has every device that the user sees, with its newest places, as other lists show them', async () => {
    const ids = [await put(van!, 1), await put(van!, 2, { accuracy: 501 }), await put(van!, 3, { speed: 12.5 })];
    await put(van!, 4, { locationLat: null, locationLng: null, locationType: 'invalid' });
    await put(bike!, -200_000);
    const all = await summary(owner!);
    assert.deepEqual(
      all.map(({ id, latestPoints }) => [id, latestPoints.length]),
      [
        [van, 3],
        [bike, 1],
        [gateway, 0],
      ],
    );
    const points = all[0]!.latestPoints;
    assert.deepEqual(
      points.map(({ id }) => id),
      ids.toReversed(),
    );
    assert.deepEqual(
      [points[0]!.timestamp, points[0]!.speed, points[0]!.location],
      [iso(3), 12.5, { lat: 52, lng: 5 }],
    );
    assert.ok('stringValue' in points[0]!);
    const { latestPoints, config, subscription, ...device } = all[1]!;
    const operations = deviceOperations(store, {}, testVault);
    const shown = await operations.getDevice(callOf(owner!, { deviceId: bike }));
    assert.deepEqual(device, shown, 'a device as it is shown elsewhere');
    assert.deepEqual([config.deviceId, config.interval, config.forceFw, subscription], [bike, 300, false, null]);
    assert.deepEqual(config.reasonsToWake, [{ bluetooth: false, move: true, geofence: false }]);

    const latest = async (parameters: object) =>
      (await summary(owner!, parameters))[0]!.latestPoints.map(({ id }) => ids.indexOf(id));
    assert.deepEqual(await latest({ pointCount: 1 }), [2]);
    assert.deepEqual(await latest({ pointCount: 0 }), []);
    assert.deepEqual(await latest({ hideApprox: true }), [2, 0]);
    assert.deepEqual(await latest({ dateRange: [null, at(2)] }), [1, 0]);
    assert.deepEqual(await latest({ dateRange: [at(2), at(2)], hideApprox: true }), []);

    assert.deepEqual(
      (await summary(guest!)).map(({ id }) => id),
      [van],
    );
    assert.deepEqual(await summary(stranger!), []);
    assert.equal((await summary(guest!, {}, admin!)).length, 1, 'an admin sees what that user sees');
    const limited = { ...owner!, scope: { access: 'read' as const, deviceIds: [bike!] } };
    assert.deepEqual(
      (await summary(owner!, {}, limited)).map(({ id }) => id),
      [bike],
    );
  });

  test('many devices come in many chunks, each once and in order', async () => {
    const many = await makeUser(store, 'many@example.com');
    await makeDevice(store, many.userId);
    const made = Array.from({ length: 649 }, (_, index) => ({
      id: 10_000 + index,
      ownerId: many.userId,
      firstSeen: NOW,
    }));
    const rows = await store.query
      .insertInto('devices')
      .values(made as never)
      .returning('id')
      .execute();
    await store.query
      .insertInto('deviceConfigs')
      .values(rows.map(({ id }) => ({ deviceId: id, ...CONFIG })) as never)
      .execute();
    const ids = (await summary(many)).map(({ id }) => id);
    assert.equal(ids.length, 650);
    assert.deepEqual(
      ids.toSorted((one, other) => one - other),
      [...new Set(ids)],
    );
  });

  test('who is in a zone: by the newest position where nothing was evaluated, and rough ones only if wanted', async () => {
    const fences = geofenceOperations(store, deviceAccess(store));
    const draw = async (user: Caller, body: object) =>
      ((await fences.createGeofence(callOf(user, { body }))) as { id: number }).id;
    const here = { center: { lat: 52, lng: 5 }, radius: 200, type: 'safe' };
    const depot = await draw(owner!, { ...here, name: 'Depot' });
    const yard = await draw(owner!, { ...here, name: 'Yard', deviceId: bike });
    await draw(owner!, { center: { lat: 10, lng: 5 }, radius: 200, type: 'far' });
    const inZone = async (user: Caller, parameters: object): Promise<InZone> =>
      parsed(await fleetOperations(store).getDevicesInZone(callOf(user, { parameters }) as never));
    const reported = (list: InZone) => list.map(({ id, zones }) => [id, zones.map((zone) => zone.id)]);
    assert.deepEqual(reported(await inZone(owner!, { zoneId: depot })), [
      [van, [depot]],
      [bike, [depot]],
    ]);
    const [first] = await inZone(owner!, { zoneType: 'safe' });
    assert.deepEqual([first!.zones, first!.latestPoints.length], [[{ id: depot, name: 'Depot', since: iso(3) }], 3]);
    assert.deepEqual(reported(await inZone(owner!, { zoneType: 'safe' }))[1], [bike, [depot, yard]]);
    assert.deepEqual(await inZone(owner!, { zoneType: 'far' }), []);
    assert.deepEqual(await inZone(owner!, { zoneType: 'none' }), []);
    await put(van!, 5, { locationType: 'gsm' });
    assert.deepEqual(reported(await inZone(owner!, { zoneId: depot })), [[bike, [depot]]]);
    assert.equal((await inZone(owner!, { zoneId: depot, includeApprox: true })).length, 2);
    await assert.rejects(inZone(owner!, {}), { statusCode: 400, message: /zoneId or zoneType/ });
    await assert.rejects(inZone(guest!, { zoneId: depot }), { statusCode: 404 });
    const own = await draw(guest!, here);
    assert.deepEqual(reported(await inZone(guest!, { zoneId: own, includeApprox: true })), [[van, [own]]]);
    const list = await store.query
      .insertInto('geofenceLists')
      .values({ name: 'Depots', color: 'red', ownerId: owner!.userId, created: NOW } as never)
      .returning('id')
      .executeTakeFirstOrThrow();
    await store.query
      .insertInto('grants')
      .values({ listId: list.id, userId: guest!.userId, holderId: guest!.userId, created: NOW } as never)
      .execute();
    await store.query
      .updateTable('geofences')
      .set({ listId: list.id } as never)
      .where('id', '=', depot)
      .execute();
    const shared = await inZone(guest!, { zoneId: depot, includeApprox: true });
    assert.deepEqual(reported(shared), [[van, [depot]]], 'a fence on a shared list, but own devices alone');
  });

  test('devices by tag: only the percent sign is a wildcard, and case is ignored', async () => {
    const operations = deviceOperations(store, {}, testVault);
    const tagged = async (user: Caller, tag: string, fields?: string[]) =>
      parsed<Record<string, unknown>[]>(
        await operations.getDevicesByTag(callOf(user, { parameters: { tag, fields } }) as never),
      );
    const ids = async (user: Caller, tag: string) => (await tagged(user, tag)).map(({ id }) => id);
    assert.deepEqual(await ids(owner!, 'KIND:%'), [van, bike]);
    assert.deepEqual(await ids(owner!, 'kind:veh_%'), [van]);
    assert.deepEqual(await ids(owner!, 'kind'), []);
    assert.deepEqual(await ids(guest!, '%'), [van]);
    assert.deepEqual(await tagged(owner!, 'kind:x', ['name', 'nonsense']), [{ name: 'Van' }]);
  });

  test('recent activity: the newest first, of its range, without what was retracted', async () => {
    const record = (minute: number, more: object) =>
      store.query
        .insertInto('notifications')
        .values({
          created: at(minute),
          timestamp: at(minute),
          decidedAt: at(minute),
          params: JSON.stringify({ type: 'temp', message: `at ${minute}` }),
          explanation: '{}',
          deviceId: van,
          userId: owner!.userId,
          triggerId: 1,
          triggerVersion: 0,
          kind: 'over',
          status: 'valid',
          ...more,
        } as never)
        .execute();
    await record(1, { pointId: 4 });
    await record(2, { pointId: 5, readingId: 6, status: 'suppressed', reason: 'muted: shortly before' });
    await record(3, { status: 'retracted' });
    await record(4, { userId: guest!.userId });
    const operations = notificationOperations(store);
    const recent = async (user: Caller, dateRange: (number | null)[]): Promise<Activity> =>
      parsed(await operations.getRecentActivity(callOf(user, { parameters: { dateRange } }) as never));
    const reported = (list: Activity) => list.map(({ message, pointId, readingId }) => [message, pointId, readingId]);
    assert.deepEqual(reported(await recent(owner!, [null, at(10)])), [
      ['at 2', 6, 6],
      ['at 1', 4, null],
    ]);
    assert.deepEqual(reported(await recent(owner!, [at(1), at(1)])), [['at 1', 4, null]]);
    assert.deepEqual(await recent(stranger!, [null, at(10)]), []);
    const filter = JSON.stringify({ where: { message: 'at 2', dismissedOn: null } });
    const listed = await operations.listNotifications(callOf(owner!, { query: [['filter', filter]] }));
    assert.deepEqual(reported(parsed(listed)), [['at 2', 5, 6]], 'lists contain the position');
  });

  test('sightings of a gateway are grouped by device, or by address; devices that the caller may not see are unknown', async () => {
    const hear = (minute: number, type: string, value: unknown, more: object) =>
      storeReadings(store, {
        gatewayId: gateway,
        timestamp: at(minute),
        type,
        value: JSON.stringify(value),
        ...more,
      });
    await hear(-3, 'temp', 1, { deviceId: bike, sensorDeviceId: 'one', rssi: -70 });
    await hear(-2, 'temp', 2, { deviceId: bike, sensorDeviceId: 'two', correlationId: 'c' });
    await hear(-4, 'ble_seen', { name: 'Beacon' }, { sensorDeviceId: 'AA:BB:CC:DD:EE:01', correlationId: 'c' });
    await hear(-5, 'temp', 3, { sensorDeviceId: 'aabbccddee01' });
    await hear(-6, '__proto__', 4, { sensorDeviceId: String(bike) });
    await hear(-7, 'temp', 5, {});
    await hear(-3000, 'temp', 6, { sensorDeviceId: 'old' });
    const operations = nearbyOperations(store);
    const near = async (caller: Caller, parameters: object = {}): Promise<Nearby> =>
      parsed(await operations.nearbyDevices(callOf(caller, { deviceId: gateway, parameters }) as never));
    const all = await near(owner!);
    assert.deepEqual(
      all.map(({ device, readings }) => [device.id, device.name, Object.keys(readings)]),
      [
        [bike, 'Bike', ['temp']],
        [0, 'Beacon', ['ble_seen', 'temp']],
        [0, String(bike), ['__proto__']],
      ],
    );
    assert.deepEqual([all[0]!.readings.temp!.value, all[0]!.readings.temp!.timestamp], [2, at(-2)]);
    assert.deepEqual([all[1]!.device.btMacAddress, all[1]!.device.btMac], ['aa:bb:cc:dd:ee:01', 0xaabbccddee01]);
    assert.deepEqual(
      (await near(guest!)).map(({ device }) => [device.id, device.name, device.imei]),
      [
        [0, 'two', null],
        [0, 'one', null],
        [0, 'Beacon', null],
        [0, String(bike), null],
      ],
    );
    assert.deepEqual(
      (await near(owner!, { correlationId: 'c' })).map(({ device }) => device.name),
      ['Bike', 'Beacon'],
    );
    assert.deepEqual(
      (await near(owner!, { dateRange: [at(-4000), at(-2000)] })).map(({ device }) => device.name),
      ['old'],
    );

    const data = async (nearbyId: string, dateRange: unknown = [null, null]): Promise<unknown[]> =>
      parsed<Readings>(
        await operations.nearbyDeviceData(
          callOf(owner!, { deviceId: gateway, parameters: { nearbyId, dateRange } }) as never,
        ),
      ).map(({ value }) => value);
    assert.deepEqual(await data(String(bike)), [4], 'a received identifier takes precedence');
    assert.deepEqual(await data(`${bike}.0`), [2, 1]);
    assert.deepEqual(await data('aa-bb-cc-dd-ee-01'), [{ name: 'Beacon' }, 3]);
    assert.deepEqual(await data('two', [at(-1), null]), []);
    assert.deepEqual(await data('nothing'), []);
  });

  test('pages of version 2: what the caller sees, by all conditions, with what is included', async () => {
    const { listDevicesV2 } = devicePages(store);
    const page = async (caller: Caller, parameters: object = {}) =>
      (await listDevicesV2(callOf(caller, { parameters }) as never)) as Page;
    const ids = async (parameters: object, caller = owner!) =>
      (await page(caller, parameters)).data.map(({ id }) => id);
    const all = await page(owner!, { _limit: 2, _sort: 'name' });
    assert.deepEqual(
      [all.data.map(({ name }) => name), all.totalElements, all.totalPages, all.page],
      [['Bike', 'Gate'], 3, 2, 1],
    );
    assert.deepEqual([all.data[1]!.tags, all.data[0]!.meta, all.data[0]!.btPasskey], [[], {}, 7]);
    assert.ok(!('config' in all.data[0]!) && !('loraId' in all.data[0]!));
    for (const [parameters, expected] of [
      [{ name: 'vAn' }, [van]],
      [{ name: 'b*' }, [bike]],
      [{ tag: 'kind:veh_*' }, [van]],
      [{ serial: ['ab*', 'zz'] }, [van]],
      [{ imei: ['35'] }, [bike]],
      [{ id: [`${van}.0`, 'x'] }, [van]],
      [{ id: ['x'] }, []],
      [{ active: false }, []],
      [{ reseller: ['any'] }, []],
      [{ user: ['GUEST@example.com'] }, [van]],
      [{ user: ['*est@*'], name: 'Bike' }, []],
      [{ 'config.currentFW': '12' }, []],
      [{ _connectedSince: iso(0) }, []],
    ] as const)
      assert.deepEqual(await ids(parameters), expected, JSON.stringify(parameters));
    assert.deepEqual(await ids({}, guest!), [van]);
    assert.deepEqual(await ids({ user: ['owner@example.com'] }, guest!), [], 'only of devices that the caller owns');
    assert.deepEqual(await ids({}, stranger!), []);
    const include = ['config', 'users', 'knownDevices', 'subscription', 'reseller', 'resellerPlan', 'qcEvents'];
    const [one] = (await page(owner!, { id: [String(van)], _include: include })).data;
    assert.deepEqual(
      one!.users!.map(({ email, hasBillingInfo }) => [email, hasBillingInfo]),
      [
        ['owner@example.com', false],
        ['guest@example.com', false],
      ],
    );
    const config = one!.config!;
    assert.deepEqual(
      [config.movementSensitivity, config.movementSensitivityOld, config.reasonsToWake, config.timed],
      [2, 1, { bluetooth: false, move: true, geofence: false }, null],
    );
    assert.deepEqual([one!.subscription, one!.reseller, one!.qcEvents, one!.knownDevices], [null, null, {}, []]);
    const [seen] = (await page(guest!, { _include: ['users'] })).data;
    assert.deepEqual(
      seen!.users!.map(({ email }) => email),
      ['guest@example.com'],
    );
    const [gate] = (await page(owner!, { name: 'Gate', _include: ['knownDevices'] })).data;
    assert.deepEqual(gate!.knownDevices, ['aa:bb:cc:dd:ee:01']);
  });
});

const CONFIG = { interval: 1, sleepInterval: 1, packing: 1, wakeAction: 'normal', alertAction: 'nothing' };
