import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startPostgres } from '@trackway/server/testing/postgres-server.ts';
import pg from 'pg';
import { scatteredFences } from './fleet/scattered-fences.ts';
import { startFleet, type TrackedFleet } from './fleet/tracked-fleet.ts';
import { type MeasuredSent, type Sending, type Sent, send } from './load/sending.ts';
import { type PeerServer, startPeer } from './peers/peer-server.ts';
import { cpuTimeMs } from './print/cpu-time.ts';
import { loadAverage } from './print/machine.ts';
import { postgresCpuMs } from './print/postgres-cpu.ts';
import { median } from './print/statistics.ts';
import { number, printTable } from './print/table.ts';
import { outputOf } from './process.ts';

/**
 * The same positions, one at a time on many connections, to alternatives, in one run. A figure means
 * nothing without what the answer promises, so the table shows both.
 */

const ROUNDS = 5;
const WARMING_ROUNDS = 3;
const DEVICES = 500;
const CONNECTIONS = 64;
const FENCES = 1000;
const REPORTS = 12_000;
const INTERVAL_S = 1;
const READY_MS = 100;
const STARTS = 100;

interface Peer {
  readonly name: string;
  /** What is true once it has answered. */
  readonly promise: string;
  /** What it does with a position besides. */
  readonly does: string;
  send(sending: Omit<Sending, 'address' | 'keys'>): Promise<MeasuredSent>;
}

const OURS = 'evaluates fences and triggers, trips, live log, outbox';
const DURABLE = 'on disk';

