import { Random } from '@trackway/simulator/random.ts';
import { type Receiver, startReceiver } from '../../../e2e/src/harness/receiver.ts';
import { eventually } from '../../../server/src/testing/eventually.ts';
import { lookInto } from '../../../server/src/testing/place.ts';
import { accountOfItems, accountOfNotifications } from '../fleet/account.ts';
import { differences, effectsAt, evaluated, quietEffects } from '../fleet/quiet.ts';
import { Sender } from '../fleet/sender.ts';
import { serve } from '../fleet/serve.ts';
import { setUpFleet } from '../fleet/set-up.ts';
import { Tally } from '../fleet/tally.ts';
import { type Places, placesOn } from '../places/places.ts';
import type { Trial } from '../trial.ts';

/** A fleet is killed this often before it is looked at; then the next one begins. */
const KILLS_PER_FLEET = 25;
/** A server is killed when it has acknowledged a number of reports in this range, while others are in progress. */
const REPORTS_UNTIL_KILLED: readonly [number, number] = [1, 300];

export const kills = (storeKind: 'sqlite' | 'postgres', tries: Trial['tries']): Trial => ({
  about: `kill -9 under load, on ${storeKind === 'sqlite' ? 'SQLite' : 'PostgreSQL'}`,
  tries,
  async run(total, progress) {
    await using places = await placesOn(storeKind);
    const tally = new Tally();
    for (let done = 0, seed = 1; done < total; seed += 1) {
      const killed = Math.min(KILLS_PER_FLEET, total - done);
      await killFleet(places, seed, killed, tally, (kill) => progress(done + kill, tally.text()));
      done += killed;
    }
    return tally.result(total);
  },
});

async function killFleet(
  places: Places,
  seed: number,
  killed: number,
  tally: Tally,
  progress: (kill: number) => void,
): Promise<void> {
  const { storeKind } = places;
  const random = new Random(seed);
  const place = await places.make();
  const receiver = await startReceiver();
  const sender = new Sender(await setUpFleet(storeKind, place, receiver.address), seed);
  for (let kill = 0; kill < killed; kill += 1) {
    const server = await serve(storeKind, place);
    const due = sender.acknowledged.length + Math.round(random.between(...REPORTS_UNTIL_KILLED));
    let end: Promise<void> | undefined;
    await sender.send(
      () => server.address,
      () => end === undefined,
      () => {
        if (sender.acknowledged.length >= due) end ??= server.kill();
      },
    );
    await end;
    progress(kill + 1);
  }
  await lookAt(places, place, sender, receiver, tally);
  await receiver.close();
}

/** The last server is not killed: it gets the unacknowledged reports, and sends all messages. */
export async function lookAt(
  places: Places,
  place: string,
  sender: Sender,
  receiver: Receiver,
  tally: Tally,
): Promise<void> {
  const { storeKind } = places;
  const last = await serve(storeKind, place);
  const enough = sender.acknowledged.length + Math.max(100, sender.pending);
  await sender.send(
    () => last.address,
    () => sender.acknowledged.length < enough,
  );
  await evaluated(place);
  await eventually('everything is sent', () => lookInto(place, isSent));
  await last.stop();
  await lookInto(place, async (store) => {
    tally.add(await accountOfItems(store, sender.acknowledged));
    tally.add(await accountOfNotifications(store));
    const rows = await store.query.selectFrom('outbox').select(['messageId', 'state']).execute();
    const received = new Set(receiver.received);
    tally.add({
      lost: rows.filter(({ messageId, state }) => state === 'sent' && !received.has(messageId)).map(String),
      doubled: [],
    });
    tally.note('reports', sender.acknowledged.length);
    tally.note('notifications sent', received.size);
    tally.note('sent again with the same id', receiver.received.length - received.size);
  });
  tally.add(
    differences(await effectsAt(place), await quietEffects(storeKind, await places.make(), sender.acknowledged)),
  );
  tally.fault(sender.wrongAnswers);
}

export async function isSent({ query }: Parameters<Parameters<typeof lookInto>[1]>[0]): Promise<boolean> {
  const open = await query
    .selectFrom('outbox')
    .select('id')
    .where('state', 'in', ['queued', 'sending', 'held'])
    .limit(1)
    .execute();
  const staged = await query.selectFrom('outboxRelay').select('id').limit(1).execute();
  return open.length + staged.length === 0;
}
