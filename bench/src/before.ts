import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startPostgres } from '@trackway/server/testing/postgres-server.ts';
import { imeiOf, type VoiceName } from '@trackway/simulator/trackers/voices.ts';
import pg from 'pg';
import type { scatteredFences } from './fleet/scattered-fences.ts';
import { identify, type startFleet, storedOf, type TrackedFleet } from './fleet/tracked-fleet.ts';
import { type Publisher, startPublisher, topicOf } from './load/publisher.ts';
import { type Sending, send } from './load/sending.ts';
import { cpuTimeMs, untilQuiet } from './print/cpu-time.ts';
import { loadAverage } from './print/machine.ts';
import { postgresCpuMs } from './print/postgres-cpu.ts';
import { median, ratioOf } from './print/statistics.ts';
import { type Cells, number, printTable, verdict } from './print/table.ts';
import { ROOT } from './process.ts';
import { sendAsTrackers } from './trackers.ts';
import type { Api } from './trackway.ts';

/**
 * The CPU time of each endpoint, compared with another checkout: `--than=FOLDER`, with its packages installed. Both servers
 * run at the same time and take turns, so that other load on the machine affects both alike. The ratio is the geometric mean
 * over the pairs, with its 95 % interval. `--only=gt06,osmand-id` selects rows, `--on=sqlite` or `--on=postgres` a database,
 * `--pairs=N` the number of pairs.
 */

const DEVICES = 128;
const FENCES = 100;
const CITY_M = 7000;
const CONNECTIONS = 64;
const RECENT_MS = 25 * 60_000;
const TRACK = 5000;
const TRACK_AGO_MS = 3 * 3_600_000;
const READS = 20;
const PAIRS = 15;
/** Rounds that do not count: the engine compiles until it has seen most cases. */
const WARM_UP = 2;
/** Positions per round, where each is a report; PostgreSQL needs more time for each. */
const POSITIONS = { sqlite: 5000, postgres: 2000 };
const AS_THE_MAP_ASKS = {
  where: { locationType: { neq: 'invalid' } },
  order: ['timestamp ASC', 'id ASC'],
  fields: ['id', 'timestamp', 'location', 'speed', 'course'],
  limit: TRACK,
};

type Database = keyof typeof POSITIONS;

interface Contestant {
  readonly fleet: TrackedFleet;
  readonly api: Api;
  readonly database: Database;
  /** If a row is about it. */
  readonly publisher: Publisher | undefined;
  /** CPU time of the server and its database. */
  cpuMs(): Promise<number>;
  stored(): Promise<number>;
  stop(): Promise<void>;
  /** The time of the next fix. */
  startAt: number;
  /** The positions that it answered. */
  sent: number;
}

interface Row {
  readonly what: string;
  readonly unit: string;
  /** The highest ratio that passes; a database without one is not measured. */
  readonly bars: Partial<Record<Database, number>>;
  /** Whether a broker publishes its positions. */
  readonly isPublished?: true;
  /** CPU microseconds per unit. */
  run(contestant: Contestant): Promise<number>;
}

const overHttp = (what: string, bars: Row['bars'], sending: Partial<Sending> = {}): Row => ({
  what,
  unit: 'position',
  bars,
  async run(contestant) {
    const { fleet, database, startAt } = contestant;
    const positions = sending.positions ?? 1;
    const reports = positions === 1 ? POSITIONS[database] : POSITIONS[database] / 20;
    const keys = sending.endpoint === 'osmand-id' ? fleet.keys.map((_, index) => imeiOf(index)) : fleet.keys;
    const load = { address: fleet.server.address, keys, reports, positions, connections: CONNECTIONS, intervalS: 1 };
    const before = await contestant.cpuMs();
    const sent = await send({ ...load, startAt, ...sending }, fleet.server.pid);
    contestant.startAt = sent.endedAt;
    contestant.sent += sent.positions;
    return (((await contestant.cpuMs()) - before) * 1000) / sent.positions;
  },
});

/**
 * Of protocols whose frames are answered, as the sender waits for each answer.
 * @param perSecond positions of all connections together; by default as soon as the one before is answered
 */
