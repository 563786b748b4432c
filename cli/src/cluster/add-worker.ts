import { addClusterWorker } from '@trackway/server/app/spread.ts';
import type { Command } from '../command.ts';
import { storeFlags } from '../setting-flags.ts';
import { askCluster } from './cluster-address.ts';
import { serverOf, workerAddress } from './worker-address.ts';

export const command: Command = {
  describe: () => ({
    about:
      'Add another PostgreSQL server with Citus as a worker of the database. It gets a database of the same name. Nodes keep running.',
    args: ['host:port'],
    flags: {
      ...storeFlags(),
      coordinator: {
        about:
          'Address of the coordinator for workers, given with the first worker. [default: as in TRACKWAY_DATABASE_URL]',
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
    console.log(`${worker.host}:${worker.port} is now a worker.`);
    return 0;
  },
};
