import { setTimeout as pause } from 'node:timers/promises';
import { Random } from '@trackway/simulator/random.ts';
import { startReceiver } from '../../../e2e/src/harness/receiver.ts';
import type { ServerProcess } from '../../../e2e/src/harness/server-process.ts';
import { Sender } from '../fleet/sender.ts';
import { serve } from '../fleet/serve.ts';
import { setUpFleet } from '../fleet/set-up.ts';
import { Tally } from '../fleet/tally.ts';
import { placesOn } from '../places/places.ts';
import type { Trial } from '../trial.ts';
import { lookAt } from './kills.ts';

const PER_FLEET = 10;
/** Longer than some leases, so that the other node takes over what the paused one holds. */
const PAUSE_MS: readonly [number, number] = [500, 20_000];

/** Two servers on one PostgreSQL; at random one of them is killed and started again, or paused for a while. */
export const twoNodes: Trial = {
  about: 'two servers on one PostgreSQL, killed and paused at random',
  tries: { quick: 3, full: 20 },
  async run(total, progress) {
    await using places = await placesOn('postgres');
    const tally = new Tally();
    for (let done = 0, seed = 1; done < total; seed += 1) {
      const place = await places.make();
      const receiver = await startReceiver();
      const sender = new Sender(await setUpFleet('postgres', place, receiver.address), seed);
      const random = new Random(seed);
      const nodes = [await serve('postgres', place), await serve('postgres', place)];
      let isOver = false;
      const sending = sendToBoth(sender, nodes, () => !isOver);
      for (let event = 0; event < PER_FLEET && done < total; event += 1, done += 1) {
        await pause(random.between(200, 1500));
        const which = random.between(0, 1) < 0.5 ? 0 : 1;
        if (random.between(0, 1) < 0.6) {
          await nodes[which]!.kill();
          nodes[which] = await serve('postgres', place);
          tally.note('kills', 1);
        } else {
          process.kill(nodes[which]!.pid, 'SIGSTOP');
          await pause(random.between(...PAUSE_MS));
          process.kill(nodes[which]!.pid, 'SIGCONT');
          tally.note('pauses', 1);
        }
        progress(done + 1, tally.text());
      }
      isOver = true;
      await sending;
      for (const node of nodes) await node.stop();
      await lookAt(places, place, sender, receiver, tally);
      await receiver.close();
    }
    return tally.result(total);
  },
};

/** Devices send to either node; one that finds its node gone tries again, as devices do. */
async function sendToBoth(sender: Sender, nodes: readonly ServerProcess[], goOn: () => boolean): Promise<void> {
  while (goOn()) {
    await sender.send((device) => nodes[device % nodes.length]!.address, goOn);
    await pause(50);
  }
}
