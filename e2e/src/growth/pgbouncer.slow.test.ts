import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { onPostgres } from '../../../server/src/testing/databases.ts';
import { apiOf } from '../harness/api.ts';
import { EventSource } from '../harness/event-source.ts';
import { startNodes } from '../harness/nodes.ts';
import { startReceiver } from '../harness/receiver.ts';
import { makeStation } from '../harness/station.ts';
import { startPgbouncer, withoutPgbouncer } from './pgbouncer.ts';

if (withoutPgbouncer !== false) console.error(`\n*** ${withoutPgbouncer} ***\n`);

const ROUNDS = 20;
const DEVICES = 5;
/** What would hold for a connection that others get too. */
const HELD = `SELECT pg_backend_pid() AS pid, current_setting('default_transaction_read_only') AS "readOnly",
  current_setting('statement_timeout') AS timeout, (SELECT COUNT(*) FROM pg_prepared_statements) AS statements,
  (SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()) AS locks,
  (SELECT COUNT(*) FROM pg_listening_channels()) AS channels`;
const NOTHING_HELD = '{"readOnly":"off","timeout":"0","statements":"0","locks":"0","channels":"0"}';
const START = Date.now() - 3_600_000;

onPostgres('nodes behind PgBouncer in transaction mode', { migrations: [] }, (open) => {
  for (const isDirect of [true, false])
    test(`report, stream, notify and resume, ${isDirect ? 'with a direct address for notices' : 'by polling alone'}`, {
      skip: withoutPgbouncer,
    }, async (t) => {
      const place = await open.emptyPlace();
      const pooled = await startPgbouncer(t, place);
      const receiver = await startReceiver();
      t.after(() => receiver.close());
      const settings = {
        TRACKWAY_DATABASE_PREPARED: 'no',
        TRACKWAY_DATABASE_CONNECTIONS: '12',
        ...(isDirect && { TRACKWAY_DATABASE_DIRECT_URL: place }),
      };
      const nodes = await startNodes(t, pooled, [settings, settings]);
      const apis = nodes.map(({ address }) => apiOf(address));
      t.after(async () => {
        for (const api of apis) api.close();
      });
      const { owner } = await makeStation(apis[0]!);
      const devices: { id: number; deviceKey: string }[] = [];
      for (let index = 0; index < DEVICES; index++) {
        const { id, deviceKey } = await owner.client.createDevice({ body: { name: `van ${index}` } });
        const parameters = { endpoint: receiver.address };
        await owner.client.createNotificationTrigger({
          id,
          body: { type: 'newMsg', parameters, delivery: { http: true } },
        });
        devices.push({ id, deviceKey: deviceKey! });
      }
      let stream = new EventSource(nodes[1]!.address, '', { authorization: owner.token });
      t.after(async () => stream.close());
      await stream.ready();
      const received: string[] = [];
      const all = ROUNDS * DEVICES;
      for (let round = 0; round < ROUNDS; round++) {
        await Promise.all(
          devices.map(async ({ deviceKey }, index) => {
            const timestamp = START + round * 1000;
            const points = [{ timestamp, lat: 50, lng: 8 + round / 1000 }];
            const messages = [{ timestamp, message: `${index} ${round}` }];
            const answer = await apis[(round + index) % 2]!('POST', '/ingest/reports', {
              token: deviceKey,
              body: { points, messages },
            });
            assert.equal(answer.status, 200, answer.text);
          }),
        );
        if (round !== ROUNDS / 2) continue;
        // It is resumed at the other node.
        await stream.until((now) => now.of('position').length > 0, 'some positions');
        stream.close();
        received.push(...stream.of('position').map(({ data }) => `${data.deviceId} ${data.timestamp}`));
        stream = new EventSource(nodes[0]!.address, `?lastEventId=${stream.lastId}`, { authorization: owner.token });
      }
      await stream.until((now) => received.length + now.of('position').length >= all, 'all positions');
      received.push(...stream.of('position').map(({ data }) => `${data.deviceId} ${data.timestamp}`));
      assert.equal(new Set(received).size, all);
      assert.equal(received.length, all, 'each once');
      await receiver.has(all);

      // Searches and long reads, which run on threads with connections of their own.
      const filter = { where: { speed: null }, order: 'speed', limit: 100 } as object;
      assert.equal((await owner.client.listPoints({ id: devices[0]!.id, filter })).length, ROUNDS);
      const notified = await owner.client.listNotifications({ id: owner.id, filter: { limit: 1000 } });
      assert.equal(notified.length, all);

      for (const node of nodes) {
        const isPolling = node.output().includes('behind a connection pooler');
        assert.equal(isPolling, !isDirect, node.output());
      }
      assert.deepEqual(await leftBehind(pooled), [NOTHING_HELD]);
    });
});

/** What the connections of the pooler hold, as whoever gets one next finds it: it takes one after the other. */
async function leftBehind(pooled: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: pooled });
  await client.connect();
  try {
    const found = new Map<string, unknown>();
    for (let turn = 0; turn < 60; turn++) {
      const { pid, ...held } = (await client.query(HELD)).rows[0];
      found.set(pid, held);
    }
    assert.ok(found.size > 1, 'there are several connections');
    return [...new Set([...found.values()].map((held) => JSON.stringify(held)))];
  } finally {
    await client.end();
  }
}
