import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { MIGRATIONS } from '../../server/src/domain/schema/migrations.ts';
import { onBothEngines } from '../../server/src/testing/databases.ts';
import { eventually } from '../../server/src/testing/eventually.ts';
import { lookInto } from '../../server/src/testing/place.ts';
import { apiOf } from './harness/api.ts';
import { startServer } from './harness/server-process.ts';
import { makeStation } from './harness/station.ts';
import { SocketClient } from './harness/web-socket.ts';

/** A server that gets the signal to stop ends with 0, whatever hangs; what was being sent waits for the next start. */

const ARN = 'arn:aws:sqs:eu-west-1:123456789012:queue';

/** Takes connections and what is sent over them, and never says a word. */
async function silentEnd(): Promise<{ port: number; readonly bytes: number; close(): void }> {
  const sockets = new Set<Socket>();
  let bytes = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      bytes += chunk.length;
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    get bytes() {
      return bytes;
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

onBothEngines('a server that gets the signal to stop', { migrations: [] }, (open) => {
  test('ends with 0 though every destination hangs and clients stall; what was being sent arrives after the next start', async (t) => {
    const ends = await Promise.all([silentEnd(), silentEnd(), silentEnd(), silentEnd()]);
    t.after(() => {
      for (const end of ends) end.close();
    });
    const [hook, smtp, mqtt, sqs] = ends;
    const place = await open.migratedPlace(MIGRATIONS);
    const server = await startServer(open.storeKind, place, {
      TRACKWAY_ALLOW_TARGETS: '127.0.0.0/8',
      TRACKWAY_SMTP_URL: `smtp://127.0.0.1:${smtp!.port}`,
      TRACKWAY_SMTP_FROM: 'Trackway <track@example.com>',
      TRACKWAY_MQTT_URL: `mqtt://127.0.0.1:${mqtt!.port}`,
      TRACKWAY_SQS_ENDPOINT: `http://127.0.0.1:${sqs!.port}`,
      TRACKWAY_SQS_ALLOW: '*',
      AWS_ACCESS_KEY_ID: 'x',
      AWS_SECRET_ACCESS_KEY: 'x',
    });
    const api = apiOf(server.address);
    t.after(() => api.close());
    const { owner, device } = await makeStation(api);
    const { deviceKey } = await owner.client.rotateDeviceKey({ id: device });
    const endpoint = `http://127.0.0.1:${hook!.port}/`;
    await owner.client.createNotificationTrigger({
      id: device,
      body: {
        type: 'newMsg',
        delivery: { http: true, email: true, mqtt: true, sqs: true, sqsArn: ARN },
        parameters: { endpoint, email: owner.email },
      },
    });

    // A live stream that stays open, an answer that nobody reads, a body that never ends.
    const { hostname, port } = new URL(server.address);
    const stalled = ['GET /api/live', `GET /api/devices/${device}/points`, `POST /api/devices/${device}/messages`].map(
      (request) => {
        const socket = connect(Number(port), hostname);
        socket.on('error', () => {});
        socket.pause();
        const length = request.startsWith('POST') ? 'content-type: application/json\r\ncontent-length: 100\r\n' : '';
        socket.write(`${request} HTTP/1.1\r\nhost: x\r\nauthorization: ${owner.token}\r\n${length}\r\n`);
        return socket;
      },
    );
    t.after(() => {
      for (const socket of stalled) socket.destroy();
    });

    const stream = new SocketClient(server.address, '/ingest/stream', { authorization: deviceKey! });
    t.after(() => stream.close());
    await stream.opened();

    const said = await api('POST', '/ingest/reports', { token: deviceKey!, body: { messages: [{ message: 'sos' }] } });
    assert.equal(said.status, 200);
    await eventually(
      'the webhook, the queue and the broker have received something',
      () => [hook!, sqs!, mqtt!].map(({ bytes }) => bytes),
      (received) => received.every((bytes) => bytes > 0),
    );
    assert.equal(await server.stop(), 0, server.output());
    await stream.until(({ closed }) => closed !== undefined, 'the end of the web socket of the device');
    assert.deepEqual(stream.closed, { code: 1001, reason: 'the server stops' });

    const rows = await lookInto(place, (store) =>
      store.query.selectFrom('outbox').select(['state', 'attempts', 'attemptLog', 'messageId']).execute(),
    );
    assert.ok(rows.length >= 3);
    assert.deepEqual([...new Set(rows.map(({ state }) => state))], ['queued'], JSON.stringify(rows));
    const interrupted = rows.filter(({ attemptLog }) => attemptLog?.includes('The server stopped while'));
    assert.ok(interrupted.length >= 3, JSON.stringify(rows));
    const leases = await lookInto(place, (store) =>
      store.query.selectFrom('destinations').select('leaseOwner').execute(),
    );
    assert.deepEqual([...new Set(leases.map(({ leaseOwner }) => leaseOwner))], [null]);
  });

  test('sends what was broken off right after the next start, under the same id', async (t) => {
    // Answers nothing until the test says so.
    let isAnswering = false;
    const received: string[] = [];
    const receiver = createHttpServer((request, response) => {
      received.push(request.headers['webhook-id'] as string);
      if (isAnswering) response.end();
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    t.after(() => {
      receiver.closeAllConnections();
      receiver.close();
    });
    const target = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const place = await open.migratedPlace(MIGRATIONS);
    const settings = { TRACKWAY_ALLOW_TARGETS: '127.0.0.0/8' };
    const server = await startServer(open.storeKind, place, settings);
    const api = apiOf(server.address);
    t.after(() => api.close());
    const { owner, device } = await makeStation(api);
    const { deviceKey } = await owner.client.rotateDeviceKey({ id: device });
    await owner.client.createForwarder({ id: device, body: { kind: 'http', target } });
    const points = [{ timestamp: Date.now(), location: { lat: 1, lng: 2 } }];
    await api('POST', '/ingest/reports', { token: deviceKey!, body: { points } });
    await eventually('the webhook is called', () => received.length > 0);
    assert.equal(await server.stop(), 0, server.output());
    isAnswering = true;
    const next = await startServer(open.storeKind, place, settings);
    const delivered = await eventually(
      'it is sent',
      () =>
        lookInto(place, (store) =>
          store.query.selectFrom('outbox').select(['state', 'attempts', 'messageId']).executeTakeFirstOrThrow(),
        ),
      ({ state }) => state === 'sent',
    );
    await next.stop();
    assert.equal(delivered.attempts, 2);
    assert.deepEqual(received, [delivered.messageId, delivered.messageId], 'each request is an attempt on record');
  });
});
