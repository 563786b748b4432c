import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { scatteredFences } from './fleet/scattered-fences.ts';
import type { startFleet, TrackedFleet } from './fleet/tracked-fleet.ts';
import { type Sending, send } from './load/sending.ts';
import { cpuTimeMs, untilQuiet } from './print/cpu-time.ts';
import { loadAverage } from './print/machine.ts';
import { median } from './print/statistics.ts';
import { number, printTable } from './print/table.ts';
import { ROOT } from './process.ts';
import type { Api } from './trackway.ts';

/**
 * The path of a fix, against another checkout: `--than=FOLDER`, with its packages installed. Both servers are up at the
 * same time and take turns, so that whatever else the machine does affects both alike.
 */

const DEVICES = 500;
const FENCES = 1000;
const CITY_M = 7000;
const CONNECTIONS = 64;
const RECENT_MS = 25 * 60_000;
const TRACK = 5000;
const TRACK_AGO_MS = 3 * 3_600_000;
const READS = 20;
/** Rounds before the first that counts: servers run for days, and the engine compiles until it has seen most cases. */
const WARM_UP = 3;
const AS_THE_MAP_ASKS = {
  where: { locationType: { neq: 'invalid' } },
  order: ['timestamp ASC', 'id ASC'],
  fields: ['id', 'timestamp', 'location', 'speed', 'course'],
  limit: TRACK,
};

interface Contestant {
  readonly fleet: TrackedFleet;
  readonly folder: string;
  readonly api: Api;
  readonly keeper: { startAt: number };
}

interface Work {
  readonly name: string;
  readonly unit: string;
  readonly rounds: number;
  readonly bar: number;
  run(contestant: Contestant): Promise<number>;
}

const report = (name: string, rounds: number, bar: number, sending: Partial<Sending>): Work => ({
  name,
  unit: 'a position',
  rounds,
  bar,
  async run({ fleet: { server, keys }, keeper }) {
    const load = { reports: 12_000, positions: 1, connections: CONNECTIONS, intervalS: 1, ...sending };
    const sent = await send({ address: server.address, keys, ...load, startAt: keeper.startAt }, server.pid);
    keeper.startAt = sent.endedAt;
    return sent.cpuUs;
  },
});

const track = (name: string, headers: Record<string, string>): Work => ({
  name,
  unit: 'a request',
  rounds: 7,
  bar: 0.4,
  run: (contestant) => readTrack(contestant, headers),
});

const WORKS: readonly Work[] = [
  report('one position per request', 7, 0.75, {}),
  report('the same at 180 a second', 3, 0.7, { reports: 1500, everyMs: (CONNECTIONS * 1000) / 180 }),
  report('100 positions per request', 7, 1, { reports: 300, positions: 100 }),
  track(`a day's track of ${number(TRACK)} points`, {}),
  track('the same, not compressed', { 'accept-encoding': 'identity' }),
];

export async function benchBefore(flags: ReadonlySet<string>): Promise<void> {
  const than = [...flags].map((flag) => /^--than=(.+)$/.exec(flag)?.[1]).find(Boolean);
  if (than === undefined) {
    console.log('\nSKIPPED: the path of a fix against another checkout. Say which: --than=FOLDER');
    return;
  }
  const contestants: Contestant[] = [];
  try {
    for (const tree of [resolve(than), ROOT]) contestants.push(await started(tree));
    const rows = [];
    for (const work of WORKS) {
      const taken: number[][] = contestants.map(() => []);
      for (let round = -WARM_UP; round < work.rounds; round++)
        for (const [index, contestant] of contestants.entries()) {
          const cost = await work.run(contestant);
          if (round >= 0) taken[index]!.push(cost);
        }
      const [before, now] = taken.map((costs) => median(costs)) as [number, number];
      const ratio = now / before;
      rows.push([
        work.name,
        `${number(before)} µs ${work.unit}`,
        `${number(now)} µs`,
        number(ratio, 2),
        `≤ ${work.bar}`,
        ratio <= work.bar ? 'pass' : 'MISS',
      ]);
    }
    printTable(
      `Processor of the server, all threads, medians of rounds in turn, load average ${loadAverage()}`,
      ['work', 'before', 'now', 'now ÷ before', 'bar', ''],
      rows,
    );
  } finally {
    for (const { fleet, folder } of contestants) {
      await fleet.server.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

/** A fleet at the server of a checkout, by its own code. */
async function started(tree: string): Promise<Contestant> {
  const own = <T>(file: string): Promise<T> => {
    const places = [`bench/src/fleet/${file}`, `bench/src/${file}`].map((place) => join(tree, place));
    return import(pathToFileURL(places.find(existsSync) ?? places[0]!).href);
  };
  const fences = await own<{ scatteredFences: typeof scatteredFences }>('scattered-fences.ts');
  const fleets = await own<{ startFleet: typeof startFleet }>('tracked-fleet.ts');
  const folder = mkdtempSync(join(tmpdir(), 'trackway-bench-'));
  const fleet = await fleets.startFleet(folder, {
    devices: DEVICES,
    fences: fences.scatteredFences(FENCES, CITY_M),
  });
  // Each has its own first user.
  const { Api: Its } = await own<{ Api: typeof Api }>('trackway.ts');
  return { fleet, folder, api: await Its.signIn(fleet.server.address), keeper: { startAt: Date.now() - RECENT_MS } };
}

const filled = new Map<Contestant, number>();

async function readTrack(contestant: Contestant, headers: Record<string, string>): Promise<number> {
  const { server, keys } = contestant.fleet;
  const { api } = contestant;
  let deviceId = filled.get(contestant);
  if (deviceId === undefined) {
    const key = keys[0]!;
    const load = { reports: TRACK / 100, positions: 100, connections: 1, intervalS: 1 };
    // They come late, so the device is judged again; that is not what is measured.
    await send({ address: server.address, keys: [key], ...load, startAt: Date.now() - TRACK_AGO_MS }, server.pid);
    await untilQuiet(server.pid);
    const [device] = (await api.get('/devices?filter={"where":{"name":"Device 0"}}')) as unknown as { id: number }[];
    deviceId = device!.id;
    filled.set(contestant, deviceId);
  }
  const filter = encodeURIComponent(JSON.stringify(AS_THE_MAP_ASKS));
  const before = cpuTimeMs(server.pid)!;
  for (let read = 0; read < READS; read++) {
    const answer = await fetch(`${server.address}/api/devices/${deviceId}/points?filter=${filter}`, {
      headers: { ...api.headers, ...headers },
    });
    const points = (await answer.json()) as unknown[];
    if (points.length !== TRACK) throw new Error(`${points.length} points instead of ${TRACK}`);
  }
  return ((cpuTimeMs(server.pid)! - before) * 1000) / READS;
}
