import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@trackway/server/testing/postgres-server.ts';
import { imeiOf } from '@trackway/simulator/trackers/voices.ts';
import { scatteredFences } from './fleet/scattered-fences.ts';
import { identify, startFleet, storedOf, type TrackedFleet } from './fleet/tracked-fleet.ts';
import { type Publisher, startPublisher, topicOf } from './load/publisher.ts';
import type { RawInsert, RawInserted } from './load/raw-insert.ts';
import { type MeasuredSent, type Sending, send } from './load/sending.ts';
import { cpuTimeMs } from './print/cpu-time.ts';
import { loadAverage } from './print/machine.ts';
import { median } from './print/statistics.ts';
import { type Cells, number, printTable, verdict } from './print/table.ts';
import { outputOf, type Server, startServer } from './process.ts';
import { sendAsTrackers } from './trackers.ts';
import { Api } from './trackway.ts';

/**
 * Ingest under load: single positions, batches, H02, MQTT, a million positions, and one device that floods the server.
 * `--memory` measures only the million, `--listeners` only H02 and MQTT.
 */

const ROUNDS = 5;
/** Rounds before the measurement, so that both our server and the bare one are warmed up. */
const WARMING_ROUNDS = 3;
const DEVICES = 500;
const CONNECTIONS = 64;
const FENCES = 1000;
const BATCH = 100;
/** Fixes are from the last minutes, as for online devices, so that current rules and due times apply. */
const RECENT_MS = 25 * 60_000;
const SINGLE_REPORTS = 12_000;
const BATCH_REPORTS = 500;
/** Over H02 and MQTT, and as many over HTTP. */
const LISTENER_POSITIONS = 64 * 60;
const MILLION = 1_000_000;
const FLOOD_CONNECTIONS = 16;

