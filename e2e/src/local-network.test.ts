import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import test, { after } from 'node:test';
import { type Api, apiOf } from './harness/api.ts';
import { onEitherEngine } from './harness/engines.ts';
import { adminOf, makePerson } from './harness/people.ts';
import { startInProcess } from './harness/server-in-process.ts';
import type { Server } from './harness/server-process.ts';
import { SocketClient } from './harness/web-socket.ts';

let restart: () => Promise<Server>;

/** 127.0.0.2 stands for the address of this machine in its network. */
onEitherEngine(
  'the local network',
  (running) => {
    const opened: Api[] = [];
    const networkOf = ({ address }: Server) => {
      const api = apiOf(address.replace('127.0.0.1', '127.0.0.2'));
      opened.push(api);
      return api;
    };
    after(() => {
      for (const api of opened) api.close();
    });
    const isRefused = (api: Api) => assert.rejects(api('GET', '/healthz'), { code: 'ECONNREFUSED' });

    test('is closed until an admin opens it; then it needs a sign-in, and closing ends its connections', async () => {
      const admin = await adminOf(running.api);
      const person = await makePerson(running.api, admin, 'someone');
      const set = (api: Api, token: string, isOpen: boolean) => api('PUT', '/api/reach', { token, body: { isOpen } });
      const network = networkOf(running.server);
      await isRefused(network);
      assert.equal((await set(running.api, person.token, true)).status, 403);
      await isRefused(network);

      const { body } = await set(running.api, admin.token, true);
      assert.deepEqual(body, { addresses: [{ url: network.address, kind: 'network' }], localNetwork: 'on' });
      assert.equal((await network('GET', '/healthz')).status, 200);
      assert.equal((await network('GET', '/api/devices')).status, 401);
      const { token } = person;
      assert.equal((await network('GET', '/api/devices', { token })).status, 200);
      const device = await network('POST', '/api/devices', { token, body: { name: 'phone' } });
      const report = { points: [{ timestamp: new Date().toISOString(), location: { lat: 1, lng: 2 } }] };
      const reported = await network('POST', '/ingest/reports', { token: device.body.deviceKey, body: report });
      assert.equal(reported.status, 200);

      const stream = new SocketClient(network.address, '/v2/chasm/ws', { authorization: token });
      await stream.opened();
      const closed = await set(network, admin.token, false);
      assert.deepEqual([closed.status, closed.body.localNetwork], [200, 'off'], 'whoever closes it is answered');
      await stream.until(({ closed }) => closed !== undefined, 'the connection is closed');
      await isRefused(networkOf(running.server));
      assert.equal((await running.api('GET', '/healthz')).status, 200, 'this machine can still connect');
    });

    test('answers only to its address and to the names of the machine', async () => {
      const { token } = await adminOf(running.api);
      await running.api('PUT', '/api/reach', { token, body: { isOpen: true } });
      const network = networkOf(running.server);
      const { port } = new URL(network.address);
      const own = hostname().split('.', 1)[0]!;
      for (const host of ['127.0.0.2', `127.0.0.2:${port}`, hostname(), `${own}.local:${port}`, own.toUpperCase()])
        assert.equal((await network('GET', '/healthz', { headers: { host } })).status, 200, host);
      for (const host of [
        'evil.example.com',
        `evil.example.com:${port}`,
        '127.0.0.2.evil.example.com',
        '127.0.0.1',
        '127.0.0.3',
        'localhost',
        '2130706434',
        '[::1]',
        '127.0.0.2@evil.example.com',
        'evil.example.com#127.0.0.2',
        '127.0.0.2,evil.example.com',
        '127.0.0.2:80:80',
        `${own}.local.evil.example.com`,
        '.local',
      ])
        for (const path of ['/healthz', '/', '/ingest/reports', '/api/info']) {
          const method = path.startsWith('/ingest') ? 'POST' : 'GET';
          const { status, body } = await network(method, path, { headers: { host } });
          assert.deepEqual([status, body?.error?.code], [421, 'HOST_NOT_ALLOWED'], `${host} ${path}`);
        }
      const socket = new SocketClient(network.address, '/v2/chasm/ws', { authorization: token, host: 'evil.example' });
      const { refused } = await socket.until((client) => client.refused !== undefined, 'a refusal');
      assert.equal(refused!.status, 421);
      const here = await running.api('GET', '/healthz', { headers: { host: 'any.example.com' } });
      assert.equal(here.status, 200, 'a proxy on this machine may use any name');
    });

    test('is open again after a restart', async () => {
      const { token } = await adminOf(running.api);
      await running.api('PUT', '/api/reach', { token, body: { isOpen: true } });
      await running.server.stop();
      const again = await restart();
      try {
        assert.equal((await networkOf(again)('GET', '/healthz')).status, 200);
      } finally {
        await again.stop();
      }
      await isRefused(networkOf(again));
    });
  },
  {},
  (engine, place, settings) => {
    restart = () => startInProcess(engine, place, settings);
    return restart();
  },
);
