import { setTimeout as pause } from 'node:timers/promises';
import { addClusterWorker, drainWorker, rebalanceCluster } from '../../../server/src/app/spread.ts';
import { citusServers, citusUrl } from '../../../server/src/testing/storage/citus-places.ts';
import { citusDatabases } from '../places/places.ts';
import type { Trial } from '../trial.ts';
import { disturbNodes, killAndRestart, NODES, type RunningNodes } from './nodes.ts';

const FOLLOWING = { report: () => {}, pause: () => pause(200) };

/** Several servers on a distributed database. Nodes are killed while a worker is drained, added again and given rows. */
export const citus: Trial = {
  about: 'three nodes on Citus, killed while a worker is drained, added again and given its rows',
  tries: { quick: 4, full: 40 },
  missing: () => (citusUrl() === undefined ? 'TRACKWAY_TEST_CITUS_URL names no coordinator' : undefined),
  run: (total, progress) =>
    disturbNodes(citusDatabases(), total, progress, async (running, event, random) => {
      const moving = event % 2 === 1 ? drain(running) : refill(running);
      await pause(random.between(0, 3000));
      await Promise.all([moving, killAndRestart(running, event % NODES)]);
    }),
};

async function drain({ place, tally }: RunningNodes): Promise<void> {
  const [, , second] = await citusServers();
  await drainWorker(place, second!, FOLLOWING);
  tally.note('drained workers', 1);
}

async function refill({ place, tally }: RunningNodes): Promise<void> {
  const [coordinator, , second] = await citusServers();
  await addClusterWorker(place, second!, coordinator!);
  await rebalanceCluster(place, FOLLOWING);
  tally.note('rebalances', 1);
}
