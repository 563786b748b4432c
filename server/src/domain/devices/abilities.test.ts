import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEitherEngine } from '../../testing/databases.ts';
import { callOf, makeDevice, makeUser, NOW } from '../../testing/people.ts';
import { storePositions } from '../../testing/positions.ts';
import { storeReadings } from '../../testing/readings.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { abilitiesOf } from './operations.ts';

const NONE = {
  positions: false,
  readings: false,
  hearings: false,
  messages: false,
  configuration: false,
  forwarders: false,
  quarantine: false,
};

onEitherEngine<Tables>('abilities of devices', { migrations: MIGRATIONS }, (open) => {
  test('a device can do what it has done', async () => {
    const store: Store = await open();
    const owner = await makeUser(store, 'a@example.com');
    const abilities = abilitiesOf(store);
    const of = async (deviceId: number, more: object = {}) => {
      const all = await abilities(callOf(owner, { deviceId, ...more }));
      return Object.keys(all).filter((name) => all[name as keyof typeof all]);
    };
    const [fresh, phone, sensor, gateway, tracker] = await Promise.all(
      Array.from({ length: 5 }, () => makeDevice(store, owner.userId)),
    );
    const { query } = store;
    const point = (deviceId: number, locationLat: number | null) =>
      storePositions(store, { deviceId, timestamp: NOW, locationLat, locationLng: locationLat });
    await point(phone!, 50);
    await point(sensor!, null);
    const reading = { type: 'temp', value: '20', timestamp: NOW, created: NOW };
    await storeReadings(store, { ...reading, deviceId: sensor!, gatewayId: gateway!, hash: 'c' });
    await query.updateTable('devices').set({ supportedCommands: '["reboot"]' }).where('id', '=', tracker!).execute();

    assert.deepEqual(await abilities(callOf(owner, { deviceId: fresh! })), NONE);
    assert.deepEqual(await of(phone!), ['positions']);
    assert.deepEqual(await of(sensor!), ['readings']);
    assert.deepEqual(await of(gateway!), ['hearings']);
    assert.deepEqual(await of(tracker!), ['messages']);

    await query.updateTable('deviceConfigs').set({ currentFW: '12' }).where('deviceId', '=', tracker!).execute();
    await query
      .insertInto('quarantine')
      .values({ deviceId: tracker!, list: 'points', report: '{}', reason: 'odd', created: NOW, timestamp: null })
      .execute();
    assert.deepEqual(await of(tracker!), ['messages', 'configuration', 'quarantine']);
  });

  test('users other than the owner do not see forwarders of others', async () => {
    const store: Store = await open();
    const owner = await makeUser(store, 'a@example.com');
    const friend = await makeUser(store, 'b@example.com');
    const deviceId = await makeDevice(store, owner.userId);
    const forwarder = {
      deviceId,
      userId: owner.userId,
      kind: 'http',
      target: 'https://example.org',
      types: '[]',
      status: '',
      origin: 'api',
    };
    await store.query
      .insertInto('forwarders')
      .values({ ...forwarder, created: NOW } as never)
      .execute();
    const abilities = abilitiesOf(store);
    assert.equal((await abilities(callOf(owner, { deviceId, right: 'own' }))).forwarders, true);
    assert.equal((await abilities(callOf(friend, { deviceId, right: 'manage' }))).forwarders, false);
  });
});