export async function benchIngest(flags: ReadonlySet<string>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'trackway-bench-'));
  const postgres = flags.has('--no-postgres') ? undefined : await startPostgres({ durable: true });
  const running: Pick<Server, 'stop'>[] = [];
  const startWithBroker = async (place: string): Promise<FleetWithBroker> => {
    const publisher = await startPublisher();
    running.push(publisher);
    const environment = { TRACKWAY_TRACKERS_PER_ADDRESS: '0', ...publisher.environment };
    const fleet = await startFleet(place, { devices: DEVICES, fences: scatteredFences(FENCES, 7000), environment });
    running.push(fleet.server);
    return { ...fleet, publisher };
  };
  try {
    const rawFolder = join(folder, 'raw');
    const rawFleet = await startFleet(rawFolder, { devices: 1, fences: [] });
    await rawFleet.server.stop();
    const fleet = await startWithBroker(join(folder, 'sqlite'));
    const onPostgres = postgres && (await startWithBroker(postgres.url));
    if (!flags.has('--memory')) await compareListeners(fleet, onPostgres);
    if (flags.has('--listeners')) return;
    const bare = await startServer(
      {
        arguments: ['bench/src/load/bare-server.ts'],
        input: JSON.stringify({
          'POST /ingest/reports': { accepted: 1, duplicates: 0, quarantined: [], messages: [] },
        }),
      },
      /is at (\S+)/,
    );
    running.push(bare);
    if (!flags.has('--memory')) {
      await compareSingles(fleet, bare, onPostgres);
      await compareBatches(fleet, rawFolder, onPostgres);
      await flood(fleet);
    }
    if (!flags.has('--short')) await passAMillion(fleet);
  } finally {
    for (const server of running.reverse()) await server.stop();
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface FleetWithBroker extends TrackedFleet {
  readonly publisher: Publisher;
}

/** A fleet that continues from its last fix, because repeated reports would be dropped as duplicates. */
class Course {
  readonly #fleet: TrackedFleet;
  static readonly #ended = new WeakMap<TrackedFleet, number>();

  constructor(fleet: TrackedFleet) {
    this.#fleet = fleet;
  }

  get startAt(): number {
    return Math.max(Course.#ended.get(this.#fleet) ?? 0, Date.now() - RECENT_MS);
  }

  /** Measures `work`, which sends by other protocols: it gets the time of the first fix, and each device sends `fixes` of them. */
  async measure(fixes: number, work: (startAt: number) => Promise<Timed>): Promise<Costs> {
    const { startAt } = this;
    const { pid } = this.#fleet.server;
    const before = cpuTimeMs(pid) ?? Number.NaN;
    const { positions, seconds } = await work(startAt);
    Course.#ended.set(this.#fleet, startAt + (fixes + 5) * 1000);
    const cpuMs = (cpuTimeMs(pid) ?? Number.NaN) - before;
    return { perSecond: positions / seconds, cpuUs: (cpuMs * 1000) / positions };
  }

  async send(more: Partial<Sending> & Pick<Sending, 'reports' | 'positions'>): Promise<MeasuredSent> {
    const { server, keys } = this.#fleet;
    const { address } = server;
    const sending = { address, keys, connections: CONNECTIONS, startAt: this.startAt, intervalS: 1, ...more };
    const sent = await send(sending, server.pid);
    Course.#ended.set(this.#fleet, sent.endedAt);
    return sent;
  }
}

interface Timed {
  readonly positions: number;
  readonly seconds: number;
}

type Costs = Pick<MeasuredSent, 'perSecond' | 'cpuUs'>;

const rateOf = (rounds: readonly Costs[]) => median(rounds.map(({ perSecond }) => perSecond));
const cpuOf = (rounds: readonly Costs[]) => median(rounds.map(({ cpuUs }) => cpuUs));
const figures = (rounds: readonly MeasuredSent[]) => [
  number(rateOf(rounds)),
  number(median(rounds.map(({ p50Ms }) => p50Ms)), 1),
  number(median(rounds.map(({ p99Ms }) => p99Ms)), 1),
  number(cpuOf(rounds), 1),
];

async function compareSingles(fleet: TrackedFleet, bare: Server, onPostgres?: TrackedFleet): Promise<void> {
  const [ours, theirs, postgres, sockets]: MeasuredSent[][] = [[], [], [], []];
  for (let round = -WARMING_ROUNDS; round < ROUNDS; round += 1) {
    const load = { reports: SINGLE_REPORTS, positions: 1 };
    const nothing = { address: bare.greeting, keys: fleet.keys, connections: CONNECTIONS, intervalS: 1 };
    const base = await send({ ...nothing, ...load, startAt: Date.now() - RECENT_MS }, bare.pid);
    const own = await new Course(fleet).send(load);
    const streamed = await new Course(fleet).send({ ...load, reports: SINGLE_REPORTS * 2, overSocket: true });
    const other = onPostgres && (await new Course(onPostgres).send({ ...load, reports: SINGLE_REPORTS / 4 }));
    if (round < 0) continue;
    theirs!.push(base);
    ours!.push(own);
    sockets!.push(streamed);
    if (other) postgres!.push(other);
  }
  const ratio = rateOf(ours!) / rateOf(theirs!);
  const byCpu = cpuOf(theirs!) / cpuOf(ours!);
  const rows: Cells[] = [
    ['bare Fastify, nothing kept', ...figures(theirs!), '', '', '', ''],
    ['Trackway', ...figures(ours!), number(ratio, 2), number(byCpu, 2), '≥ 0.5', verdict(ratio >= 0.5)],
    ['', '', '', '', '', '', '', '≥ 3 000/s', verdict(rateOf(ours!) >= 3000)],
    [
      'Trackway, by web sockets',
      ...figures(sockets!),
      number(rateOf(sockets!) / rateOf(theirs!), 2),
      number(cpuOf(theirs!) / cpuOf(sockets!), 2),
      `≥ 3 of requests: ${number(rateOf(sockets!) / rateOf(ours!), 2)}`,
      verdict(rateOf(sockets!) >= 3 * rateOf(ours!)),
    ],
  ];
  if (onPostgres) {
    const share = rateOf(postgres!) / rateOf(ours!);
    const bar = `≥ 0.6 of SQLite: ${number(share, 2)}`;
    rows.push(['Trackway on PostgreSQL', ...figures(postgres!), '', '', bar, verdict(share >= 0.6)]);
  }
  printTable(
    `One position per request: ${DEVICES} devices, ${FENCES} fences, ${CONNECTIONS} connections, medians of ${ROUNDS} rounds after ${WARMING_ROUNDS}, load average ${loadAverage()}`,
    ['server', 'positions/s', 'p50 ms', 'p99 ms', 'CPU µs', '÷ bare', 'by CPU', 'bar', ''],
    rows,
  );
}

async function compareBatches(fleet: TrackedFleet, rawFolder: string, onPostgres?: TrackedFleet): Promise<void> {
  const [ours, postgres]: MeasuredSent[][] = [[], []];
  const raw: { perSecond: number; cpuUs: number }[] = [];
  for (let round = -WARMING_ROUNDS; round < ROUNDS; round += 1) {
    const rows = BATCH * BATCH_REPORTS;
    const inserted = await insertRaw({ folder: rawFolder, devices: DEVICES, rows, startAt: Date.now() - RECENT_MS });
    const own = await new Course(fleet).send({ reports: BATCH_REPORTS, positions: BATCH });
    const other = onPostgres && (await new Course(onPostgres).send({ reports: BATCH_REPORTS, positions: BATCH }));
    if (round < 0) continue;
    raw.push({ perSecond: rows / inserted.seconds, cpuUs: (inserted.cpuMs * 1000) / rows });
    ours!.push(own);
    if (other) postgres!.push(other);
  }
  const rawRate = median(raw.map(({ perSecond }) => perSecond));
  const rawCpu = median(raw.map(({ cpuUs }) => cpuUs));
  const ratio = rateOf(ours!) / rawRate;
  const rows: Cells[] = [
    ['raw insert into the same table', number(rawRate), '', '', number(rawCpu, 1), '', '', '', ''],
    [
      'Trackway',
      ...figures(ours!),
      number(ratio, 2),
      number(rawCpu / cpuOf(ours!), 2),
      '≥ 0.65',
      verdict(ratio >= 0.65),
    ],
    ['', '', '', '', '', '', '', '≥ 15 000/s', verdict(rateOf(ours!) >= 15_000)],
  ];
  if (onPostgres) {
    const share = rateOf(postgres!) / rateOf(ours!);
    rows.push([
      'Trackway on PostgreSQL',
      ...figures(postgres!),
      '',
      '',
      `≥ 0.6 of SQLite: ${number(share, 2)}`,
      verdict(share >= 0.6),
    ]);
  }
  printTable(
    `Batches of ${BATCH} positions: ${DEVICES} devices, ${FENCES} fences, medians of ${ROUNDS} rounds after ${WARMING_ROUNDS}, load average ${loadAverage()}`,
    ['server', 'positions/s', 'p50 ms', 'p99 ms', 'CPU µs', '÷ raw', 'by CPU', 'bar', ''],
    rows,
  );
}

async function insertRaw(job: RawInsert): Promise<RawInserted> {
  return JSON.parse(await outputOf({ arguments: ['bench/src/load/raw-insert.ts'], input: JSON.stringify(job) }));
}

/** Each position is answered or acknowledged: H02 over TCP, MQTT with QoS 1, and HTTP to compare with. */
async function compareListeners(fleet: FleetWithBroker, onPostgres?: FleetWithBroker): Promise<void> {
  const rows: Cells[] = [];
  for (const one of onPostgres ? [fleet, onPostgres] : [fleet]) {
    const database = one === fleet ? 'SQLite' : 'PostgreSQL';
    const { server, publisher } = one;
    // A tracker has a connection of its own.
    const keys = one.keys.slice(0, CONNECTIONS);
    const identities = keys.map((_, index) => imeiOf(index));
    const topics = keys.map((_, index) => topicOf(index));
    const each = LISTENER_POSITIONS / CONNECTIONS;
    const course = new Course({ ...one, keys });
    const api = await Api.signIn(server.address);
    const ids = await identify(api, keys);
    const ways: Record<string, () => Promise<Costs>> = {
      HTTP: () => course.send({ reports: LISTENER_POSITIONS, positions: 1 }),
      'H02 over TCP': () =>
        course.measure(each, (startAt) =>
          sendAsTrackers(server, { voice: 'h02', identities, reports: each, startAt, intervalS: 1 }),
        ),
      MQTT: () =>
        course.measure(each, async (startAt) => {
          const task = { topics, messages: LISTENER_POSITIONS, startAt, intervalS: 1, ahead: CONNECTIONS };
          const { messages, seconds } = await publisher.publish(task);
          return { positions: messages, seconds };
        }),
    };
    const rounds = Object.fromEntries(Object.keys(ways).map((way) => [way, [] as Costs[]]));
    for (let round = -WARMING_ROUNDS; round < ROUNDS; round += 1)
      for (const [way, run] of Object.entries(ways)) {
        const before = await storedOf(api, ids);
        const measured = await run();
        const stored = (await storedOf(api, ids)) - before;
        if (stored < LISTENER_POSITIONS)
          throw new Error(`${way}, ${database}: ${stored} of ${LISTENER_POSITIONS} positions were stored`);
        if (round >= 0) rounds[way]!.push(measured);
      }
    for (const [way, measured] of Object.entries(rounds)) {
      const ratio = rateOf(measured) / rateOf(rounds.HTTP!);
      const compared = way === 'HTTP' ? ['', '', ''] : [number(ratio, 2), '≥ 0.5', verdict(ratio >= 0.5)];
      rows.push([`${way}, ${database}`, number(rateOf(measured)), number(cpuOf(measured), 1), ...compared]);
    }
  }
  printTable(
    `One position a message, ${CONNECTIONS} devices, medians of ${ROUNDS} rounds after ${WARMING_ROUNDS}, load average ${loadAverage()}`,
    ['by', 'positions/s', 'CPU µs', '÷ HTTP', 'bar', ''],
    rows,
  );
}

/** One device sends as fast as it can, on many connections; the others send at a slow pace. */
async function flood(fleet: TrackedFleet): Promise<void> {
  const others = { ...fleet, keys: fleet.keys.slice(1) };
  const one = { ...fleet, keys: fleet.keys.slice(0, 1) };
  const easy = { reports: 2000, positions: 1, connections: 20, everyMs: 100 };
  const startAt = () => new Course(fleet).startAt;
  const calm = await new Course(others).send({ ...easy, startAt: startAt() });
  const load = { positions: BATCH, connections: FLOOD_CONNECTIONS, intervalS: 0.01 };
  const [flooded, flooding] = await Promise.all([
    new Course(others).send(easy),
    new Course(one).send({ ...load, reports: 1500, startAt: Date.now() - 10 * 60_000 }),
  ]);
  const row = (what: string, { perSecond, p50Ms, p99Ms }: MeasuredSent, bar: string, pass: string) => [
    what,
    number(perSecond),
    number(p50Ms, 1),
    number(p99Ms, 1),
    bar,
    pass,
  ];
  printTable(
    `One device floods with batches of ${BATCH} on ${FLOOD_CONNECTIONS} connections, load average ${loadAverage()}`,
    ['who', 'positions/s', 'p50 ms', 'p99 ms', 'bar', ''],
    [
      row('the others, at ease', calm, '', ''),
      row('the others, during the flood', flooded, 'p99 ≤ 100 ms', verdict(flooded.p99Ms <= 100)),
      row('the one', flooding, '', ''),
    ],
  );
}

/**
 * The memory of the server while a million positions pass through. Cached pages of the database file do not count,
 * because the system can reclaim them.
 */
async function passAMillion(fleet: TrackedFleet): Promise<void> {
  const { pid } = fleet.server;
  const rows: Cells[] = [];
  const held: number[] = [];
  const step = 100_000;
  for (let passed = step; passed <= MILLION; passed += step) {
    // So close together that a million fit into the minutes that count as recent, all in order.
    const sent = await new Course(fleet).send({ reports: step / BATCH, positions: BATCH, intervalS: 0.1 });
    const { own, file } = residentMb(pid);
    held.push(own);
    rows.push([number(passed), number(sent.perSecond), `${number(own)} MB`, `${number(file)} MB`, '', '']);
  }
  const growth = held.at(-1)! / held[1]!;
  rows.push(['after 1 000 000 ÷ after 200 000', '', number(growth, 2), '', '≤ 1.2', verdict(growth <= 1.2)]);
  printTable(
    `Memory while a million positions pass, load average ${loadAverage()}`,
    ['passed', 'positions/s', 'of its own', 'mapped files', 'bar', ''],
    rows,
  );
}

function residentMb(pid: number): { own: number; file: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const megabytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / 1024;
  return { own: megabytes('RssAnon'), file: megabytes('RssFile') };
}
