import { setTimeout as pause } from 'node:timers/promises';
import { startPostgres } from '@trackway/server/testing/postgres-server.ts';
import pg from 'pg';
import { scatteredFences } from './fleet/scattered-fences.ts';
import { startFleet } from './fleet/tracked-fleet.ts';
import { startListener } from './live.ts';
import { type MeasuredSent, send } from './load/sending.ts';
import { sampleLocks } from './load/slot-locks.ts';
import { loadAverage } from './print/machine.ts';
import { postgresCpuMs } from './print/postgres-cpu.ts';
import { maximum, median } from './print/statistics.ts';
import { type Cells, number, printTable, verdict } from './print/table.ts';
import { Api, startTrackway, type Trackway } from './trackway.ts';

/**
 * One, two and three servers on one PostgreSQL that keeps what it commits: processor time per position, the share of time
 * that the lock of a slot is held, and the time from the reception at one server to a reader of another.
 */

const NODES = [1, 2, 3];
const SIZE = { devices: 300, fences: 300 };
const SHORT = { devices: 48, fences: 10 };
const CONNECTIONS = 24;
const RECENT_MS = 25 * 60_000;
/** In all, at a pace that leaves the machine idle for the most part. */
const PACED_PER_SECOND = 200;
const SECONDS = 15;
const WARM_REPORTS = 1500;
const FULL_REPORTS = 6000;
const CPU_BAR = 1.25;
const LOCK_BAR = 0.02;
const LIVE_BAR_MS = 50;
const SECRET = 'a secret for the bench that is long enough';

interface Load {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Processor time per position, of all servers and of the database. */
  readonly serversUs: number;
  readonly databaseUs: number;
  /** Of the slot that is locked most, and of all slots on average. */
  readonly mostLocked: number;
  readonly meanLocked: number;
}

export async function benchNodes(flags: ReadonlySet<string>): Promise<void> {
  const postgres = await startPostgres({ durable: true });
  const client = new pg.Client({ connectionString: postgres.url });
  const cpuRows: Cells[] = [];
  const liveRows: Cells[] = [];
  const alone = new Map<string, number>();
  try {
    await client.connect();
    await requireDurable(client);
    const { devices, fences } = flags.has('--short') ? SHORT : SIZE;
    const fleet = await startFleet(postgres.url, {
      devices,
      fences: scatteredFences(fences, 7000),
      environment: { TRACKWAY_SECRET: SECRET },
    });
    const nodes = [fleet.server];
    const course = new ClusterCourse(nodes, fleet.keys, client, postgres.url);
    try {
      for (const count of NODES) {
        while (nodes.length < count) nodes.push(await startNode(postgres.url));
        // Each server is as warm as the one was that ran alone.
        await course.measure(WARM_REPORTS * count);
        const loads: [string, Load][] = [['paced', await course.measure(PACED_PER_SECOND * SECONDS, PACED_PER_SECOND)]];
        if (!flags.has('--short')) loads.push(['full', await course.measure(FULL_REPORTS)]);
        for (const [name, load] of loads) cpuRows.push(cpuRow(name, count, load, alone));
        liveRows.push(await course.liveRow());
        printTables(cpuRows, liveRows);
      }
    } finally {
      for (const node of nodes) await node.stop();
    }
  } finally {
    await client.end();
    await postgres.stop();
  }
}

/** After each number of servers, since it takes a while. */
function printTables(cpuRows: readonly Cells[], liveRows: readonly Cells[]): void {
  printTable(
    `Servers on one PostgreSQL with fsync, one position per request, load average ${loadAverage()}`,
    [
      'load',
      'servers',
      'positions/s',
      'p50 ms',
      'p99 ms',
      'µs servers',
      'µs database',
      '÷ 1 server',
      'bar',
      '',
      'slot locked, most',
      'mean',
      'most per server',
      'bar',
      '',
    ],
    cpuRows,
  );
  printTable(
    `A position at one server → a reader at another, ${PACED_PER_SECOND} positions/s in all`,
    ['servers', 'events', 'p50 ms', 'p99 ms', 'max ms', 'bar', ''],
    liveRows,
  );
}

