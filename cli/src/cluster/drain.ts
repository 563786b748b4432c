import { setTimeout as pause } from 'node:timers/promises';
import { type ClusterNode, clusterStatus, drainNode } from '@trackway/server/app/cluster.ts';
import { type Command, Failure, UsageError } from '../command.ts';
import { storeFlags } from '../setting-flags.ts';
import { askCluster } from './cluster-address.ts';
import { owned } from './status.ts';

const LOOK_MS = 500;
const AFTER_S = 15;
const MOST_S = 3600;

export const command: Command = {
  describe: () => ({
    about:
      'Drain a node. It reports that it is not ready, so that load balancers send it no new requests. Then it ends its streams, passes its exclusive work to other nodes, and stops. The command waits until it has stopped.',
    args: ['node'],
    flags: {
      ...storeFlags(),
      after: {
        about: `Seconds until it stops, so that the load balancer can detect that it is not ready. [default: ${AFTER_S}]`,
        takes: 'NUMBER',
      },
    },
    more: `The node is named as "trackway cluster" lists it, or by its id. Listeners of its live streams resume at another node.
It stops with the exit code 0: configure an orchestrator that always restarts a node not to do so.`,
  }),

  async run(given) {
    const after = Number(given.flags.after ?? AFTER_S);
    if (!Number.isInteger(after) || after < 0 || after > MOST_S)
      throw new UsageError(`--after must be a whole number from 0 to ${MOST_S}.`);
    await askCluster(given, async (url) => {
      const { nodes } = await clusterStatus(url);
      const node = chosen(nodes, given.args[0]!);
      await drainNode(url, node.id, after * 1000);
      console.log(`Node ${node.name} is drained: it stops in ${after} seconds.`);
      for (let said = ''; ; await pause(LOOK_MS)) {
        const now = (await clusterStatus(url)).nodes.find(({ id }) => id === node.id);
        if (now === undefined || now.state === 'gone') break;
        const doing = owned(now);
        if (doing !== said) console.error(`Exclusive work that remains: ${doing}`);
        said = doing;
      }
      console.log(`Node ${node.name} has stopped.`);
    });
    return 0;
  },
};

function chosen(nodes: readonly ClusterNode[], name: string): ClusterNode {
  const found = nodes.filter((node) => node.state !== 'gone' && (node.name === name || node.id === name));
  if (found.length === 1) return found[0]!;
  if (found.length > 1)
    throw new Failure(
      `${found.length} nodes have the name ${name}. Specify one by its id: ${found.map(({ id }) => id).join(', ')}.`,
    );
  const up = nodes.filter(({ state }) => state !== 'gone').map((node) => node.name);
  throw new Failure(
    `Node ${name} is not running. ${up.length === 0 ? 'No node is.' : `Running nodes: ${up.join(', ')}.`}`,
  );
}
