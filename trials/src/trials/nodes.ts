import { setTimeout as pause } from 'node:timers/promises';
import { Random } from '@trackway/simulator/random.ts';
import { apiOf } from '../../../e2e/src/harness/api.ts';
import { adminOf } from '../../../e2e/src/harness/people.ts';
import { startReceiver } from '../../../e2e/src/harness/receiver.ts';
import type { ServerProcess } from '../../../e2e/src/harness/server-process.ts';
import { LiveListener } from '../fleet/listener.ts';
import { Sender } from '../fleet/sender.ts';
import { serve } from '../fleet/serve.ts';
import { setUpFleet } from '../fleet/set-up.ts';
import { Tally } from '../fleet/tally.ts';
import { type Places, placesOn } from '../places/places.ts';
import type { Progress, Trial, TrialResult } from '../trial.ts';
import { lookAt } from './kills.ts';

export const NODES = 3;
/** A fleet has this many kills and pauses before it is looked at; then the next one begins. */
const PER_FLEET = 12;
/** One in six is a pause. */
const PAUSE_EVERY = 6;
/** Readers of the live stream: each goes to another node now and then, and when its own is gone. */
const LISTENERS = 3;
/** Longer than some leases, so that another node takes over what the paused one holds. */
const PAUSE_MS: readonly [number, number] = [500, 20_000];

/** Several servers on one PostgreSQL; at random one of them is killed and started again, or paused for a while. */
export const nodes: Trial = {
  about: 'three nodes on one PostgreSQL, killed and paused at random',
  tries: { quick: 6, full: 120 },
  run: (total, progress) =>
    disturbNodes(placesOn('postgres'), total, progress, async (running, event, random) => {
      const which = Math.floor(random.between(0, NODES)) % NODES;
      if (event % PAUSE_EVERY !== 0) return killAndRestart(running, which);
      process.kill(running.servers[which]!.pid, 'SIGSTOP');
      await pause(random.between(...PAUSE_MS));
      process.kill(running.servers[which]!.pid, 'SIGCONT');
      running.tally.note('pauses', 1);
    }),
};

export interface RunningNodes {
  readonly place: string;
  readonly servers: ServerProcess[];
  readonly tally: Tally;
}

export async function killAndRestart({ place, servers, tally }: RunningNodes, which: number): Promise<void> {
  await servers[which]!.kill();
  servers[which] = await serve('postgres', place);
  tally.note('kills', 1);
}

/** Counts what is stored, what follows from it and what is streamed, while something happens to the nodes again and again. */
export async function disturbNodes(
  making: Promise<Places>,
  total: number,
  progress: Progress,
  disturb: (running: RunningNodes, event: number, random: Random) => Promise<void>,
): Promise<TrialResult> {
  await using places = await making;
  const tally = new Tally();
  for (let done = 0, seed = 1; done < total; seed += 1) {
    const place = await places.make();
    const receiver = await startReceiver();
    const sender = new Sender(await setUpFleet('postgres', place, receiver.address), seed);
    const random = new Random(seed);
    // At once, as an orchestrator starts them.
    const servers = await Promise.all(Array.from({ length: NODES }, () => serve('postgres', place)));
    const listeners = await listenersAt(servers, random);
    let isOver = false;
    const sending = sendToAll(sender, servers, () => !isOver);
    for (let event = 0; event < PER_FLEET && done < total; event += 1) {
      await pause(random.between(200, 1500));
      done += 1;
      await disturb({ place, servers, tally }, done, random);
      listeners[event % LISTENERS]!.move();
      progress(done, tally.text());
    }
    isOver = true;
    await sending;
    for (const listener of listeners) {
      const { resets, moves, ...account } = await listener.end(place);
      tally.add(account);
      tally.fault(new Array(resets).fill('a stream could not resume'));
      tally.note('resumed streams', moves - 1);
    }
    for (const node of servers) await node.stop();
    await lookAt(places, place, sender, receiver, tally);
    await receiver.close();
  }
  return tally.result(total);
}

async function listenersAt(running: readonly ServerProcess[], random: Random): Promise<LiveListener[]> {
  const api = apiOf(running[0]!.address);
  const { token } = await adminOf(api);
  api.close();
  const addresses = () => running.map(({ address }) => address);
  const listeners = Array.from({ length: LISTENERS }, () => new LiveListener(addresses, token, random));
  for (const listener of listeners) await listener.begin();
  return listeners;
}

/** Devices send to any node; one that finds its node gone tries again, as devices do. */
async function sendToAll(sender: Sender, running: readonly ServerProcess[], goOn: () => boolean): Promise<void> {
  while (goOn()) {
    await sender.send((device) => running[device % running.length]!.address, goOn);
    await pause(50);
  }
}
