import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

/** The process of the hostile user: it reads its task as JSON, attacks until it is over, and prints what it got. */

export interface Attack {
  readonly address: string;
  readonly name: AttackName;
  readonly token: string;
  readonly deviceId: number;
  readonly deviceKey: string;
  /** A static file of the console, where it is built. */
  readonly asset: string;
  readonly seconds: number;
}

export interface Attacked {
  readonly requests: number;
  /** How often each status came. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly cpuMs: number;
}

export type AttackName = keyof typeof ATTACKS;

const attack = JSON.parse(await text(process.stdin)) as Attack;
const { address, token, deviceId, deviceKey } = attack;
const { hostname, port } = new URL(address);
const statuses: Record<string, number> = {};
let requests = 0;
const before = process.cpuUsage();
const endsAt = performance.now() + attack.seconds * 1000;
const isOver = () => performance.now() > endsAt;
/** The time of the last position that was reported. */
let lastAt = Date.now() - 6 * 3_600_000;

const ATTACKS = {
  exports: () => side(60, () => call(`/devices/${deviceId}/export?format=geojson&from=2020-01-01T00:00:00Z`)),
  trials: () =>
    side(40, () =>
      call(`/devices/${deviceId}/notificationTriggers/try`, { type: 'speed', parameters: { limit: 1 }, days: 30 }),
    ),
  'reports of 200 points': () => side(2, () => report(200)),
  'reports of 2 000 points': () => side(2, () => report(2000)),
  // 2 000 requests a minute, and as many reports of one point as are answered.
  flood: () => Promise.all([side(8, () => report(1)), paced(30, () => call('/devices'))]),
  'unread answers': () => side(20, unread),
  'slow requests': () => side(200, slow),
  'huge filters': () => side(8, () => call(`/devices/${deviceId}/points?filter=${encodeURIComponent(HUGE)}`)),
};

/** No index serves it, and it is long. */
const HUGE = JSON.stringify({
  where: {
    or: Array.from({ length: 60 }, (_, index) => ({ 'meta.note': { regexp: `^(a|b|c)*${index}.*z$` } })).concat(
      Array.from({ length: 20 }, (_, index) => ({
        altitude: { inq: Array.from({ length: 40 }, (_, n) => n * index) },
      })) as never,
    ),
  },
  order: 'altitude DESC',
  limit: 100_000,
});

await ATTACKS[attack.name]();
const { user, system } = process.cpuUsage(before);
process.stdout.write(JSON.stringify({ requests, statuses, cpuMs: (user + system) / 1000 } satisfies Attacked));
process.exit(0);

async function side(connections: number, act: () => Promise<unknown>): Promise<void> {
  const lane = async () => {
    while (!isOver()) {
      requests++;
      await act().catch(() => count('failed'));
    }
  };
  await Promise.race([Promise.all(Array.from({ length: connections }, lane)), pause(attack.seconds * 1000)]);
}

async function paced(everyMs: number, act: () => Promise<unknown>): Promise<void> {
  while (!isOver()) {
    requests++;
    void act().catch(() => count('failed'));
    await pause(everyMs);
  }
}

function count(status: number | string): void {
  statuses[status] = (statuses[status] ?? 0) + 1;
}

async function call(path: string, body?: object): Promise<void> {
  const response = await fetch(`${address}/api${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: token, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  count(response.status);
  for await (const _ of response.body ?? []);
  // Who is refused tries again soon, but does not burn the processor that the others need.
  if (response.status >= 400) await pause(500);
}

async function report(positions: number): Promise<void> {
  const points = Array.from({ length: positions }, (_, index) => ({
    timestamp: lastAt + (index + 1) * 5,
    location: { lat: 51.5 + (index % 1000) / 1e5, lng: -0.1 },
    speed: 60,
    accuracy: 5,
  }));
  lastAt += positions * 5;
  const headers = { authorization: deviceKey, 'content-type': 'application/json' };
  const response = await fetch(`${address}/ingest/reports`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ points }),
  });
  count(response.status);
  await response.arrayBuffer();
}

function open(): Socket {
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => {});
  return socket;
}

/** Asks many times for a large file on one connection and never reads. */
async function unread(): Promise<void> {
  const socket = open();
  socket.pause();
  socket.write(`GET ${attack.asset} HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`.repeat(400));
  await Promise.race([new Promise((resolve) => socket.once('close', resolve)), pause(attack.seconds * 1000)]);
  count('ended');
  socket.destroy();
}

/** Sends a report a byte at a time. */
async function slow(): Promise<void> {
  const socket = open();
  const head = `POST /ingest/reports HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: ${deviceKey}\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n`;
  socket.write(`${head}{`);
  while (!isOver() && !socket.destroyed) {
    socket.write(' ');
    await pause(100);
  }
  count('ended');
  socket.destroy();
}
