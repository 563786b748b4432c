import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import test, { after, before, describe } from 'node:test';
import { Aedes, type AuthenticateError, type Client } from 'aedes';
import mqtt, { type MqttClient } from 'mqtt';
import { onEitherEngine } from '../../server/src/testing/databases.ts';
import { eventually } from '../../server/src/testing/eventually.ts';
import { type Api, apiOf } from './harness/api.ts';
import { PASSWORD } from './harness/people.ts';
import { type ServerProcess, startServer } from './harness/server-process.ts';
import { makeStation, type Station, type Voice } from './harness/station.ts';

const SECRET = 'the secret of the hooks';
const OWN = { username: 'trackway', password: 'the/password of the server' };

/** A broker that asks the server about everyone, as the operator's does. */
async function startBroker(asked: () => string) {
  const names = new Map<Client, string>();
  const ask = async (path: string, body: object) => {
    const answer = await fetch(`${asked()}/broker/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${SECRET}` },
      body: JSON.stringify(body),
    });
    return ((await answer.json()) as { result: string }).result === 'allow';
  };
  const broker = await Aedes.createBroker({
    async authenticate(client, username, password, done) {
      names.set(client, username!);
      const isGood = await ask('auth', { username, password: password?.toString(), clientid: client.id });
      done(isGood ? null : (Object.assign(new Error('No'), { returnCode: 5 }) as AuthenticateError), isGood);
    },
    async authorizePublish(client, { topic }, done) {
      const isGood = await ask('acl', { username: names.get(client!), topic, access: 'publish' });
      done(isGood ? null : new Error('No'));
    },
    async authorizeSubscribe(client, subscription, done) {
      const isGood = await ask('acl', { username: names.get(client!), topic: subscription.topic, access: 'subscribe' });
      done(null, isGood ? subscription : null);
    },
  });
  broker.on('clientError', () => {});
  broker.on('connectionError', () => {});
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    broker.handle(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    host: `127.0.0.1:${port}`,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await new Promise<void>((resolve) => broker.close(() => resolve()));
    },
  };
}

