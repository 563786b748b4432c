import { Random } from '@trackway/simulator/random.ts';
import { startReceiver } from '../../../e2e/src/harness/receiver.ts';
import { eventually } from '../../../server/src/testing/eventually.ts';
import { lookInto } from '../../../server/src/testing/place.ts';
import { accountOfItems, accountOfNotifications } from '../fleet/account.ts';
import { evaluated } from '../fleet/quiet.ts';
import { serve } from '../fleet/serve.ts';
import { setUpFleet } from '../fleet/set-up.ts';
import { Tally } from '../fleet/tally.ts';
import { TrackerSender, trackerIdentity } from '../fleet/tracker-sender.ts';
import { type Places, placesOn } from '../places/places.ts';
import type { Trial } from '../trial.ts';
import { isSent } from './kills.ts';

const KILLS_PER_FLEET = 25;
const FRAMES_UNTIL_KILLED: readonly [number, number] = [1, 300];

/** A tracker forgets what the server confirmed: it must be there, whatever becomes of the server then. */
export const killsOfTrackers: Trial = {
  about: 'kill -9 while trackers report over Teltonika and GT06, on SQLite',
  tries: { quick: 5, full: 100 },
  async run(total, progress) {
    await using places = await placesOn('sqlite');
    const tally = new Tally();
    for (let done = 0, seed = 1; done < total; seed += 1) {
      const killed = Math.min(KILLS_PER_FLEET, total - done);
      await killFleet(places, seed, killed, tally, (kill) => progress(done + kill, tally.text()));
      done += killed;
    }
    return tally.result(total);
  },
};

async function killFleet(
  places: Places,
  seed: number,
  killed: number,
  tally: Tally,
  progress: (kill: number) => void,
): Promise<void> {
  const random = new Random(seed);
  const place = await places.make();
  const receiver = await startReceiver();
  await setUpFleet('sqlite', place, receiver.address, trackerIdentity);
  const sender = new TrackerSender(seed);
  for (let kill = 0; kill < killed; kill += 1) {
    const server = await serve('sqlite', place);
    const due = sender.confirmed.length + Math.round(random.between(...FRAMES_UNTIL_KILLED));
    let end: Promise<void> | undefined;
    await sender.send(
      server.trackersPort,
      () => end === undefined,
      () => {
        if (sender.confirmed.length >= due) end ??= server.kill();
      },
    );
    await end;
    progress(kill + 1);
  }
  const last = await serve('sqlite', place);
  const enough = sender.confirmed.length + 100;
  await sender.send(last.trackersPort, () => sender.confirmed.length < enough);
  await evaluated(place);
  await eventually('everything is sent', () => lookInto(place, isSent));
  await last.stop();
  await lookInto(place, async (store) => {
    tally.add(await accountOfItems(store, [{ device: 0, body: '', items: sender.confirmed }]));
    tally.add(await accountOfNotifications(store));
  });
  tally.note('positions confirmed', sender.confirmed.length);
  tally.note('notifications sent', new Set(receiver.received).size);
  await receiver.close();
}
