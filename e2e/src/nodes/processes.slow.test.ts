import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onPostgres } from '../../../server/src/testing/databases.ts';
import { eventually } from '../../../server/src/testing/eventually.ts';
import { lookInto } from '../../../server/src/testing/place.ts';
import { apiOf } from '../harness/api.ts';
import { adminOf } from '../harness/people.ts';
import { startServer } from '../harness/server-process.ts';
import { voiceOf } from '../harness/station.ts';

const DEVICES = 12;
const REPORTS = 40;

onPostgres('a server of two processes under load', { migrations: [] }, (open) => {
  test('starts a killed process again, and loses and doubles nothing', async (t) => {
    const place = await open.emptyPlace();
    const server = await startServer('postgres', place, { TRACKWAY_PROCESSES: '2' });
    t.after(() => server.stop());
    const readyIds = (number: number) =>
      [...server.output().matchAll(/Process (\d) is ready \(process id (\d+)\)/g)]
        .filter(([, one]) => one === String(number))
        .map(([, , id]) => Number(id));
    await eventually('both are ready', () => readyIds(2).length === 1);
    const api = apiOf(server.address);
    t.after(async () => api.close());
    const { client } = voiceOf(api, await adminOf(api));
    const firstAt = Date.now() - REPORTS * 1000;
    let acknowledged = 0;
    /** As a device does: the next report once this one was acknowledged, over a new connection where one broke. */
    const reportAll = async (key: string) => {
      for (let index = 0; index < REPORTS; ) {
        const point = { lat: 50, lng: 8 + index / 1000, timestamp: new Date(firstAt + index * 1000).toISOString() };
        const answer = await fetch(`${server.address}/ingest/reports`, {
          method: 'POST',
          headers: { authorization: key, 'content-type': 'application/json' },
          body: JSON.stringify({ points: [point] }),
        }).catch(() => undefined);
        if (answer === undefined) continue;
        await answer.text().catch(() => '');
        if (answer.status !== 200) continue;
        index++;
        acknowledged++;
      }
    };
    const devices = await Promise.all(
      Array.from({ length: DEVICES }, (_, index) => client.createDevice({ body: { name: `van ${index}` } })),
    );
    const sending = Promise.all(devices.map(({ deviceKey }) => reportAll(deviceKey!)));
    await eventually('reports are acknowledged', () => acknowledged > 50);
    process.kill(readyIds(2)[0]!, 'SIGKILL');
    await eventually('it is there again', () => readyIds(2).length === 2);
    process.kill(readyIds(1)[0]!, 'SIGKILL');
    await sending;
    await eventually('the first is there again', () => readyIds(1).length === 2);
    const stored = await lookInto(place, (store) =>
      store.query
        .selectFrom('points')
        .select(['deviceId', ({ fn }) => fn.countAll().as('count')])
        .groupBy('deviceId')
        .execute(),
    );
    assert.deepEqual(
      stored.map(({ deviceId, count }) => [Number(deviceId), Number(count)]).sort(([a], [b]) => a! - b!),
      devices.map(({ id }) => [id, REPORTS]).sort(([a], [b]) => a! - b!),
    );
    assert.equal(await server.stop(), 0);
  });
});