const byTrackers = (voice: VoiceName, bars: Row['bars'], perSecond?: number): Row => ({
  what: perSecond === undefined ? `${voice} over TCP` : `${voice} over TCP at ${perSecond}/s`,
  unit: 'position',
  bars,
  async run(contestant) {
    const { fleet, database, startAt } = contestant;
    const identities = Array.from({ length: CONNECTIONS }, (_, index) => imeiOf(index));
    const reports = Math.round((perSecond === undefined ? POSITIONS[database] : 10 * perSecond) / CONNECTIONS);
    const everyMs = perSecond && (CONNECTIONS * 1000) / perSecond;
    const sending = { voice, identities, reports, startAt, intervalS: 1, everyMs };
    const { cpuUs, positions } = await sendAsTrackers(fleet.server, sending, { cpuMs: contestant.cpuMs });
    contestant.startAt += (reports + 5) * 1000;
    contestant.sent += positions;
    return cpuUs;
  },
});

/** Published with QoS 1, so that the server acknowledges each position. */
const byBroker: Row = {
  what: 'MQTT',
  unit: 'position',
  bars: { sqlite: 0.8, postgres: 0.7 },
  isPublished: true,
  async run(contestant) {
    const { publisher, fleet, database, startAt } = contestant;
    const task = { topics: fleet.keys.map((_, index) => topicOf(index)), startAt, intervalS: 1, ahead: CONNECTIONS };
    const before = await contestant.cpuMs();
    const { messages } = await publisher!.publish({ ...task, messages: POSITIONS[database] });
    contestant.startAt += (messages / DEVICES + 5) * 1000;
    contestant.sent += messages;
    return (((await contestant.cpuMs()) - before) * 1000) / messages;
  },
};

const track = (what: string, headers: Record<string, string>): Row => ({
  what,
  unit: 'request',
  bars: { sqlite: 1 },
  run: (contestant) => readTrack(contestant, headers),
});

const ROWS: Readonly<Record<string, Row>> = {
  reports: overHttp('/ingest/reports', { sqlite: 0.8, postgres: 0.7 }),
  paced: overHttp('/ingest/reports at 180/s', { sqlite: 0.5 }, { reports: 1500, everyMs: (CONNECTIONS * 1000) / 180 }),
  batch: overHttp('/ingest/reports, 100 positions each', { sqlite: 0.8, postgres: 0.8 }, { positions: 100 }),
  'osmand-key': overHttp('OsmAnd by key', { sqlite: 0.8, postgres: 0.7 }, { endpoint: 'osmand-key' }),
  'osmand-id': overHttp('OsmAnd by id', { sqlite: 0.5, postgres: 0.5 }, { endpoint: 'osmand-id' }),
  owntracks: overHttp('OwnTracks', { sqlite: 0.8, postgres: 0.7 }, { endpoint: 'owntracks' }),
  gt06: byTrackers('gt06', { sqlite: 0.6, postgres: 0.6 }),
  'gt06-paced': byTrackers('gt06', { sqlite: 0.5 }, 100),
  teltonika: byTrackers('teltonika', { sqlite: 0.8, postgres: 0.7 }),
  h02: byTrackers('h02', { sqlite: 0.8, postgres: 0.7 }),
  mqtt: byBroker,
  track: track(`a day's track of ${number(TRACK)} points`, {}),
  'track-plain': track('the same, not compressed', { 'accept-encoding': 'identity' }),
};

export async function benchBefore(flags: ReadonlySet<string>): Promise<void> {
  const valueOfFlag = (name: string) =>
    [...flags].find((flag) => flag.startsWith(`--${name}=`))?.slice(name.length + 3);
  const than = valueOfFlag('than');
  if (than === undefined) {
    console.log('\nSKIPPED: the cost of each endpoint compared with another checkout. Say which: --than=FOLDER');
    return;
  }
  const only = valueOfFlag('only')?.split(',') ?? Object.keys(ROWS);
  const databases = Object.keys(POSITIONS).filter((name) => (valueOfFlag('on') ?? name) === name) as Database[];
  const pairs = Number(valueOfFlag('pairs') ?? PAIRS);
  const rows: Cells[] = [];
  for (const name of only)
    for (const database of databases) {
      const row = ROWS[name];
      if (row === undefined) throw new Error(`There is no row ${name}; there are: ${Object.keys(ROWS).join(', ')}`);
      const bar = row.bars[database];
      if (bar !== undefined) rows.push(await compare(resolve(than), row, database, pairs, bar));
    }
  printTable(
    `CPU time of server and database, medians of ${pairs} pairs, load average ${loadAverage()}`,
    ['endpoint', 'database', 'before', 'now', 'now ÷ before', '95 % interval', 'bar', ''],
    rows,
  );
}

