import { setTimeout as wait } from 'node:timers/promises';
import { generateLoad, type Load } from '../load/load.ts';
import { maximum, median, percentile } from '../print/statistics.ts';
import { number } from '../print/table.ts';
import type { Api } from '../trackway.ts';
import type { Finding } from './finding.ts';
import { DEVICE_ID } from './readings-database.ts';

const ROUNDS = 3;
const WATCHED_MS = 2000;
/** Attacks start a little before and end a little after the measurement. */
const MARGIN_MS = 700;
/** After this time the server has ended all searches of attackers that have left. */
const CALM_MS = 2500;
const PAUSE_MS = 3;
const BAR_MS = 50;

const readings = `/devices/${DEVICE_ID}/gatewayReadings`;
const list = (filter: object) => `${readings}?filter=${encodeURIComponent(JSON.stringify(filter))}`;
const count = (where: object) => `${readings}/count?where=${encodeURIComponent(JSON.stringify(where))}`;

/** Filters that no index serves. Each of them reads all readings. */
const HOSTILE: Record<string, string> = {
  'inside value': list({ where: { 'value.x': { gt: 1e9 } } }),
  like: list({ where: { correlationId: { like: '%nowhere%' } } }),
  regexp: list({ where: { correlationId: { regexp: '(a|aa)+(b|bb)+z$' } } }),
  'order inside value': list({ order: 'value.x DESC', limit: 10_000 }),
  '10 000 rows': list({ limit: 10_000 }),
  'count by like': count({ sensorDeviceId: { like: '%nowhere%' } }),
};

/** The latency of operation 1 while two users search without pause, and without them. */
export async function hostileFilters(victim: Api, attackers: readonly Api[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [name, path] of Object.entries(HOSTILE)) {
    const alone: number[][] = [];
    const disturbed: number[][] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      alone.push(await watch(victim));
      disturbed.push(await whileAttacked(attackers, path, () => watch(victim)));
    }
    const usual = median(alone.flat());
    const delays = disturbed.map((times) => maximum(times) - usual);
    const p99 = percentile(disturbed.flat(), 99);
    findings.push({
      what: `operation 1 during a search ${name}: longest delay`,
      median: `${number(median(delays), 1)} ms (p99 ${number(p99, 1)}; alone p99 ${number(percentile(alone.flat(), 99), 1)}, max ${number(median(alone.map(maximum)), 1)})`,
      worst: `${number(maximum(delays), 1)} ms`,
      bar: `≤ ${BAR_MS} ms`,
      isMet: median(delays) <= BAR_MS,
    });
  }
  return findings;
}

/** Calls operation 1 repeatedly for a while and returns the latencies. */
async function watch(victim: Api): Promise<number[]> {
  const times: number[] = [];
  const endsAt = performance.now() + WATCHED_MS;
  while (performance.now() < endsAt) {
    const startedAt = performance.now();
    await victim.get(`${readings}/1`);
    times.push(performance.now() - startedAt);
    await wait(PAUSE_MS);
  }
  return times;
}

/**
 * The attackers run in a separate process, so that their answers take no time of the measuring one. A search that is
 * refused for taking too long has still caused its load.
 */
async function whileAttacked<T>(attackers: readonly Api[], path: string, work: () => Promise<T>): Promise<T> {
  const load: Load = {
    address: attackers[0]!.address,
    requests: attackers.map(({ headers }) => ({ method: 'GET', path: `/api${path}`, headers })),
    connections: attackers.length,
    seconds: (WATCHED_MS + 2 * MARGIN_MS) / 1000,
  };
  const attack = generateLoad(load);
  await wait(MARGIN_MS);
  const result = await work();
  await attack;
  await wait(CALM_MS);
  return result;
}
