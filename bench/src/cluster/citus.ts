import {
  citusAddress,
  citusServers,
  citusUrl,
  dropCitusDatabase,
  makeCitusDatabase,
} from '@trackway/server/testing/storage/citus-places.ts';
import pg from 'pg';
import { scatteredFences } from '../fleet/scattered-fences.ts';
import { startFleet, type TrackedFleet } from '../fleet/tracked-fleet.ts';
import { send } from '../load/sending.ts';
import { loadAverage } from '../print/machine.ts';
import { postgresCpuMs } from '../print/postgres-cpu.ts';
import { median } from '../print/statistics.ts';
import { type Cells, number, printTable, verdict } from '../print/table.ts';

/**
 * The same server on an ordinary database and on one that Citus spreads, both at the coordinator that
 * TRACKWAY_TEST_CITUS_URL names, which keeps what it commits or not, for both alike. All servers of the cluster are on
 * this machine. They take turns, so that a machine that becomes slower is slower for both.
 */

const SIZE = { devices: 300, fences: 300 };
const SHORT = { devices: 100, fences: 20 };
const CONNECTIONS = 32;
const RECENT_MS = 25 * 60_000;
const LOADS = [
  { name: 'one position per report', reports: 1500, positions: 1, bar: 3 },
  { name: 'batches of 100', reports: 150, positions: 100, bar: 1.5 },
];
const ROUNDS = 5;
const SHORT_ROUNDS = 2;
const PLAIN = 'bench_plain';
const SPREAD = 'bench_citus';

interface Cost {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly serverUs: number;
  readonly databaseUs: number;
}

/** A server with its fleet, on one kind of database. */
class Side {
  readonly name: string;
  readonly #fleet: TrackedFleet;
  readonly #clients: readonly pg.Client[];
  #startAt = Date.now() - RECENT_MS;

  constructor(name: string, fleet: TrackedFleet, clients: readonly pg.Client[]) {
    this.name = name;
    this.#fleet = fleet;
    this.#clients = clients;
  }

  async measure({ reports, positions }: { readonly reports: number; readonly positions: number }): Promise<Cost> {
    const { server, keys } = this.#fleet;
    const before = await this.#databaseMs();
    const sending = { address: server.address, keys, reports, positions, connections: CONNECTIONS, intervalS: 1 };
    const sent = await send({ ...sending, startAt: this.#startAt }, server.pid);
    this.#startAt = sent.endedAt;
    const databaseUs = (((await this.#databaseMs()) - before) * 1000) / sent.positions;
    return { ...sent, serverUs: sent.cpuUs, databaseUs };
  }

  /** Of all servers of the cluster. */
  async #databaseMs(): Promise<number> {
    let ms = 0;
    for (const client of this.#clients) ms += await postgresCpuMs(client);
    return ms;
  }

  stop = () => this.#fleet.server.stop();
}

export async function benchCitus(flags: ReadonlySet<string>): Promise<void> {
  if (citusUrl() === undefined) {
    console.log('\nCitus: not measured, since TRACKWAY_TEST_CITUS_URL names no coordinator.');
    return;
  }
  const rounds = flags.has('--short') ? SHORT_ROUNDS : ROUNDS;
  const { devices, fences } = flags.has('--short') ? SHORT : SIZE;
  const servers = await citusServers();
  const database = new URL(citusUrl()!).pathname.slice(1);
  const clients = servers.map((server) => new pg.Client({ connectionString: citusAddress(database, server) }));
  const sides: Side[] = [];
  const clean = async () => {
    for (const name of [PLAIN, SPREAD]) await dropCitusDatabase(name);
  };
  try {
    for (const client of clients) await client.connect();
    await clean();
    await clients[0]!.query(`CREATE DATABASE ${PLAIN}`);
    await makeCitusDatabase(SPREAD);
    const environment = { TRACKWAY_SECRET: 'a secret for the bench that is long enough' };
    for (const [name, place] of [
      ['PostgreSQL', PLAIN],
      ['Citus', SPREAD],
    ] as const) {
      const size = { devices, fences: scatteredFences(fences, 7000), environment };
      sides.push(new Side(name, await startFleet(citusAddress(place, servers[0]!), size), clients));
    }
    const isDurable = (await clients[0]!.query('SHOW fsync')).rows[0].fsync === 'on';
    for (const load of LOADS) await compare(sides, load, { rounds, workers: servers.length - 1, isDurable });
  } finally {
    for (const side of sides) await side.stop();
    await clean();
    for (const client of clients) await client.end();
  }
}

async function compare(
  sides: readonly Side[],
  load: (typeof LOADS)[number],
  { rounds, workers, isDurable }: { rounds: number; workers: number; isDurable: boolean },
): Promise<void> {
  const costs = new Map(sides.map((side): [Side, Cost[]] => [side, []]));
  // The first round only warms up.
  for (let round = -1; round < rounds; round += 1)
    for (const side of sides) {
      const cost = await side.measure(load);
      if (round >= 0) costs.get(side)!.push(cost);
    }
  const plain = costs.get(sides[0]!)!;
  const rows = [...costs].map(([side, all]): Cells => {
    const middle = (of: (cost: Cost) => number) => median(all.map(of));
    // In the same round, since the machine is not as fast in each.
    const ratio = median(all.map((cost, round) => inAll(cost) / inAll(plain[round]!)));
    return [
      side.name,
      number(middle(({ perSecond }) => perSecond)),
      number(middle(({ p50Ms }) => p50Ms)),
      number(middle(({ p99Ms }) => p99Ms)),
      number(middle(({ serverUs }) => serverUs)),
      number(middle(({ databaseUs }) => databaseUs)),
      number(ratio, 2),
      side === sides[0] ? '' : `≤ ${load.bar}`,
      side === sides[0] ? '' : verdict(ratio <= load.bar),
    ];
  });
  printTable(
    `${load.name}, ${isDurable ? 'both durable' : 'both without fsync'}, ${workers} workers, ${rounds} rounds, load average ${loadAverage()}`,
    ['database', 'positions/s', 'p50 ms', 'p99 ms', 'µs server', 'µs database', '÷ PostgreSQL', 'bar', ''],
    rows,
  );
}

const inAll = ({ serverUs, databaseUs }: Cost) => serverUs + databaseUs;
