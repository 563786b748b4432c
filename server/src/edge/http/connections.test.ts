import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { endUnread, inTurn } from './connections.ts';

const LARGE = Buffer.alloc(8 * 1024 * 1024, 'x');
const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

async function serve(t: TestContext, handle: RequestListener): Promise<{ server: Server; open(): Promise<Socket> }> {
  const server = createServer(handle);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    server,
    async open() {
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
      socket.on('error', () => {});
      await once(socket, 'connect');
      t.after(() => socket.destroy());
      return socket;
    },
  };
}

test('the next answer of a connection is made when the one before was read', async (t) => {
  let [under, most, made] = [0, 0, 0];
  const { open } = await serve(
    t,
    inTurn((_request, response) => {
      under += 1;
      made += 1;
      most = Math.max(most, under);
      response.on('close', () => {
        under -= 1;
      });
      response.end(LARGE);
    }),
  );
  const socket = await open();
  socket.write(REQUEST.repeat(20));
  await eventually('the first is made', () => made === 1);
  // Another connection does not wait for it.
  const other = await open();
  other.resume().write(REQUEST);
  await eventually('the other is answered', () => made >= 2 && other.bytesRead > LARGE.length);
  assert.equal(made, 2, 'who does not read gets no second answer');
  socket.resume();
  await eventually('all are answered', () => socket.bytesRead > 20 * LARGE.length);
  assert.equal(made, 21);
  assert.ok(most <= 2, `${most} at once on two connections`);
});

test('too many requests that wait end the connection', async (t) => {
  const { open } = await serve(
    t,
    inTurn((_request, response) => response.end(LARGE)),
  );
  const socket = await open();
  socket.write(REQUEST.repeat(300));
  await eventually('it is ended', () => {
    if (!socket.destroyed) socket.write('\r\n');
    return socket.destroyed;
  });
});

test('who reads slowly is let be; who reads nothing is let go', async (t) => {
  const { server, open } = await serve(t, (_request, response) => response.end(LARGE));
  endUnread(server, 2000, 100);
  const [slow, deaf, idle] = [await open(), await open(), await open()];
  slow.write(REQUEST);
  deaf.write(REQUEST);
  // A piece every now and then.
  slow.pause();
  const sipping = setInterval(() => slow.read(), 20);
  t.after(() => clearInterval(sipping));
  await eventually('the deaf one is let go', () => {
    if (!deaf.destroyed) deaf.write('\r\n');
    return deaf.destroyed;
  });
  await eventually('the slow one has it all', () => slow.bytesRead > LARGE.length);
  assert.ok(!idle.destroyed, 'nothing waits for it');
});
