import { rebalanceCluster } from '@trackway/server/app/spread.ts';
import type { Command } from '../command.ts';
import { storeFlags } from '../setting-flags.ts';
import { askCluster } from './cluster-address.ts';
import { followRebalance } from './follow-rebalance.ts';

export const command: Command = {
  describe: () => ({
    about: 'Distribute the rows evenly among the workers with the rebalancer of Citus. Nodes keep running.',
    flags: storeFlags(),
    more: `The database does it in the background, also if this command is interrupted: run it again to follow. It needs
wal_level = logical at all servers.`,
  }),

  async run(given) {
    await askCluster(given, (url) => rebalanceCluster(url, followRebalance()));
    console.log('The rows are distributed evenly.');
    return 0;
  },
};
