import assert from 'node:assert/strict';
import { test } from 'node:test';
import mqtt from 'mqtt';
import { MIGRATIONS } from '../../server/src/domain/schema/migrations.ts';
import { onEitherEngine } from '../../server/src/testing/databases.ts';
import { eventually } from '../../server/src/testing/eventually.ts';
import { lookInto } from '../../server/src/testing/place.ts';
import { apiOf } from './harness/api.ts';
import { startBroker } from './harness/broker.ts';
import { logIn, PASSWORD } from './harness/people.ts';
import { startServer } from './harness/server-process.ts';
import { makeStation, voiceOf } from './harness/station.ts';

const EMAIL = 'home@example.org';

onEitherEngine('Home Assistant', { migrations: [] }, (open) => {
  test('is shown what the user may see, as long as they may', async (t) => {
    const broker = await startBroker(t);
    const place = await open.migratedPlace(MIGRATIONS);
    const server = await startServer(open.storeKind, place, {
      TRACKWAY_MQTT_URL: broker.url,
      TRACKWAY_HOME_ASSISTANT: EMAIL,
      // The same broker is listened to as well, and what we say there is no news.
      TRACKWAY_MQTT_LISTEN: 'homeassistant',
    });
    t.after(() => server.kill());
    const api = apiOf(server.address);
    t.after(() => api.close());
    const client = await mqtt.connectAsync(broker.url, { reconnectPeriod: 0 });
    t.after(() => client.end(true));
    const kept = new Map<string, string>();
    client.on('message', (topic, payload) => {
      if (payload.length === 0) kept.delete(topic);
      else kept.set(topic, payload.toString());
    });
    await client.subscribeAsync('homeassistant/#', { qos: 1 });

    const { owner, admin } = await makeStation(api);
    const { id: userId } = await admin.make('/users', { email: EMAIL, password: PASSWORD });
    const user = voiceOf(api, {
      id: userId,
      email: EMAIL,
      password: PASSWORD,
      token: await logIn(api, EMAIL),
    });
    const report = async (deviceKey: string, lat: number) => {
      const body = {
        points: [{ location: { lat, lng: 8 }, timestamp: new Date().toISOString() }],
        readings: [{ type: 'temp', value: lat }],
      };
      const { status, text } = await api('POST', '/ingest/reports', { token: deviceKey, body });
      assert.equal(status, 200, text);
    };
    const own = await user.client.createDevice({ body: { name: 'Own' } });
    const shared = await owner.client.createDevice({ body: { name: 'Shared' } });
    const hidden = await owner.client.createDevice({ body: { name: 'Hidden' } });
    const share = await owner.client.createShare({ id: shared.id, body: { email: EMAIL } });
    for (const [index, { deviceKey }] of [own, shared, hidden].entries()) await report(deviceKey!, 50 + index);

    const node = (await eventually('it says that it is there', () =>
      [...kept.keys()].map((topic) => /device_tracker\/(trackway_\w+)\/status/.exec(topic)?.[1]).find(Boolean),
    ))!;
    const attributes = (id: number) => kept.get(`homeassistant/device_tracker/${node}/${id}/attributes`);
    const about = (id: number) => [...kept.keys()].filter((topic) => new RegExp(`/${node}/${id}(_\\w+)?/`).test(topic));
    await eventually('both are shown', () => attributes(own.id) !== undefined && attributes(shared.id) !== undefined);
    assert.equal(JSON.parse(attributes(own.id)!).latitude, 50);
    await eventually('a sensor too', () => kept.get(`homeassistant/sensor/${node}/${own.id}_temp/state`) === '50');
    await report(own.deviceKey!, 51);
    await eventually('it moves', () => JSON.parse(attributes(own.id)!).latitude === 51);

    await owner.client.deleteShare({ id: shared.id, fk: share.id });
    await eventually('what is shared no more is gone', () => about(shared.id).length === 0);
    await user.client.deleteDevice({ id: own.id });
    await eventually('what is deleted is gone', () => about(own.id).length === 0);
    assert.deepEqual(about(hidden.id), []);

    // The other way: what somebody else announces.
    const cat = await user.client.createDevice({ body: { name: 'Cat', serial: 'cat', allowKeyless: true } });
    await broker.publish('homeassistant/device_tracker/cat/config', {
      json_attributes_topic: 'pets/cat',
      device: { identifiers: ['cat'] },
    });
    let lat = 40;
    await eventually('it is received, and shown', async () => {
      await broker.publish('pets/cat', { latitude: ++lat / 2, longitude: 8 });
      return attributes(cat.id) !== undefined;
    });
    await server.stop();
    const known = await lookInto(place, ({ query }) =>
      query.selectFrom('unknownTrackers').select('identity').execute(),
    );
    assert.deepEqual(known, [], 'what we publish is not read');
  });
});
