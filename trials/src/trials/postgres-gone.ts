import { setTimeout as pause } from 'node:timers/promises';
import { Random } from '@trackway/simulator/random.ts';
import { startReceiver } from '../../../e2e/src/harness/receiver.ts';
import { eventually } from '../../../server/src/testing/eventually.ts';
import { Sender } from '../fleet/sender.ts';
import { serve } from '../fleet/serve.ts';
import { setUpFleet } from '../fleet/set-up.ts';
import { Tally } from '../fleet/tally.ts';
import { placesOn } from '../places/places.ts';
import type { Trial } from '../trial.ts';
import { lookAt } from './kills.ts';

const PER_FLEET = 10;

/** PostgreSQL crashes under load and comes back; the server stays. */
export const postgresGone: Trial = {
  about: 'PostgreSQL crashes under load and comes back',
  tries: { quick: 2, full: 20 },
  async run(total, progress) {
    await using places = await placesOn('postgres');
    const tally = new Tally();
    for (let done = 0, seed = 1; done < total; seed += 1) {
      const place = await places.make();
      const receiver = await startReceiver();
      const sender = new Sender(await setUpFleet('postgres', place, receiver.address), seed);
      const server = await serve('postgres', place);
      const random = new Random(seed);
      for (let crash = 0; crash < PER_FLEET && done < total; crash += 1, done += 1) {
        let isBack = false;
        const sent = sender.send(
          () => server.address,
          () => !isBack,
        );
        await pause(random.between(50, 1500));
        await places.crash!();
        const seen = () => fetch(`${server.address}/readyz`).then(({ status }) => status);
        await eventually('it is ready again', seen, (status) => status === 200);
        isBack = true;
        await sent;
        progress(done + 1, tally.text());
      }
      if (!server.isRunning()) tally.fault([`the server ended: ${server.output().slice(-500)}`]);
      await server.stop();
      await lookAt(places, place, sender, receiver, tally);
      await receiver.close();
    }
    return tally.result(total);
  },
};