onEitherEngine('credentials for MQTT', { migrations: [] }, (open) => {
  describe('a server and a broker', () => {
    let server: ServerProcess;
    let api: Api;
    let broker: Awaited<ReturnType<typeof startBroker>>;
    let station: Station;
    const clients: MqttClient[] = [];

    before(async () => {
      broker = await startBroker(() => server.address);
      server = await startServer(open.storeKind, await open.emptyPlace(), {
        TRACKWAY_MQTT_URL: `mqtt://${OWN.username}:${encodeURIComponent(OWN.password)}@${broker.host}`,
        TRACKWAY_MQTT_HOOK_SECRET: SECRET,
      });
      api = apiOf(server.address);
      station = await makeStation(api);
    });
    after(async () => {
      for (const client of clients) client.end(true);
      api.close();
      await server.stop();
      await broker.close();
    });

    // biome-ignore lint/suspicious/noExplicitAny: what tests look into.
    type Received = { topic: string; body: any };

    /** As the published clients do: credentials, connect, subscribe to everything of one's own. */
    async function listen(voice: Voice) {
      const { clientId, username, password, url } = await voice.client.getMqttCredentials({ id: 'me' });
      const client = await mqtt.connectAsync(url, { clientId, username, password, reconnectPeriod: 0 });
      clients.push(client);
      const received: Received[] = [];
      client.on('message', (topic, payload) => received.push({ topic, body: JSON.parse(payload.toString()) }));
      for (const what of ['datapoints', 'readings', 'notifications'])
        await client.subscribeAsync(`users/${voice.id}/devices/+/${what}`, { qos: 2 });
      return { client, received, credentials: { clientId, username, password, url } };
    }

    const hook = async (path: string, body: object, secret = SECRET) =>
      api('POST', `/broker/${path}`, { body, headers: { authorization: `Bearer ${secret}` } });
    const isAllowed = async (path: string, body: object) => (await hook(path, body)).body.result === 'allow';

    test('a program gets data of all devices that its user may see, each thing bare', async () => {
      const { owner, other } = station;
      const { id, deviceKey } = await owner.client.createDevice({ body: { name: 'van', serial: 'SN-7' } });
      await owner.client.createShare({ id, body: { email: other.email } });
      await owner.make(`/devices/${id}/notificationTriggers`, { type: 'button', name: 'help' });
      const [mine, theirs] = [await listen(owner), await listen(other)];
      assert.match(mine.credentials.clientId, new RegExp(`^trackway-${owner.id}-\\w{8}$`));
      assert.equal(mine.credentials.username, `user-${owner.id}`);
      assert.equal(mine.credentials.url, `mqtt://${broker.host}`);
      const timestamp = new Date().toISOString();
      const { status, text } = await api('POST', '/ingest/reports', {
        token: deviceKey,
        body: {
          points: [{ timestamp, location: { lat: 50, lng: 8 }, accuracy: 5, alertType: 8 }],
          readings: [{ timestamp, type: 'temp', value: 21 }],
        },
      });
      assert.equal(status, 200, text);
      await eventually(
        'everything',
        () => mine.received,
        ({ length }) => length === 3,
      );
      const topic = `users/${owner.id}/devices/${id}`;
      const about = (what: string) => mine.received.find((one) => one.topic === `${topic}/${what}`)!.body;
      const [point] = (await owner.get(`/devices/${id}/points`)).body;
      const [reading] = (await owner.get(`/devices/${id}/readings`)).body;
      assert.deepEqual(about('datapoints'), point);
      assert.deepEqual(about('readings'), reading);
      const [notification] = (await owner.get(`/devices/${id}/notifications`)).body;
      assert.deepEqual(about('notifications'), {
        timestamp: notification.timestamp,
        params: notification.params,
        trigger: { name: 'help', id: notification.triggerId, type: 'button' },
        point: { ...point, notifSent: { [notification.triggerId]: true } },
        device: { id, name: 'van', serial: 'SN-7' },
      });
      await eventually(
        'what a viewer may know',
        () => theirs.received,
        ({ length }) => length === 2,
      );
      assert.deepEqual(
        theirs.received.map(({ topic }) => topic),
        ['datapoints', 'readings'].map((what) => `users/${other.id}/devices/${id}/${what}`),
      );

      // What a person stores is sent too, but not to users whose share has ended.
      const [share] = (await owner.get(`/devices/${id}/shares`)).body;
      assert.equal((await owner.delete(`/devices/${id}/shares/${share.id}`)).status, 204);
      await owner.make(`/devices/${id}/points`, { timestamp: Date.now(), location: { lat: 51, lng: 8 } });
      await eventually(
        'the point of a person',
        () => mine.received,
        ({ length }) => length === 4,
      );
      await other.make(`/devices/${station.otherDevice}/points`, {
        timestamp: Date.now(),
        location: { lat: 52, lng: 8 },
      });
      await eventually(
        'something later',
        () => theirs.received,
        ({ length }) => length === 3,
      );
      assert.equal(theirs.received[2]!.topic, `users/${other.id}/devices/${station.otherDevice}/datapoints`);
    });

    test('the broker learns who may connect, and to what', async () => {
      const { owner, other } = station;
      const { username, password, clientId } = await owner.client.getMqttCredentials({ id: 'me' });
      assert.ok(await isAllowed('auth', { username, password, clientid: clientId }));
      assert.ok(await isAllowed('auth', { username, password, clientid: 'my own' }));
      assert.ok(await isAllowed('auth', OWN));
      for (const wrong of [
        { username, password: 'nonsense' },
        { username: `user-${other.id}`, password },
        { username, password, clientid: `trackway-${other.id}-abcdefgh` },
        { username, password: owner.token },
        { username: 'trackway', password },
        {},
      ])
        assert.ok(!(await isAllowed('auth', wrong)), JSON.stringify(wrong));
      const mine = `users/${owner.id}`;
      for (const [topic, access, isGood] of [
        [`${mine}/#`, 'subscribe', true],
        [`${mine}/devices/+/datapoints`, '4', true],
        [`${mine}/devices/1/datapoints`, 'publish', false],
        [`${mine}/devices/1/datapoints`, 2, false],
        [mine, 'subscribe', false],
        [`users/${other.id}/#`, 'subscribe', false],
        ['users/+/devices/+/datapoints', 'subscribe', false],
        ['#', 'subscribe', false],
        ['$SYS/#', 'subscribe', false],
      ] as const)
        assert.equal(await isAllowed('acl', { username, topic, access }), isGood, `${access} ${topic}`);
      const refused = await hook('auth', { username, password }, 'wrong');
      assert.deepEqual([refused.status, refused.body.error.code], [401, 'AUTHORIZATION_REQUIRED']);
      const form = `username=${username}&password=${password}`;
      const headers = { authorization: `Bearer ${SECRET}`, 'content-type': 'application/x-www-form-urlencoded' };
      assert.equal((await api('POST', '/broker/auth', { raw: form, headers })).body.result, 'allow');
      // A password for the broker is good for nothing else.
      assert.equal((await api('GET', '/api/users/me', { token: password })).status, 401);
    });

    test('a user has ten at most, and a new password ends them', async () => {
      const { other } = station;
      const all = [];
      for (let i = 0; i < 11; i++) all.push(await other.client.getMqttCredentials({ id: 'me' }));
      assert.ok(!(await isAllowed('auth', all[0]!)));
      assert.ok(await isAllowed('auth', all[1]!));
      assert.ok(await isAllowed('auth', all[10]!));
      const body = { oldPassword: PASSWORD, newPassword: 'another password of theirs' };
      const changed = await other.post('/users/change-password', body);
      assert.equal(changed.status, 204, changed.text);
      assert.ok(!(await isAllowed('auth', all[10]!)));
      const subscribing = { username: all[10]!.username, topic: `users/${other.id}/#`, access: 'subscribe' };
      assert.ok(!(await isAllowed('acl', subscribing)));
    });
  });
});
