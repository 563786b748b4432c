import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { percentile } from '../print/statistics.ts';

/**
 * The process of the ordinary users: each reports, reads and follows the live stream at an easy pace, and every answer is
 * timed. It reads its task as JSON and prints the result as JSON.
 */

export interface OrdinaryUser {
  readonly token: string;
  readonly userId: number;
  readonly deviceId: number;
  readonly deviceKey: string;
}

export interface OrdinaryUse {
  readonly address: string;
  readonly users: readonly OrdinaryUser[];
  readonly seconds: number;
}

export interface Experience {
  readonly answers: number;
  readonly failures: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** From the reception of a position until the live stream brings it. */
  readonly liveP99Ms: number;
  /** Processor time of this process. */
  readonly cpuMs: number;
  /** The slowest kind of request, by its p99. */
  readonly slowest: string;
}

/** The newest positions, as the console asks for them. */
const LIST = encodeURIComponent(JSON.stringify({ limit: 50, order: 'timestamp DESC' }));

const { address, users, seconds } = JSON.parse(await text(process.stdin)) as OrdinaryUse;
const latencies = new Map<string, number[]>();
const delays: number[] = [];
let failures = 0;
const before = process.cpuUsage();
const endsAt = performance.now() + seconds * 1000;

await Promise.all(
  users.flatMap((user, index) => [
    follow(user),
    // A position each 250 ms, a batch each second, reads in between; users start one after the other.
    every(250, index * 13, 'report', () => report(user, 1)),
    every(1000, index * 57, 'batch', () => report(user, 20)),
    every(250, index * 31, 'point read', () => read(user, `/devices/${user.deviceId}`)),
    every(500, index * 43, 'list', () => read(user, `/devices/${user.deviceId}/points?filter=${LIST}`)),
    every(500, index * 71, 'health', () => fetch(`${address}/healthz`)),
  ]),
);
const { user: own, system } = process.cpuUsage(before);
const all = [...latencies.values()].flat();
const [slowest] = [...latencies].sort(([, a], [, b]) => percentile(b, 99) - percentile(a, 99));
const experience: Experience = {
  answers: all.length,
  failures,
  p50Ms: percentile(all, 50),
  p99Ms: percentile(all, 99),
  maxMs: percentile(all, 100),
  liveP99Ms: percentile(delays, 99),
  cpuMs: (own + system) / 1000,
  slowest: slowest?.[0] ?? '',
};
process.stdout.write(JSON.stringify(experience));
process.exit(0);

async function every(everyMs: number, firstMs: number, kind: string, ask: () => Promise<Response>): Promise<void> {
  const times: number[] = [];
  latencies.set(kind, [...(latencies.get(kind) ?? [])]);
  for (let dueAt = performance.now() + firstMs; dueAt < endsAt; dueAt += everyMs) {
    const early = dueAt - performance.now();
    if (early > 0) await pause(early);
    // Counted from when it was due or could begin: a wait for the previous answer counts for that one.
    const from = performance.now();
    try {
      const response = await ask();
      await response.arrayBuffer();
      if (!response.ok) failures++;
    } catch {
      failures++;
    }
    times.push(performance.now() - from);
  }
  latencies.get(kind)!.push(...times);
}

function report({ deviceKey }: OrdinaryUser, count: number): Promise<Response> {
  const now = Date.now();
  const points = Array.from({ length: count }, (_, index) => ({
    timestamp: now - (count - index) * 10,
    location: { lat: 51.5 + (now % 1000) / 1e5, lng: -0.12 + index / 1e5 },
    speed: 20,
    accuracy: 8,
  }));
  const headers = { authorization: deviceKey, 'content-type': 'application/json' };
  return fetch(`${address}/ingest/reports`, { method: 'POST', headers, body: JSON.stringify({ points }) });
}

function read({ token }: OrdinaryUser, path: string): Promise<Response> {
  return fetch(`${address}/api${path}`, { headers: { authorization: token } });
}

function follow({ token }: OrdinaryUser): Promise<void> {
  return new Promise((resolve) => {
    let remaining = '';
    const request = get(`${address}/api/live`, { headers: { authorization: token } }, (response) => {
      response.setEncoding('latin1').on('data', (chunk: string) => {
        const now = Date.now();
        const blocks = (remaining + chunk).split('\n\n');
        remaining = blocks.pop()!;
        for (const block of blocks)
          if (block.includes('\nevent: position\n'))
            delays.push(now - Date.parse(/"created":"([^"]+)"/.exec(block)![1]!));
      });
    });
    request.on('error', () => {});
    setTimeout(() => {
      request.destroy();
      resolve();
    }, seconds * 1000);
  });
}
