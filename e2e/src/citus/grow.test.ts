import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { onCitus } from '../../../server/src/testing/databases.ts';
import { citusServers, makePlainAtCoordinator } from '../../../server/src/testing/storage/citus-places.ts';
import { MAIN } from '../../../server/src/testing/trackway-main.ts';
import { runCommand } from '../growth/command.ts';
import { apiOf } from '../harness/api.ts';
import { startServer } from '../harness/server-process.ts';
import { makeStation } from '../harness/station.ts';

const DEVICES = 70;
const MINUTE_MS = 60_000;

onCitus('a database that outgrows its server', { migrations: [] }, () => {
  test('is spread over workers, killed half-way and again, gets another worker and loses one: nothing is missing', async (t) => {
    const place = await makePlainAtCoordinator(t);
    const env = { TRACKWAY_DATABASE_URL: place };
    const trackway = async (words: readonly string[]) => {
      const done = await runCommand(words, env);
      assert.equal(done.code, 0, done.err);
      return done;
    };
    const [coordinator, first, second] = (await citusServers()).map(({ host, port }) => `${host}:${port}`);

    const server = await startServer('postgres', place);
    t.after(async () => {
      await server.stop();
    });
    const api = apiOf(server.address);
    t.after(async () => api.close());
    const { owner } = await makeStation(api);
    const startAt = Date.now() - 60 * MINUTE_MS;
    const keys = new Map<number, string>();
    const report = async (at: string, minute: number) => {
      for (const [id, key] of keys) {
        const timestamp = new Date(startAt + minute * MINUTE_MS).toISOString();
        const points = [{ timestamp, location: { lat: 50 + id / 1000, lng: 8 } }];
        const received = await apiOf(at)('POST', '/ingest/reports', { token: key, body: { points } });
        assert.equal(received.status, 200, received.text);
      }
    };
    for (let count = 0; count < DEVICES; count += 1) {
      const device = await owner.client.createDevice({ body: { name: `van ${count}` } });
      keys.set(device.id, device.deviceKey!);
    }
    await report(server.address, 0);

    const early = await runCommand(['cluster', 'spread'], env);
    assert.match(early.err, /no workers yet/);
    await trackway(['cluster', 'add-worker', first!, '--coordinator', coordinator!]);
    const running = await runCommand(['cluster', 'spread'], env);
    assert.match(running.err, /Nodes run: .+Stop all of them first/);
    assert.match((await trackway(['cluster'])).out, /tables are not distributed to them yet/);
    assert.equal(await server.stop(), 0);

    for (const tables of [5, 20, 60]) await killedAfter(tables, env);
    assert.match((await trackway(['cluster', 'spread'])).out, /tables are distributed/);
    assert.match((await trackway(['cluster', 'spread'])).out, /spread already/);

    const spread = await startServer('postgres', place);
    t.after(async () => {
      await spread.stop();
    });
    const counts = async () => {
      const points: number[] = [];
      for (const id of keys.keys()) {
        const answer = await apiOf(spread.address)('GET', `/api/devices/${id}/points/count`, { token: owner.token });
        points.push(answer.body.count);
      }
      return new Set(points);
    };
    assert.deepEqual(await counts(), new Set([1]));
    await report(spread.address, 1);
    assert.deepEqual(await counts(), new Set([2]));

    await trackway(['cluster', 'add-worker', second!]);
    const rebalancing = trackway(['cluster', 'rebalance']);
    await report(spread.address, 2);
    await rebalancing;
    const both = (await trackway(['cluster'])).out;
    for (const worker of [first, second]) assert.match(both, new RegExp(`^${worker} +up +[1-9]`, 'm'));
    await report(spread.address, 3);
    assert.deepEqual(await counts(), new Set([4]));

    const draining = trackway(['cluster', 'drain-worker', first!]);
    await report(spread.address, 4);
    await draining;
    const one = (await trackway(['cluster'])).out;
    assert.doesNotMatch(one, new RegExp(`^${first} `, 'm'));
    await report(spread.address, 5);
    assert.deepEqual(await counts(), new Set([6]));
    assert.match((await runCommand(['cluster', 'drain-worker', second!], env)).err, /only worker/);

    await trackway(['cluster', 'add-worker', first!]);
    await trackway(['cluster', 'rebalance']);
    assert.match((await trackway(['cluster'])).out, new RegExp(`^${first} +up +[1-9]`, 'm'));
    await report(spread.address, 6);
    assert.deepEqual(await counts(), new Set([7]));
  });
});

/** Kills a spread once so many tables were begun; it may be done before that. */
async function killedAfter(tables: number, env: Record<string, string>): Promise<void> {
  const child = spawn(process.execPath, [MAIN, 'cluster', 'spread'], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text;
    if (Number(/(\d+) of \d+: [^\n]*\n$/.exec(said)?.[1] ?? 0) >= tables) child.kill('SIGKILL');
  });
  await once(child, 'close');
}
