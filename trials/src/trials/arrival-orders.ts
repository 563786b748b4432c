import { Random } from '@trackway/simulator/random.ts';
import { lookInto } from '../../../server/src/testing/place.ts';
import { accountOfItems } from '../fleet/account.ts';
import { differences, effectsAt, evaluated, quietEffects } from '../fleet/quiet.ts';
import { type FleetReport, reportsOf } from '../fleet/reports.ts';
import { serve } from '../fleet/serve.ts';
import { setUpFleet } from '../fleet/set-up.ts';
import { Tally } from '../fleet/tally.ts';
import { placesOn } from '../places/places.ts';
import type { Trial } from '../trial.ts';

const REPORTS = 400;

/** The same reports in another order, some of them twice: what follows from them is the same. */
export const arrivalOrders: Trial = {
  about: 'reports in random orders, some sent again, on SQLite',
  tries: { quick: 2, full: 20 },
  async run(total, progress) {
    await using places = await placesOn('sqlite');
    const tally = new Tally();
    for (let seed = 1; seed <= total; seed += 1) {
      const random = new Random(seed);
      const said: FleetReport[] = [];
      for (const report of reportsOf(seed)) if (said.push(report) === REPORTS) break;
      const place = await places.make();
      const keys = await setUpFleet('sqlite', place);
      const server = await serve('sqlite', place);
      const again = said.filter(() => random.between(0, 1) < 0.2);
      for (const { device, body } of shuffled([...said, ...again], random)) {
        const headers = { authorization: keys[device]!, 'content-type': 'application/json' };
        const answer = await fetch(`${server.address}/ingest/reports`, { method: 'POST', headers, body });
        if (answer.status !== 200) tally.fault([`${answer.status} ${await answer.text()}`]);
      }
      await evaluated(place);
      await server.stop();
      await lookInto(place, async (store) => tally.add(await accountOfItems(store, said)));
      tally.add(differences(await effectsAt(place), await quietEffects('sqlite', await places.make(), said)));
      tally.note('reports', said.length + again.length);
      progress(seed, tally.text());
    }
    return tally.result(total);
  },
};

function shuffled<T>(items: readonly T[], random: Random): T[] {
  return items
    .map((item) => ({ item, at: random.between(0, 1) }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
