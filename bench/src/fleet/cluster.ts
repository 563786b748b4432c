import { type PostgresServer, startPostgres } from '@trackway/server/testing/postgres-server.ts';
import pg from 'pg';
import { type Listened, startListener } from '../live.ts';
import { type MeasuredSent, send } from '../load/sending.ts';
import { sampleLocks } from '../load/slot-locks.ts';
import { postgresCpuMs } from '../print/postgres-cpu.ts';
import { maximum, median } from '../print/statistics.ts';
import { Api, startTrackway, type Trackway } from '../trackway.ts';
import { scatteredFences } from './scattered-fences.ts';
import { startFleet } from './tracked-fleet.ts';

export interface ClusterSize {
  readonly servers: number;
  readonly devices: number;
  readonly fences: number;
}

/** Reports with one position each. */
export interface ClusterLoad {
  readonly reports: number;
  /** Of each server. */
  readonly connections: number;
  /** In total; by default the next one follows each answer. */
  readonly perSecond?: number;
}

export interface ClusterCost {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Processor time per position, of all servers and of the database. */
  readonly serversUs: number;
  readonly databaseUs: number;
}

const SECRET = 'a secret for the bench that is long enough';
const RECENT_MS = 25 * 60_000;
const DURABLE = ['fsync', 'full_page_writes', 'synchronous_commit'];

/** Servers on a PostgreSQL of their own, which keeps what it commits, and a fleet: each device reports to one of them. */
export class Cluster {
  readonly #postgres: PostgresServer;
  readonly #client: pg.Client;
  readonly #nodes: Trackway[] = [];
  #keys: readonly string[] = [];
  #startAt = Date.now() - RECENT_MS;

  private constructor(postgres: PostgresServer) {
    this.#postgres = postgres;
    this.#client = new pg.Client({ connectionString: postgres.url });
  }

  static async start(size: ClusterSize): Promise<Cluster> {
    const cluster = new Cluster(await startPostgres({ durable: true }));
    try {
      await cluster.#start(size);
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  async #start({ servers, devices, fences }: ClusterSize): Promise<void> {
    await this.#client.connect();
    for (const name of DURABLE) {
      const { rows } = await this.#client.query(`SHOW ${name}`);
      if (rows[0][name] !== 'on') throw new Error(`${name} is ${rows[0][name]}`);
    }
    const { url } = this.#postgres;
    const environment = { TRACKWAY_SECRET: SECRET };
    const fleet = await startFleet(url, { devices, fences: scatteredFences(fences, 7000), environment });
    this.#keys = fleet.keys;
    this.#nodes.push(fleet.server);
    while (this.servers < servers)
      this.#nodes.push(await startTrackway({ TRACKWAY_DATABASE_URL: url, ...environment }));
  }

  get servers(): number {
    return this.#nodes.length;
  }

  async measure(load: ClusterLoad): Promise<ClusterCost> {
    const before = await postgresCpuMs(this.#client);
    const sent = await this.#send(this.#nodes, load);
    const databaseMs = (await postgresCpuMs(this.#client)) - before;
    const positions = sent.reduce((sum, one) => sum + one.positions, 0);
    return {
      perSecond: positions / maximum(sent.map(({ seconds }) => seconds)),
      p50Ms: median(sent.map(({ p50Ms }) => p50Ms)),
      p99Ms: maximum(sent.map(({ p99Ms }) => p99Ms)),
      serversUs: sent.reduce((sum, { cpuUs, positions: own }) => sum + cpuUs * own, 0) / positions,
      databaseUs: (databaseMs * 1000) / positions,
    };
  }

  /** The share of the time during which each slot is locked. The measurement itself takes time of the database. */
  async locks(load: ClusterLoad): Promise<number[]> {
    const locks = await sampleLocks(this.#postgres.url);
    await this.#send(this.#nodes, load);
    return locks.stop();
  }

  /** All reports go to the first server, and are read at the last. */
  async listen(load: ClusterLoad): Promise<Listened> {
    const [first, last] = [this.#nodes[0]!, this.#nodes.at(-1)!];
    const { token } = await Api.signIn(last.address);
    const listener = await startListener({ address: last.address, token, streams: 1, positions: load.reports });
    await this.#send([first], load);
    return listener.done();
  }

  async stop(): Promise<void> {
    for (const node of this.#nodes) await node.stop();
    await this.#client.end();
    await this.#postgres.stop();
  }

  async #send(nodes: readonly Trackway[], { reports, connections, perSecond }: ClusterLoad): Promise<MeasuredSent[]> {
    const everyMs = perSecond && (nodes.length * connections * 1000) / perSecond;
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
