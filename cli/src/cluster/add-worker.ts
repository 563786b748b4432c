import { addClusterWorker } from '@trackway/server/spread.ts';
import type { Command } from '../command.ts';
import { storeFlags } from '../setting-flags.ts';
import { askCluster } from './cluster-address.ts';
import { serverOf, workerAddress } from './worker-address.ts';

export const command: Command = {
  describe: () => ({
    about:
      'Make another server of PostgreSQL with Citus a worker of the database. It gets a database of the same name. Nodes go on meanwhile.',
    args: ['host:port'],
    flags: {
      ...storeFlags(),
      coordinator: {
        about: 'How workers reach the coordinator, said with the first of them. [default: as in TRACKWAY_DATABASE_URL]',
        takes: 'HOST:PORT',
      },
    },
    more: `Both servers have citus in shared_preload_libraries. The user of TRACKWAY_DATABASE_URL may create databases and
extensions, and logs in at the worker with the same password.

After the first workers, spread the tables: "trackway cluster spread". After another one, give it its share of the
rows: "trackway cluster rebalance".`,
  }),

  async run(given) {
    const worker = workerAddress(given.args[0]!);
    await askCluster(given, (url) => {
      const { coordinator } = given.flags;
      return addClusterWorker(url, worker, coordinator === undefined ? serverOf(url) : workerAddress(coordinator));
    });
    console.log(`${worker.host}:${worker.port} is a worker now.`);
    return 0;
  },
};
