import { drainWorker } from '@trackway/server/app/spread.ts';
import type { Command } from '../command.ts';
import { storeFlags } from '../setting-flags.ts';
import { askCluster } from './cluster-address.ts';
import { followRebalance } from './follow-rebalance.ts';
import { workerAddress } from './worker-address.ts';

export const command: Command = {
  describe: () => ({
    about: 'Move all rows from a worker to the others with the rebalancer of Citus, and remove it. Nodes keep running.',
    args: ['host:port'],
    flags: storeFlags(),
    more: `The worker is named as "trackway cluster" lists it. If the command is interrupted, run it again: rows that were
moved stay where they are.`,
  }),

  async run(given) {
    const worker = workerAddress(given.args[0]!);
    await askCluster(given, (url) => drainWorker(url, worker, followRebalance()));
    console.log(`${worker.host}:${worker.port} no longer has rows and is no longer a worker.`);
    return 0;
  },
};