export async function benchPeers(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'trackway-bench-'));
  const postgres = await startPostgres({ durable: true });
  const client = new pg.Client({ connectionString: postgres.url });
  const ends: (() => Promise<unknown>)[] = [];
  try {
    await client.connect();
    const size = { devices: DEVICES, fences: scatteredFences(FENCES, 7000) };
    const onSqlite = await startFleet(join(folder, 'sqlite'), size);
    ends.push(() => onSqlite.server.stop());
    const onPostgres = await startFleet(postgres.url, size);
    ends.push(() => onPostgres.server.stop());
    const keys = onSqlite.keys.map((_, index) => `device-${index}`);
    const peers: Peer[] = [
      { name: 'Trackway', promise: DURABLE, does: OURS, send: (load) => toTrackway(onSqlite, load) },
      {
        name: 'Trackway, /ingest/stream',
        promise: DURABLE,
        does: OURS,
        send: (load) => toTrackway(onSqlite, { ...load, overSocket: true }),
      },
      {
        name: 'Trackway on PostgreSQL',
        promise: DURABLE,
        does: OURS,
        send: (load) => withDatabase(client, () => toTrackway(onPostgres, load)),
      },
      {
        name: 'plain SQLite, no server',
        promise: DURABLE,
        does: 'a row and one index',
        send: (load) => insertRows(join(folder, 'plain'), keys, load),
      },
      {
        name: 'plain PostgreSQL',
        promise: DURABLE,
        does: 'a row and one index',
        send: (load) => withDatabase(client, () => insertRows(postgres.url, keys, load)),
      },
    ];
    mkdirSync(join(folder, 'plain'));
    const redis = await startPeer('redis-server', (port) => [
      ...['--port', String(port), '--bind', '127.0.0.1', '--dir', made(folder, 'redis'), '--save', ''],
      ...['--appendonly', 'yes', '--appendfsync', 'always'],
    ]);
    if (redis) {
      ends.push(() => redis.stop());
      const command = ['XADD', '$device', '*', 'time', '$time', 'lat', '$lat', 'lng', '$lng', 'speed', '$speed'];
      peers.push({
        name: 'Redis, a stream per device',
        promise: DURABLE,
        does: 'an entry, all history in memory',
        send: (load) => sendCommands(redis, command, keys, load),
      });
    } else console.log('SKIPPED: Redis. There is no redis-server on the path; Debian has it as redis-server.');
    const tile38 = await startPeer('tile38-server', (port) => [
      ...['-p', String(port), '-h', '127.0.0.1', '-d', made(folder, 'tile38'), '-q'],
    ]);
    if (tile38) {
      ends.push(() => tile38.stop());
      const command = ['SET', 'fleet', '$device', 'FIELD', 'speed', '$speed', 'POINT', '$lat', '$lng'];
      peers.push({
        name: 'Tile38',
        promise: 'in memory, on disk within a second',
        does: 'the last position only, an index by place',
        send: (load) => sendCommands(tile38, command, keys, load),
      });
    } else
      console.log(
        'SKIPPED: Tile38. There is no tile38-server on the path: go install github.com/tidwall/tile38/cmd/tile38-server@latest',
      );
    for (const server of [redis, tile38]) if (server) await answers(server);
    await compare(peers);
  } finally {
    for (const end of ends.reverse()) await end();
    await client.end();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compare(peers: readonly Peer[]): Promise<void> {
  const rounds = new Map<Peer, MeasuredSent[]>(peers.map((peer) => [peer, []]));
  const ended = new Map<Peer, number>();
  for (let round = -WARMING_ROUNDS; round < ROUNDS; round++)
    for (const peer of peers) {
      // A fleet goes on where it was: the same position again would be a duplicate.
      const startAt = Math.max(ended.get(peer) ?? 0, Date.now() - 10 * 60_000);
      const sent = await peer.send({
        reports: REPORTS,
        positions: 1,
        connections: CONNECTIONS,
        startAt,
        intervalS: INTERVAL_S,
      });
      ended.set(peer, sent.endedAt);
      if (round >= 0) rounds.get(peer)!.push(sent);
    }
  const of = (peer: Peer, what: 'perSecond' | 'p50Ms' | 'p99Ms' | 'cpuUs') =>
    median(rounds.get(peer)!.map((round) => round[what]));
  printTable(
    `One position at a time: ${DEVICES} devices, ${CONNECTIONS} connections, medians of ${ROUNDS} rounds after ${WARMING_ROUNDS}, load average ${loadAverage()}`,
    [
      'what',
      'positions/s',
      'p50 ms',
      'p99 ms',
      'processor µs',
      'when it answers, a position is',
      'what it does with it',
    ],
    peers.map((peer) => [
      peer.name,
      number(of(peer, 'perSecond')),
      number(of(peer, 'p50Ms'), 1),
      number(of(peer, 'p99Ms'), 1),
      number(of(peer, 'cpuUs')),
      peer.promise,
      peer.does,
    ]),
  );
}

type Load = Omit<Sending, 'address' | 'keys'>;

const toTrackway = ({ server, keys }: TrackedFleet, load: Load) =>
  send({ ...load, address: server.address, keys }, server.pid);

async function insertRows(place: string, keys: readonly string[], load: Load): Promise<MeasuredSent> {
  const input = JSON.stringify({ ...load, place, keys, address: '' });
  const sent = JSON.parse(await outputOf({ arguments: ['bench/src/peers/row-sender.ts'], input }));
  return measured(sent, sent.cpuMs ?? 0);
}

async function sendCommands(
  { address, pid }: PeerServer,
  command: readonly string[],
  keys: readonly string[],
  load: Load,
): Promise<MeasuredSent> {
  const before = cpuTimeMs(pid) ?? Number.NaN;
  const input = JSON.stringify({ ...load, address, keys, command });
  const sent: Sent = JSON.parse(await outputOf({ arguments: ['bench/src/peers/command-sender.ts'], input }));
  if (sent.failures > 0) throw new Error(`${sent.failures} commands were refused: ${sent.lastFailure}`);
  return measured(sent, (cpuTimeMs(pid) ?? Number.NaN) - before);
}

const measured = (sent: Sent, cpuMs: number): MeasuredSent => ({
  ...sent,
  perSecond: sent.positions / sent.seconds,
  cpuUs: (cpuMs * 1000) / sent.positions,
});

/** Adds what the database server took. */
async function withDatabase(client: pg.Client, sending: () => Promise<MeasuredSent>): Promise<MeasuredSent> {
  const before = await postgresCpuMs(client);
  const sent = await sending();
  const databaseMs = (await postgresCpuMs(client)) - before;
  return { ...sent, cpuUs: sent.cpuUs + (databaseMs * 1000) / sent.positions };
}

function made(folder: string, name: string): string {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
}

async function answers({ address }: PeerServer): Promise<void> {
  const { hostname, port } = new URL(address);
  for (let start = 0; start < STARTS; start++) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect({ host: hostname, port: Number(port) });
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (isOpen) return;
    await pause(READY_MS);
  }
  throw new Error(`Nothing answers at ${address}`);
}
