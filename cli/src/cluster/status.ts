import { type ClusterNode, type ClusterStatus, clusterStatus } from '@trackway/server/app/cluster.ts';
import type { Command } from '../command.ts';
import { storeFlags } from '../setting-flags.ts';
import { table } from '../table.ts';
import { askCluster } from './cluster-address.ts';

export const command: Command = {
  describe: () => ({
    about:
      'Show the nodes that share a PostgreSQL database: version, last report, delay of work and exclusive work; the standbys of the database; and the workers of Citus.',
    flags: storeFlags(),
  }),

  async run(given) {
    console.log(textOf(await askCluster(given, clusterStatus)));
    return 0;
  },
};

function textOf({ nodes, standbys, slots, workers, unplaced }: ClusterStatus): string {
  const parts = [
    nodes.length === 0 ? 'No node has been started yet.' : table(HEADERS, nodes.map(cellsOf)),
    `Slots: ${slots.count}, with ${slots.liveEntries} entries of live streams that can be resumed.`,
    standbysText(standbys),
    ...(workers ? [workersText(workers, unplaced)] : []),
  ];
  return parts.join('\n\n');
}

const HEADERS = ['Node', 'State', 'Version', 'Seen', 'Lag', 'Positions', 'Streams', 'Does alone', 'Address'];

const cellsOf = (node: ClusterNode) => [
  node.name,
  node.state,
  node.version,
  `${Math.round(node.seenAgoMs / 1000)} s ago`,
  `${node.lagMs} ms`,
  `${node.positionsPerMinute}/min`,
  node.streams,
  owned(node),
  node.address,
];

export const owned = ({ owns }: ClusterNode): string =>
  Object.entries(owns)
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${what} ${count}`)
    .join(', ') || '–';

function standbysText(standbys: ClusterStatus['standbys']): string {
  if (standbys === undefined)
    return 'Standbys: not shown, because this PostgreSQL user does not have the role pg_monitor.';
  if (standbys.length === 0) return 'Standbys: none.';
  const rows = standbys.map(({ name, state, sync, lagBytes }) => [name, state, sync, `${lagBytes} bytes`]);
  return table(['Standby', 'State', 'Commits', 'Behind'], rows);
}

function workersText(workers: NonNullable<ClusterStatus['workers']>, unplaced: number): string {
  const rows = workers.map(({ host, port, state, shards, bytes }) => [
    `${host}:${port}`,
    state,
    shards,
    `${mib(bytes)} MiB`,
  ]);
  const due =
    unplaced === 0 ? '' : `\n${unplaced} tables are not distributed to them yet: see "trackway cluster spread --help".`;
  return `${table(['Worker', 'State', 'Shards', 'Size'], rows)}${due}`;
}

const mib = (bytes: number) => (bytes / 2 ** 20).toFixed(1);
