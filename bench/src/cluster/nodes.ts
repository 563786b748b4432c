import { Cluster, type ClusterCost, type ClusterLoad } from '../fleet/cluster.ts';
import { loadAverage } from '../print/machine.ts';
import { maximum, median } from '../print/statistics.ts';
import { type Cells, number, printTable, verdict } from '../print/table.ts';

/**
 * One, two and three servers, each number on a PostgreSQL of its own that keeps what it commits: processor time per
 * position, the share of time that the lock of a slot is held, and the time from the reception at one server to a reader
 * of another. All run at the same time and take turns, so that a machine that becomes slower is slower for all.
 */

const SERVERS = [1, 2, 3];
const SIZE = { devices: 300, fences: 300 };
const SHORT = { devices: 48, fences: 10 };
const ROUNDS = 5;
const SHORT_ROUNDS = 1;
const WARM_REPORTS = 1500;
/**
 * Each server has as many devices at work as the one that is alone: more servers are for more devices. Where the same
 * reports are spread over more servers, fewer of them share a commit, and each costs more, with one server as with three.
 */
const fullOf = (servers: number): ClusterLoad => ({ reports: 1500 * servers, connections: 24 });
/** At a pace that leaves the machine idle for the most part. */
const pacedOf = (servers: number): ClusterLoad => ({
  reports: 360 * servers,
  connections: 24,
  perSecond: 60 * servers,
});
/** In all. */
const LISTENED: ClusterLoad = { reports: 2000, connections: 24, perSecond: 200 };
const CPU_BAR = 1.25;
const LOCK_BAR = 0.02;
const LIVE_BAR_MS = 50;

export async function benchNodes(flags: ReadonlySet<string>): Promise<void> {
  const isShort = flags.has('--short');
  const size = isShort ? SHORT : SIZE;
  const rounds = isShort ? SHORT_ROUNDS : ROUNDS;
  const clusters: Cluster[] = [];
  try {
    for (const servers of SERVERS) clusters.push(await Cluster.start({ servers, ...size }));
    for (const cluster of clusters) await cluster.measure({ reports: WARM_REPORTS * cluster.servers, connections: 24 });
    await costs('paced', clusters, rounds, pacedOf);
    await costs('full', clusters, rounds, fullOf);
    await locks(clusters);
    // Idle clusters also use the processor.
    while (clusters.length > 1) await clusters.shift()!.stop();
    await listening(clusters[0]!, rounds);
  } finally {
    for (const cluster of clusters) await cluster.stop();
  }
}

async function costs(
  name: string,
  clusters: readonly Cluster[],
  rounds: number,
  loadOf: (servers: number) => ClusterLoad,
): Promise<void> {
  const measured = await inTurns(clusters, rounds, (cluster) => cluster.measure(loadOf(cluster.servers)));
  const alone = measured.get(1)!;
  const rows = [...measured].map(([servers, all]): Cells => {
    const middle = (of: (cost: ClusterCost) => number) => median(all.map(of));
    // In the same round, since the machine is not as fast in each.
    const ratio = median(all.map((cost, round) => inAll(cost) / inAll(alone[round]!)));
    return [
      String(servers),
      number(middle(({ perSecond }) => perSecond)),
      number(
        middle(({ p50Ms }) => p50Ms),
        1,
      ),
      number(
        middle(({ p99Ms }) => p99Ms),
        1,
      ),
      number(middle(({ serversUs }) => serversUs)),
      number(middle(({ databaseUs }) => databaseUs)),
      number(ratio, 2),
      servers === 1 ? '' : `≤ ${CPU_BAR}`,
      servers === 1 ? '' : verdict(ratio <= CPU_BAR),
    ];
  });
  printTable(
    `Servers on one PostgreSQL with fsync, one position per request, ${name}, ${rounds} rounds, load average ${loadAverage()}`,
    ['servers', 'positions/s', 'p50 ms', 'p99 ms', 'µs servers', 'µs database', '÷ 1 server', 'bar', ''],
    rows,
  );
}

const inAll = ({ serversUs, databaseUs }: ClusterCost) => serversUs + databaseUs;

async function locks(clusters: readonly Cluster[]): Promise<void> {
  const rows: Cells[] = [];
  for (const cluster of clusters) {
    for (const [name, load] of [
      ['paced', pacedOf(cluster.servers)],
      ['full', fullOf(cluster.servers)],
    ] as const) {
      const shares = await cluster.locks(load);
      const perServer = maximum(shares) / cluster.servers;
      rows.push([
        String(cluster.servers),
        name,
        percent(maximum(shares)),
        percent(shares.reduce((a, b) => a + b) / shares.length),
        percent(perServer),
        `≤ ${LOCK_BAR * 100} %`,
        verdict(perServer <= LOCK_BAR),
      ]);
    }
  }
  printTable(
    'The share of time during which a slot is locked',
    ['servers', 'load', 'most', 'mean', 'most per server', 'bar', ''],
    rows,
  );
}

const percent = (share: number) => `${number(share * 100, 2)} %`;

async function listening(cluster: Cluster, rounds: number): Promise<void> {
  const rows: Cells[] = [];
  for (let round = 0; round < rounds; round++) {
    const { positions, p50Ms, p99Ms, maxMs } = await cluster.listen(LISTENED);
    const figures = [positions, p50Ms, p99Ms, maxMs].map((figure) => number(figure));
    rows.push([String(round + 1), ...figures, `≤ ${LIVE_BAR_MS}`, verdict(p99Ms <= LIVE_BAR_MS)]);
  }
  printTable(
    `A position at one of ${cluster.servers} servers → a reader at another, ${LISTENED.perSecond} positions/s in all`,
    ['round', 'events', 'p50 ms', 'p99 ms', 'max ms', 'bar', ''],
    rows,
  );
}

/** Every cluster once in each round. By number of servers. */
async function inTurns<T>(
  clusters: readonly Cluster[],
  rounds: number,
  measure: (cluster: Cluster) => Promise<T>,
): Promise<Map<number, T[]>> {
  const found = new Map(clusters.map(({ servers }): [number, T[]] => [servers, []]));
  for (let round = 0; round < rounds; round++)
    for (const cluster of clusters) found.get(cluster.servers)!.push(await measure(cluster));
  return found;
}
