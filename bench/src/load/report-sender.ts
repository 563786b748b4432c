import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { makeLanes, Outcome } from './lanes.ts';
import type { Sending } from './sending.ts';

/**
 * The process that simulates a fleet: reads its task as JSON, generates all reports, sends them, and prints the result
 * as JSON. It writes HTTP by hand, because on two cores the sender takes its processor time from the server.
 */

const sending = JSON.parse(await text(process.stdin)) as Sending;
const { hostname, port } = new URL(sending.address);
const outcome = new Outcome();

const { lanes, endedAt } = makeLanes(sending, requestOf);
const sockets = await Promise.all(lanes.map(open));
const startedAt = performance.now();
await Promise.all(lanes.map((requests, lane) => sendAll(requests, sockets[lane]!, lane)));
const sent = outcome.sum(sending, startedAt, endedAt);
for (const socket of sockets) socket.destroy();

process.stdout.write(JSON.stringify(sent));

function requestOf(key: string, body: string): Buffer {
  const head = [
    'POST /ingest/reports HTTP/1.1',
    `host: ${hostname}:${port}`,
    `authorization: ${key}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}

async function open(): Promise<Socket> {
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await once(socket, 'connect');
  return socket;
}

async function sendAll(requests: readonly Buffer[], socket: Socket, lane: number): Promise<void> {
  const { everyMs = 0, connections } = sending;
  // Paced connections start one after the other.
  const firstAt = startedAt + (lane * everyMs) / connections;
  for (const [index, request] of requests.entries()) {
    const dueAt = firstAt + index * everyMs;
    const early = dueAt - performance.now();
    if (everyMs > 0 && early > 0) await pause(early);
    // With a pace, the latency counts from the scheduled time: a server that stalls also delays the following reports.
    const from = everyMs > 0 ? dueAt : performance.now();
    const answer = await exchange(socket, request);
    outcome.take(performance.now() - from, answer, answer.startsWith('HTTP/1.1 200'));
  }
}

function exchange(socket: Socket, request: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const take = (chunk: Buffer) => {
      answer += chunk.toString('latin1');
      if (!isWhole(answer)) return;
      socket.removeListener('data', take);
      socket.removeListener('close', fail);
      resolve(answer);
    };
    const fail = () => reject(new Error(`The connection was closed after ${JSON.stringify(answer)}`));
    socket.on('data', take);
    socket.once('close', fail);
    socket.write(request);
  });
}

function isWhole(answer: string): boolean {
  const end = answer.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const length = Number(/^content-length: (\d+)/im.exec(answer.slice(0, end))?.[1]);
  return answer.length >= end + 4 + length;
}
