import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { WebSocket, WebSocketServer } from 'ws';
import type { Caller, StreamSink } from '../../../calls.ts';
import { type SocketContext, serveSocket } from './session.ts';

const CALLER: Caller = { userId: 1, admin: false, tokenId: 1 };

/** A socket over a real connection, with a stream that the test writes to. */
async function open(t: TestContext, pingMs: number, autoPong: boolean) {
  let sink: StreamSink | undefined;
  const context: SocketContext = {
    admitFrame: async () => CALLER,
    deviceOf: async () => undefined,
    rightOn: async () => undefined,
    sendMessage: async () => {},
    explain: (error) => ({ message: String(error), isUnknown: false }),
    open(_wanted, into) {
      sink = into;
      return { drained() {}, end() {}, add() {}, remove() {} };
    },
  };
  const sockets = new WebSocketServer({ noServer: true });
  const server = createServer();
  server.on('upgrade', (request, wire, head) =>
    sockets.handleUpgrade(request, wire, head, (socket) =>
      serveSocket(socket, wire as Socket, context, { encoding: 'json', devices: [], isForOne: false, pingMs }),
    ),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, { autoPong });
  t.after(() => {
    client.terminate();
    server.close();
  });
  await once(client, 'open');
  return { client, sink: sink! };
}

test('a client that answers no ping is let go', async (t) => {
  const { client } = await open(t, 10, false);
  const [code] = await once(client, 'close');
  assert.equal(code, 1006);
});

test('one that answers stays', async (t) => {
  // It would be let go after two pings without an answer, which a busy machine must be able to give in time.
  const { client } = await open(t, 1000, true);
  for (let pings = 0; pings < 3; pings++) {
    const left = new AbortController();
    const [what] = await Promise.race(['ping', 'close'].map((name) => once(client, name, left).then(() => [name])));
    left.abort();
    assert.equal(what, 'ping');
  }
});

test('the end of the stream closes it with its reason', async (t) => {
  for (const [reason, code] of [
    ['stop', 1001],
    ['token', 1008],
    ['rights', 1008],
    ['slow', 1013],
    ['failure', 1011],
  ] as const) {
    const { client, sink } = await open(t, 60_000, true);
    sink.end(reason);
    assert.equal((await once(client, 'close'))[0], code);
  }
});