function cpuRow(name: string, count: number, load: Load, alone: Map<string, number>): Cells {
  const us = load.serversUs + load.databaseUs;
  if (count === 1) alone.set(name, us);
  const ratio = us / alone.get(name)!;
  const perServer = load.mostLocked / count;
  return [
    name,
    String(count),
    number(load.perSecond),
    number(load.p50Ms, 1),
    number(load.p99Ms, 1),
    number(load.serversUs),
    number(load.databaseUs),
    number(ratio, 2),
    count === 1 ? '' : `≤ ${CPU_BAR}`,
    count === 1 ? '' : verdict(ratio <= CPU_BAR),
    `${number(load.mostLocked * 100, 2)} %`,
    `${number(load.meanLocked * 100, 2)} %`,
    `${number(perServer * 100, 2)} %`,
    `≤ ${LOCK_BAR * 100} %`,
    verdict(perServer <= LOCK_BAR),
  ];
}

/** A fleet that reports to several servers, each device to one of them, and continues from its last fix. */
class ClusterCourse {
  readonly #nodes: readonly Trackway[];
  readonly #keys: readonly string[];
  readonly #client: pg.Client;
  readonly #url: string;
  #startAt = Date.now() - RECENT_MS;

  constructor(nodes: readonly Trackway[], keys: readonly string[], client: pg.Client, url: string) {
    this.#nodes = nodes;
    this.#keys = keys;
    this.#client = client;
    this.#url = url;
  }

  /** @param perSecond in all; by default as fast as they are answered */
  async measure(reports: number, perSecond?: number): Promise<Load> {
    const locks = await sampleLocks(this.#url);
    const before = await postgresCpuMs(this.#client);
    const sent = await this.#send(this.#nodes, reports, perSecond);
    const databaseMs = (await postgresCpuMs(this.#client)) - before;
    const shares = await locks.stop();
    const positions = sent.reduce((sum, one) => sum + one.positions, 0);
    return {
      perSecond: positions / maximum(sent.map(({ seconds }) => seconds)),
      p50Ms: median(sent.map(({ p50Ms }) => p50Ms)),
      p99Ms: maximum(sent.map(({ p99Ms }) => p99Ms)),
      serversUs: sent.reduce((sum, { cpuUs, positions: own }) => sum + cpuUs * own, 0) / positions,
      databaseUs: (databaseMs * 1000) / positions,
      mostLocked: maximum(shares),
      meanLocked: shares.reduce((a, b) => a + b) / shares.length,
    };
  }

  /** All reports go to the first server, and are read at the last. */
  async liveRow(): Promise<Cells> {
    const [first, last] = [this.#nodes[0]!, this.#nodes.at(-1)!];
    const { token } = await Api.signIn(last.address);
    const positions = PACED_PER_SECOND * SECONDS;
    const listener = await startListener({ address: last.address, token, streams: 1, positions });
    await this.#send([first], positions, PACED_PER_SECOND);
    const { positions: events, p50Ms, p99Ms, maxMs } = await listener.done();
    const figures = [number(events), number(p50Ms), number(p99Ms), number(maxMs)];
    return [String(this.#nodes.length), ...figures, `≤ ${LIVE_BAR_MS}`, verdict(p99Ms <= LIVE_BAR_MS)];
  }

  async #send(nodes: readonly Trackway[], reports: number, perSecond?: number): Promise<MeasuredSent[]> {
    const connections = CONNECTIONS / nodes.length;
    const everyMs = perSecond && (CONNECTIONS * 1000) / perSecond;
    const sent = await Promise.all(
      nodes.map(({ address, pid }, index) => {
        const keys = this.#keys.filter((_, device) => device % nodes.length === index);
        const load = { reports: Math.round(reports / nodes.length), positions: 1, connections, everyMs };
        return send({ address, keys, ...load, startAt: this.#startAt, intervalS: 1 }, pid);
      }),
    );
    this.#startAt = maximum(sent.map(({ endedAt }) => endedAt));
    return sent;
  }
}

async function startNode(url: string): Promise<Trackway> {
  const node = await startTrackway({ TRACKWAY_DATABASE_URL: url, TRACKWAY_SECRET: SECRET });
  // What a server does once it has started.
  await pause(2000);
  return node;
}

async function requireDurable(client: pg.Client): Promise<void> {
  for (const name of ['fsync', 'full_page_writes', 'synchronous_commit']) {
    const { rows } = await client.query(`SHOW ${name}`);
    if (rows[0][name] !== 'on') throw new Error(`${name} is ${rows[0][name]}`);
  }
}
