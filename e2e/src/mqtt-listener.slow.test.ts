import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MIGRATIONS } from '../../server/src/domain/schema/migrations.ts';
import { onBothEngines } from '../../server/src/testing/databases.ts';
import { eventually } from '../../server/src/testing/eventually.ts';
import { lookInto } from '../../server/src/testing/place.ts';
import { apiOf } from './harness/api.ts';
import { startBroker } from './harness/broker.ts';
import { startServer } from './harness/server-process.ts';
import { makeStation } from './harness/station.ts';

/** A broker forgets what is acknowledged, so whatever ends the server, that is stored; the rest comes again. */

const COUNT = 400;

onBothEngines('a server that listens to the broker', { migrations: [] }, (open) => {
  for (const way of ['kill', 'stop'] as const)
    test(`stores each message once, whatever ends it: ${way}`, async (t) => {
      const broker = await startBroker(t);
      const settings = {
        TRACKWAY_MQTT_URL: broker.url,
        TRACKWAY_MQTT_LISTEN: 'owntracks,openmqttgateway',
      };
      const place = await open.migratedPlace(MIGRATIONS);
      const server = await startServer(open.storeKind, place, settings);
      t.after(() => server.kill());
      const api = apiOf(server.address);
      t.after(() => api.close());
      const { owner } = await makeStation(api);
      const { id } = await owner.client.createDevice({ body: { serial: 'jane/pixel', allowKeyless: true } });
      const gateway = await owner.client.createDevice({ body: { serial: 'garage', allowKeyless: true } });
      await eventually('it listens', () => server.output().includes('Listening to the MQTT broker'));

      const startAt = Math.floor(Date.now() / 1000) - COUNT;
      const stored = () =>
        lookInto(place, async (store) => {
          const rows = await store.query.selectFrom('points').select('timestamp').where('deviceId', '=', id).execute();
          return rows.map(({ timestamp }) => timestamp / 1000 - startAt).toSorted((a, b) => a - b);
        });
      await broker.publish('home/garage/BTtoMQTT/A4C138112233', { tempc: 21.5, rssi: -70 });
      const publishing = Promise.all(
        Array.from({ length: COUNT }, (_, n) =>
          broker.publish('owntracks/jane/pixel', {
            _type: 'location',
            lat: 50 + n / 100_000,
            lon: 8,
            tst: startAt + n,
          }),
        ),
      );
      await eventually('some are stored', async () => (await stored()).length > 0);
      await server[way]();
      await publishing;
      const next = await startServer(open.storeKind, place, settings);
      t.after(() => next.kill());
      await eventually('all are stored', async () => (await stored()).length >= COUNT);
      await next.stop();
      assert.deepEqual(
        await stored(),
        Array.from({ length: COUNT }, (_, n) => n),
        'each of them once',
      );
      const sightings = await lookInto(place, ({ query }) =>
        query.selectFrom('gatewayReadings').select('type').where('gatewayId', '=', gateway.id).execute(),
      );
      assert.deepEqual(
        sightings.map(({ type }) => type),
        ['temp'],
      );
    });
});