async function compare(than: string, row: Row, database: Database, pairs: number, bar: number): Promise<Cells> {
  const contestants: Contestant[] = [];
  try {
    for (const tree of [than, ROOT]) contestants.push(await started(tree, database, row));
    for (const { fleet } of contestants) await untilQuiet(fleet.server.pid);
    const costs: [before: number, now: number][] = [];
    for (let round = -WARM_UP; round < pairs; round++) {
      const cost: [number, number] = [0, 0];
      // The order alternates, because the second of a pair may find the machine in another state.
      for (const index of round % 2 === 0 ? [0, 1] : [1, 0]) cost[index] = await row.run(contestants[index]!);
      if (round >= 0) costs.push(cost);
    }
    for (const { fleet, sent, stored } of contestants) {
      const kept = await stored();
      if (kept < sent) throw new Error(`${row.what}: ${fleet.server.address} stored ${kept} of ${sent} positions`);
    }
    const { ratio, from, to } = ratioOf(costs.map(([before, now]) => now / before));
    return [
      row.what,
      database,
      `${number(median(costs.map(([before]) => before)))} µs a ${row.unit}`,
      `${number(median(costs.map(([, now]) => now)))} µs`,
      number(ratio, 3),
      `${number(from, 3)} – ${number(to, 3)}`,
      `≤ ${bar}`,
      verdict(ratio <= bar),
    ];
  } finally {
    for (const contestant of contestants) await contestant.stop();
  }
}

/** A fleet at the server of a checkout, by its own code. */
async function started(tree: string, database: Database, { isPublished }: Row): Promise<Contestant> {
  const own = <T>(file: string): Promise<T> => {
    const places = [`bench/src/fleet/${file}`, `bench/src/${file}`].map((place) => join(tree, place));
    return import(pathToFileURL(places.find(existsSync) ?? places[0]!).href);
  };
  const fences = await own<{ scatteredFences: typeof scatteredFences }>('scattered-fences.ts');
  const fleets = await own<{ startFleet: typeof startFleet }>('tracked-fleet.ts');
  const folder = mkdtempSync(join(tmpdir(), 'trackway-bench-'));
  const postgres = database === 'postgres' ? await startPostgres({ durable: true }) : undefined;
  const client = postgres && new pg.Client({ connectionString: postgres.url });
  await client?.connect();
  const publisher = isPublished && (await startPublisher());
  const fleet = await fleets.startFleet(postgres?.url ?? folder, {
    devices: DEVICES,
    fences: fences.scatteredFences(FENCES, CITY_M),
    environment: { TRACKWAY_TRACKERS_PER_ADDRESS: '0', ...publisher?.environment },
  });
  // Each has its own first user.
  const { Api: Its } = await own<{ Api: typeof Api }>('trackway.ts');
  const api = await Its.signIn(fleet.server.address);
  const ids = await identify(api, fleet.keys);
  return {
    fleet,
    api,
    database,
    publisher,
    cpuMs: async () => cpuTimeMs(fleet.server.pid)! + (client ? await postgresCpuMs(client) : 0),
    stored: () => storedOf(api, ids),
    async stop() {
      await fleet.server.stop();
      await publisher?.stop();
      await client?.end();
      await postgres?.stop();
      rmSync(folder, { recursive: true, force: true });
    },
    startAt: Date.now() - RECENT_MS,
    sent: 0,
  };
}

const filled = new Map<Contestant, number>();

async function readTrack(contestant: Contestant, headers: Record<string, string>): Promise<number> {
  const { server, keys } = contestant.fleet;
  const { api } = contestant;
  let deviceId = filled.get(contestant);
  if (deviceId === undefined) {
    const key = keys[0]!;
    const load = { reports: TRACK / 100, positions: 100, connections: 1, intervalS: 1 };
    // They come late, so the device is evaluated again; that is not what is measured.
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
