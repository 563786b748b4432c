import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import test, { before } from 'node:test';
import { onOneEngine } from './harness/engines.ts';
import { startServer } from './harness/server-process.ts';
import { makeStation, type Station } from './harness/station.ts';
import { checkHealth } from './hostile/health.ts';

const BODY_LIMIT = 102_400;

/** Input that no HTTP library would send. */
onOneEngine(
  'hostile sockets',
  (running) => {
    let station: Station;
    const stalled: { name: string; closed: Promise<string>; socket: Socket }[] = [];

    function open(): Socket {
      const { port } = new URL(running.api.address);
      const socket = connect(Number(port), '127.0.0.1');
      socket.on('error', () => {});
      return socket;
    }
    /** Everything the server sends until it closes, or until it matches `enough`. */
    async function received(socket: Socket, enough?: RegExp): Promise<string> {
      let text = '';
      return new Promise((resolve) => {
        socket.on('data', (chunk) => {
          text += chunk;
          if (enough?.test(text)) resolve(text);
        });
        socket.on('close', () => resolve(text));
      });
    }
    async function say(text: string, enough?: RegExp): Promise<string> {
      const socket = open();
      const answer = received(socket, enough);
      socket.write(text);
      const said = await answer;
      socket.destroy();
      return said;
    }
    const statusesIn = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

    before(async () => {
      station = await makeStation(running.api);
      const { token } = station.owner;
      const stall = (name: string, text: string) => {
        const socket = open();
        stalled.push({ name, socket, closed: received(socket) });
        socket.write(text);
      };
      for (let n = 0; n < 50; n += 1) {
        stall('slow headers', 'GET /api/devices HTTP/1.1\r\nHost: x\r\nX-Slow:');
        stall(
          'slow body',
          `POST /api/devices HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"name":`,
        );
      }
    });

    test('a hundred clients that stall hold up nobody', async () => {
      for (let n = 0; n < 20; n += 1) assert.equal((await station.owner.get('/devices')).status, 200);
      assert.ok(
        stalled.some(({ socket }) => !socket.closed),
        'it was answered only when they had been let go',
      );
    });

    test('a chunked body without end is cut off as too large', async () => {
      const socket = open();
      const answer = received(socket, /PayloadTooLarge/);
      socket.write(
        `POST /api/devices HTTP/1.1\r\nHost: x\r\nAuthorization: ${station.owner.token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
      );
      // One chunk more than the limit, and no end: a client that continues to write gets the reset of the connection
      // before the answer.
      const chunk = `1000\r\n${' '.repeat(0x1000)}\r\n`;
      socket.write(chunk.repeat(BODY_LIMIT / 0x1000 + 1));
      assert.deepEqual(statusesIn(await answer), [413]);
      socket.destroy();
    });

    test('garbage, alone and after a good request', async () => {
      for (const garbage of [
        '\u0000\u0001\u0002\r\n\r\n',
        'HELLO\r\n\r\n',
        'GET\r\n\r\n',
        'GET / HTTP/9.9\r\n\r\n',
        'GET / HTTP/1.1\r\nHost: x\r\nBad Header\r\n\r\n',
        'GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n',
        'GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
        'POST /api/devices HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n',
        'POST /api/devices HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n',
        '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n',
        'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      ]) {
        const statuses = statusesIn(await say(garbage));
        assert.equal(statuses.at(-1), 400, JSON.stringify(garbage));
        for (const status of statuses) assert.ok(status >= 400 && status < 500, JSON.stringify(garbage));
      }
      const after = await say('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGARBAGE GARBAGE\r\n\r\n');
      assert.deepEqual(statusesIn(after), [200, 400]);
      assert.match(after, /application\/json/);
    });

    test('headers beyond 64 kB are 431', async () => {
      const text = await say(`GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(70_000)}\r\n\r\n`);
      assert.deepEqual(statusesIn(text), [431]);
      assert.match(text, /"statusCode":431/);
      const many = await say(`GET /healthz HTTP/1.1\r\nHost: x\r\n${'X-A: 1\r\n'.repeat(15_000)}\r\n`);
      assert.deepEqual(statusesIn(many), [431]);
      const address = await say(`GET /${'a'.repeat(70_000)} HTTP/1.1\r\nHost: x\r\n\r\n`);
      assert.deepEqual(statusesIn(address), [431]);
    });

    test('many good requests in one go are answered in order', async () => {
      const one = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
      const text = await say(`${one.repeat(200)}GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      assert.deepEqual(statusesIn(text), Array(201).fill(200));
    });

    test('clients that hang up in the middle leave nothing behind', async () => {
      const { owner } = station;
      const before = (await owner.get('/devices/count')).body;
      for (let n = 0; n < 50; n += 1) {
        const socket = open();
        await once(socket, 'connect');
        socket.write(
          `POST /api/devices HTTP/1.1\r\nHost: x\r\nAuthorization: ${owner.token}\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"name":"half`,
        );
        socket.destroy();
      }
      assert.deepEqual((await owner.get('/devices/count')).body, before);
    });

    test('a client that stalls gets an error and is disconnected', async () => {
      const before = (await station.owner.get('/devices/count')).body;
      for (const { name, closed } of stalled) {
        const said = await closed;
        if (said !== '') assert.deepEqual(statusesIn(said), [408], name);
      }
      assert.deepEqual((await station.owner.get('/devices/count')).body, before);
    });

    test('after all of it the server is well', () => checkHealth(running, station));
  },
  {},
  startServer,
);
