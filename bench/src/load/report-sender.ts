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

const { lanes, endedAt } = makeLanes(sending, sending.endpoint === undefined ? reportRequest : phoneRequest);
const sockets = await Promise.all(lanes.map(open));
const startedAt = performance.now();
await Promise.all(lanes.map((requests, lane) => sendAll(requests, sockets[lane]!, lane)));
const sent = outcome.sum(sending, startedAt, endedAt);
for (const socket of sockets) socket.destroy();

process.stdout.write(JSON.stringify(sent));

function reportRequest(key: string, body: string): Buffer {
  return requestOf('POST /ingest/reports', body, [`authorization: ${key}`, 'content-type: application/json']);
}

/** A position as the app of a phone sends it. */
function phoneRequest(key: string, report: string): Buffer {
  const [{ timestamp, location, speed, course, accuracy, batteryPct }] = JSON.parse(report).points;
  const { lat, lng: lon } = location;
  const seconds = new Date(timestamp).getTime() / 1000;
  if (sending.endpoint === 'owntracks') {
    const body = {
      _type: 'location',
      lat,
      lon,
      tst: seconds,
      acc: accuracy,
      vel: speed,
      cog: course,
      batt: batteryPct,
    };
    return requestOf(`POST /ingest/owntracks?key=${key}`, JSON.stringify(body), ['content-type: application/json']);
  }
  const name = sending.endpoint === 'osmand-id' ? 'id' : 'key';
  const query = { [name]: key, timestamp: seconds, lat, lon, speed, bearing: course, accuracy, batt: batteryPct };
  return requestOf(`POST /ingest/osmand?${new URLSearchParams(query as Record<string, string>)}`, '');
}

function requestOf(line: string, body: string, headers: readonly string[] = []): Buffer {
  const head = [
    `${line} HTTP/1.1`,
    `host: ${hostname}:${port}`,
    ...headers,
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
