import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { createFleet } from '@trackway/simulator/fleet.ts';
import { calm } from '@trackway/simulator/profile.ts';
import { Reporter } from '@trackway/simulator/reporter.ts';
import { gt06Place } from '@trackway/simulator/trackers/gt06.ts';
import { isLocated, type LocatedPoint } from '@trackway/simulator/trackers/voice.ts';
import { VOICES, type VoiceName } from '@trackway/simulator/trackers/voices.ts';
import { percentile } from '../print/statistics.ts';
import { CITY } from './sending.ts';

/** The reports of trackers, each over a connection of its own. */
export interface TrackerSending {
  readonly port: number;
  readonly voice: VoiceName;
  readonly identities: readonly string[];
  /** Of each device. */
  readonly reports: number;
  readonly startAt: number;
  /** Seconds between the fixes of a device; by default 10. */
  readonly intervalS?: number;
  /** The interval of the reports of a device; by default each follows the previous answer. */
  readonly everyMs?: number;
  /** GT06: positions without the ignition. */
  readonly placeAlone?: boolean;
}

export interface TrackersSent {
  readonly positions: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** The process that simulates trackers: reads its task as JSON, says `connected`, sends, prints the result, and stays
 * connected until it is ended. */
const sending = JSON.parse(await text(process.stdin)) as TrackerSending;
const voice = VOICES[sending.voice];
const latencies: number[] = [];
const CONNECTING_AT_ONCE = 50;

const frames = makeFrames();
const lines = await connectAll();
process.stdout.write('connected\n');
const startedAt = performance.now();
await Promise.all(lines.map((line, index) => sendAll(line, frames[index]!, index)));
const sent: TrackersSent = {
  positions: latencies.length,
  seconds: (performance.now() - startedAt) / 1000,
  p50Ms: percentile(latencies, 50),
  p99Ms: percentile(latencies, 99),
};
process.stdout.write(`${JSON.stringify(sent)}\n`);
// Idle connections keep it alive.
process.on('SIGTERM', () => process.exit(0));

function makeFrames(): Buffer[][] {
  const { identities, reports, startAt, intervalS = 10 } = sending;
  const profile = { ...calm, intervalsS: [intervalS], packing: 1 };
  const { devices } = createFleet({
    devices: identities.length,
    seed: CITY.seed,
    city: CITY,
    profile,
    shift: 'always',
  });
  return devices.map((device, index) => {
    const reporter = new Reporter(device, startAt);
    const made: Buffer[] = [];
    while (made.length < reports) {
      const points = reporter.next().points.filter(isLocated);
      if (points.length > 0) made.push(frameOf(identities[index]!, points[0]!, made.length + 1));
    }
    return made;
  });
}

function frameOf(identity: string, point: LocatedPoint, serial: number): Buffer {
  return sending.placeAlone ? gt06Place(point, serial) : voice.report(identity, [point], serial);
}

interface TrackerConnection {
  readonly socket: Socket;
  /** Resolves at the next answer. */
  answered(): Promise<void>;
}

async function connectAll(): Promise<TrackerConnection[]> {
  const all: TrackerConnection[] = [];
  let next = 0;
  const work = async () => {
    while (next < sending.identities.length) {
      const index = next++;
      all[index] = await dial(sending.identities[index]!);
    }
  };
  await Promise.all(Array.from({ length: CONNECTING_AT_ONCE }, work));
  return all;
}

async function dial(identity: string): Promise<TrackerConnection> {
  const socket = connect({ host: '127.0.0.1', port: sending.port, noDelay: true });
  await once(socket, 'connect');
  const fail = (problem: string) => {
    console.error(`${problem} ${identity}.`);
    process.exit(1);
  };
  let onAnswer: (() => void) | undefined;
  let remaining: Buffer = Buffer.alloc(0);
  let isLoggedIn = voice.login === undefined;
  // One frame is under way at a time.
  socket.on('data', (bytes) => {
    const read = voice.onData(Buffer.concat([remaining, bytes]), isLoggedIn);
    remaining = read.remaining;
    if (read.answers.includes('refused')) fail('The server refused');
    if (!read.answers.includes(isLoggedIn ? 'confirmed' : 'accepted')) return;
    isLoggedIn = true;
    onAnswer?.();
  });
  socket.on('close', () => fail('The server hung up on'));
  const answered = () =>
    new Promise<void>((resolve) => {
      onAnswer = resolve;
    });
  if (voice.login) {
    const accepted = answered();
    socket.write(voice.login(identity));
    await accepted;
  }
  return { socket, answered };
}

async function sendAll({ socket, answered }: TrackerConnection, all: readonly Buffer[], index: number): Promise<void> {
  const { everyMs = 0, identities } = sending;
  const firstAt = startedAt + (index * everyMs) / identities.length;
  for (const [report, frame] of all.entries()) {
    const dueAt = firstAt + report * everyMs;
    const early = dueAt - performance.now();
    if (everyMs > 0 && early > 0) await pause(early);
    const from = everyMs > 0 ? dueAt : performance.now();
    const answer = answered();
    socket.write(frame);
    await answer;
    latencies.push(performance.now() - from);
  }
}
