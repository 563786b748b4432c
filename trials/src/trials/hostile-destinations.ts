import { readFileSync } from 'node:fs';
import { apiOf } from '../../../e2e/src/harness/api.ts';
import { startReceiver } from '../../../e2e/src/harness/receiver.ts';
import { makeStation } from '../../../e2e/src/harness/station.ts';
import { eventually } from '../../../server/src/testing/eventually.ts';
import { serve } from '../fleet/serve.ts';
import { Tally } from '../fleet/tally.ts';
import { hostileDestinations } from '../hostile/destinations.ts';
import { placesOn } from '../places/places.ts';
import type { Trial } from '../trial.ts';

/** Messages to each destination. */
const MESSAGES = 60;
const SANE_MEMORY_KB = 700_000;
const STOPS_WITHIN_MS = 10_000;

/** A normal webhook gets all of its messages once, while others hang, send wrong answers or never end. */
export const hostileDestinationsTrial: Trial = {
  about: 'one normal webhook among others that hang, reset, send wrong answers or never end',
  tries: { quick: 1, full: 10 },
  async run(total, progress) {
    await using places = await placesOn('sqlite');
    const tally = new Tally();
    for (let round = 1; round <= total; round += 1) {
      const server = await serve('sqlite', await places.make());
      const api = apiOf(server.address);
      const { owner } = await makeStation(api);
      const bad = await hostileDestinations();
      const good = await startReceiver();
      const { id, deviceKey } = await owner.client.createDevice({ body: { name: 'van' } });
      for (const target of [...bad.map(({ address }) => address), good.address])
        await owner.client.createForwarder({ id, body: { kind: 'http', target, types: ['newLoc'] } });
      const start = Date.now() - MESSAGES * 1000;
      for (let n = 0; n < MESSAGES; n += 1) {
        const points = [{ timestamp: start + n * 1000, location: { lat: 50, lng: 8 + n / 1e4 } }];
        const { status } = await api('POST', '/ingest/reports', { token: deviceKey!, body: { points } });
        if (status !== 200) tally.fault([`a report was answered ${status}`]);
      }
      await good.has(MESSAGES);
      await eventually('each bad one was tried', async () =>
        (await owner.client.listDestinations({ id: owner.id })).every(
          ({ lastSuccess, lastError }) => lastSuccess !== null || lastError !== null,
        ),
      );
      const memory = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1] ?? 0);
      if (memory > SANE_MEMORY_KB) tally.fault([`it takes ${memory} kB`]);
      api.close();
      const stopping = performance.now();
      const code = await server.stop();
      const tookMs = performance.now() - stopping;
      if (code !== 0) tally.fault([`it stopped with exit code ${code}`]);
      if (tookMs > STOPS_WITHIN_MS) tally.note('stops slower than 10 s', 1);
      tally.add({ lost: [], doubled: good.received.filter((messageId, n) => good.received.indexOf(messageId) !== n) });
      tally.note('messages to the normal webhook', good.messages.size);
      for (const one of bad) one[Symbol.dispose]();
      await good.close();
      progress(round, tally.text());
    }
    return tally.result(total);
  },
};
