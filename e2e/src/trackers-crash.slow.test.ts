import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gt06 } from '@trackway/simulator/trackers/gt06.ts';
import { imeiOf } from '@trackway/simulator/trackers/voices.ts';
import { MIGRATIONS } from '../../server/src/domain/schema/migrations.ts';
import { onBothEngines } from '../../server/src/testing/databases.ts';
import { eventually } from '../../server/src/testing/eventually.ts';
import { lookInto } from '../../server/src/testing/place.ts';
import { apiOf } from './harness/api.ts';
import { startServer } from './harness/server-process.ts';
import { makeStation } from './harness/station.ts';
import { connectTracker } from './harness/tracker.ts';

/** A tracker forgets what is confirmed, so whatever ends the server, that is stored. */

const COUNT = 1500;

onBothEngines('a server that ends while a tracker reports', { migrations: [] }, (open) => {
  for (const way of ['kill', 'stop'] as const)
    test(`has stored what it confirmed: ${way}`, async (t) => {
      const place = await open.migratedPlace(MIGRATIONS);
      const server = await startServer(open.storeKind, place);
      const api = apiOf(server.address);
      t.after(() => api.close());
      const { owner } = await makeStation(api);
      const imei = imeiOf(1);
      const { id } = await owner.client.createDevice({ body: { imei, allowKeyless: true } });
      const startAt = Math.floor(Date.now() / 1000) * 1000 - COUNT * 1000;
      const points = Array.from({ length: COUNT }, (_, n) => ({
        timestamp: startAt + n * 1000,
        location: { lat: 50 + n / 100_000, lng: 8 },
      }));
      const tracker = await connectTracker(t, gt06, imei, server.trackersPort);
      await tracker.logIn();
      tracker.report(points);
      await tracker.confirmed(50);
      const code = await server[way]();
      if (way === 'stop') assert.equal(code, 0, server.output());
      await eventually('the tracker is cut off', () => tracker.isClosed());
      const confirmed = tracker.answers().filter((answer) => answer === 'confirmed').length;
      const stored = () =>
        lookInto(place, async (store) => {
          const rows = await store.query.selectFrom('points').select('timestamp').where('deviceId', '=', id).execute();
          return rows.map(({ timestamp }) => (timestamp - startAt) / 1000).toSorted((a, b) => a - b);
        });
      const kept = await stored();
      assert.deepEqual(
        kept.slice(0, confirmed),
        points.slice(0, confirmed).map((_, n) => n),
        `${confirmed} were confirmed`,
      );

      const next = await startServer(open.storeKind, place);
      t.after(() => next.kill());
      const again = await connectTracker(t, gt06, imei, next.trackersPort);
      await again.logIn();
      again.report(points);
      await again.confirmed(COUNT);
      await next.stop();
      assert.deepEqual(
        await stored(),
        points.map((_, n) => n),
        'each of them once',
      );
    });
});
