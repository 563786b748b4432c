import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { makeLanes, Outcome } from './lanes.ts';
import type { Sending } from './sending.ts';

/**
 * The process that simulates devices which report over a web socket, one each: reads its task as JSON, sends, and prints
 * the result as JSON. It writes frames by hand, because on two cores the sender takes its processor time from the server.
 */

/** Reports of a socket that are not answered yet. */
const UNDER_WAY = 8;
const TEXT = 0x81;
const MASKED = 0x80;

const sending = JSON.parse(await text(process.stdin)) as Sending;
const { hostname, port } = new URL(sending.address);
const { lanes, endedAt } = makeLanes({ ...sending, connections: sending.keys.length }, (_key, report, number) =>
  frameOf(`{"id":${number},"report":${report}}`),
);
const outcome = new Outcome();
const sockets = await Promise.all(sending.keys.map(open));
const startedAt = performance.now();
await Promise.all(lanes.map((frames, lane) => sendAll(frames, sockets[lane]!)));
const sent = outcome.sum(sending, startedAt, endedAt);
for (const socket of sockets) socket.destroy();

process.stdout.write(JSON.stringify(sent));

/** A text frame. Its mask is of zeros: the server removes it all the same. */
function frameOf(payload: string): Buffer {
  const bytes = Buffer.from(payload);
  const head = bytes.length < 126 ? Buffer.alloc(6) : Buffer.alloc(8);
  head[0] = TEXT;
  head[1] = MASKED | Math.min(bytes.length, 126);
  if (bytes.length >= 126) head.writeUInt16BE(bytes.length, 2);
  return Buffer.concat([head, bytes]);
}

async function open(key: string): Promise<Socket> {
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await once(socket, 'connect');
  const head = [
    'GET /ingest/stream HTTP/1.1',
    `host: ${hostname}:${port}`,
    `authorization: ${key}`,
    'connection: Upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
    'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  if (!answer.toString('latin1').startsWith('HTTP/1.1 101')) throw new Error(answer.toString('latin1'));
  return socket;
}

/** Keeps some reports under way until all are answered. */
function sendAll(frames: readonly Buffer[], socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    const sentAt: number[] = [];
    let answered = 0;
    let remaining: Buffer = Buffer.alloc(0);
    const fill = () => {
      while (sentAt.length < frames.length && sentAt.length - answered < UNDER_WAY) {
        sentAt.push(performance.now());
        socket.write(frames[sentAt.length - 1]!);
      }
      if (answered === frames.length) resolve();
    };
    socket.on('data', (chunk: Buffer) => {
      remaining = remaining.length === 0 ? chunk : Buffer.concat([remaining, chunk]);
      for (let length = lengthOf(remaining); length !== undefined; length = lengthOf(remaining)) {
        const answer = remaining.toString('latin1', 0, length);
        outcome.take(performance.now() - sentAt[answered]!, answer, answer.includes('"status":200'));
        remaining = remaining.subarray(length);
        answered += 1;
      }
      fill();
    });
    socket.once('close', () => reject(new Error('The connection was closed')));
    fill();
  });
}

/** The length of the first frame with its head; absent while it is not whole. */
function lengthOf(bytes: Buffer): number | undefined {
  if (bytes.length < 4) return undefined;
  const length = bytes[1]! < 126 ? 2 + bytes[1]! : 4 + bytes.readUInt16BE(2);
  return bytes.length < length ? undefined : length;
}
