import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { createFleet } from '@trackway/simulator/fleet.ts';
import { calm } from '@trackway/simulator/profile.ts';
import { Reporter } from '@trackway/simulator/reporter.ts';
import { percentile } from '../print/statistics.ts';
import { CITY, type Sending, type Sent } from './sending.ts';

/**
 * The process that simulates a fleet: reads its task as JSON, generates all reports, sends them, and prints the result
 * as JSON. It writes HTTP by hand, because on two cores the sender takes its processor time from the server.
 */

const sending = JSON.parse(await text(process.stdin)) as Sending;
const { hostname, port } = new URL(sending.address);
const latencies: number[] = [];
let failures = 0;
let lastFailure = '';
let endedAt = 0;

const lanes = makeLanes();
const sockets = await Promise.all(lanes.map(open));
const startedAt = performance.now();
await Promise.all(lanes.map((requests, lane) => sendAll(requests, sockets[lane]!, lane)));
const seconds = (performance.now() - startedAt) / 1000;
for (const socket of sockets) socket.destroy();

const sent: Sent = {
  reports: latencies.length,
  positions: latencies.length * sending.positions,
  seconds,
  p50Ms: percentile(latencies, 50),
  p99Ms: percentile(latencies, 99),
  failures,
  lastFailure,
  endedAt,
};
process.stdout.write(JSON.stringify(sent));

/** The requests of each connection. A device uses one connection only, so that its reports stay in order. */
function makeLanes(): Buffer[][] {
  const { keys, positions, reports, connections, startAt, intervalS } = sending;
  const profile = { ...calm, intervalsS: [intervalS], packing: positions };
  const { devices } = createFleet({ devices: keys.length, seed: CITY.seed, city: CITY, profile, shift: 'always' });
  const reporters = devices.map((device) => new Reporter(device, startAt));
  const made: Buffer[][] = Array.from({ length: connections }, () => []);
  for (let report = 0; report < reports; report += 1) {
    const device = report % keys.length;
    const { points, sentAt } = reporters[device]!.next();
    endedAt = Math.max(endedAt, sentAt);
    const lane = keys.length < connections ? report : device;
    made[lane % connections]!.push(requestOf(keys[device]!, JSON.stringify({ points })));
  }
  return made;
}

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
    latencies.push(performance.now() - from);
    if (answer.startsWith('HTTP/1.1 200')) continue;
    failures += 1;
    lastFailure = answer.slice(0, 500);
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
