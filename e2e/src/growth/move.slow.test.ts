import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { MIGRATIONS } from '../../../server/src/domain/schema/migrations.ts';
import { onPostgres } from '../../../server/src/testing/databases.ts';
import { eventually } from '../../../server/src/testing/eventually.ts';
import { apiOf } from '../harness/api.ts';
import { EventSource } from '../harness/event-source.ts';
import { startReceiver } from '../harness/receiver.ts';
import { startServer } from '../harness/server-process.ts';
import { makeStation, type Voice, voiceOf } from '../harness/station.ts';
import { runCommand } from './command.ts';
import { fillEmptyTables } from './fill-tables.ts';

const SETTINGS = { TRACKWAY_ALLOW_TARGETS: '127.0.0.0/8' };
const SECRET = 'another secret that is long enough for it';
/** Several slices of the copy. */
const POSITIONS = 9000;
const START = Date.now() - 20 * 3_600_000;
const MOVE = new URL('../../../server/src/app/move.ts', import.meta.url).href;

/** A move that kills itself, without warning, at its n-th step with a table. */
async function killedAt(file: string, url: string, step: string, table: string, nth: number): Promise<void> {
  const script = `
    const { moveToPostgres } = await import(${JSON.stringify(MOVE)});
    let left = ${nth};
    await moveToPostgres(${JSON.stringify(file)}, ${JSON.stringify(url)}, ({ step, table }) => {
      if (step === '${step}' && table === '${table}' && --left === 0) process.kill(process.pid, 'SIGKILL');
    });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' });
  const [, signal] = await once(child, 'exit');
  assert.equal(signal, 'SIGKILL');
}

const hashOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');
const positionsOf = async ({ client }: Voice, id: number) =>
  client.listPoints({ id, filter: { order: 'id', limit: POSITIONS + 10 } });

onPostgres('a move from SQLite', { migrations: [] }, (open) => {
  test('takes everything along, goes on after kills, and a server uses what is there', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'test-move-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const file = join(folder, 'trackway.db');
    const receiver = await startReceiver();
    t.after(() => receiver.close());
    const url = await open.emptyPlace();

    const home = await startServer('sqlite', folder, SETTINGS);
    t.after(() => home.stop());
    const api = apiOf(home.address);
    const { owner } = await makeStation(api);
    const device = await owner.client.createDevice({ body: { name: 'van' } });
    const parameters = { endpoint: receiver.address };
    await owner.client.createNotificationTrigger({
      id: device.id,
      body: { type: 'newMsg', parameters, delivery: { http: true } },
    });
    const report = async (to: typeof api, body: object) => {
      const { status, text } = await to('POST', '/ingest/reports', { token: device.deviceKey!, body });
      assert.equal(status, 200, text);
    };
    const points = Array.from({ length: POSITIONS }, (_, index) => ({
      timestamp: START + index * 5000,
      location: { lat: 50 + index / 1e5, lng: 8 + 0.1 / (index + 1) },
      speed: 30 + index / 7,
      accuracy: 5,
    }));
    for (let from = 0; from < POSITIONS; from += 3000) await report(api, { points: points.slice(from, from + 3000) });
    await report(api, { messages: [{ message: 'one' }] });
    await receiver.has(1);
    const stream = new EventSource(home.address, '', { authorization: owner.token });
    await stream.ready();
    const place = stream.lastId;
    stream.close();
    // Without a report before the move: it must have one afterwards.
    receiver.status = 500;
    await report(api, { messages: [{ message: 'two' }] });
    await eventually('a delivery fails', async () =>
      (await owner.client.listDeliveries({ id: owner.id })).some(
        ({ status, attempts }) => status === 'queued' && attempts > 0,
      ),
    );
    const gone = await owner.client.createDevice({ body: { name: 'gone' } });
    const before = {
      positions: await positionsOf(owner, device.id),
      secrets: await secretsOf(owner),
    };
    assert.equal(before.positions.length, POSITIONS);

    const running = await runCommand(['move', '--to', url, '--data', folder]);
    assert.equal(running.code, 1);
    assert.match(running.err, /^A server is using the folder .+ Stop it first/);
    api.close();
    await home.stop();

    const tables = fillEmptyTables(file);
    const hash = hashOf(file);
    await killedAt(file, url, 'copy', 'checkpoints', 1);
    await killedAt(file, url, 'copy', 'positions', 3);
    await assert.rejects(startServer('postgres', url), /unfinished move/);
    await killedAt(file, url, 'compare', 'users', 1);

    const moved = await runCommand(['move', '--to', url, '--data', folder]);
    assert.equal(moved.code, 0, moved.err);
    assert.match(moved.err, /^(Copying|Comparing) \w+: \d+ of \d+ rows/);
    for (const table of tables)
      assert.match(
        moved.out,
        new RegExp(`^${table} +[1-9]\\d* +[0-9a-f]{32}$`, 'm'),
        `${table} has rows, which are moved`,
      );
    assert.match(moved.out, /Moved: \d+ rows of \d+ tables to PostgreSQL at /);
    assert.equal(hashOf(file), hash, 'the source is as it was');

    const again = await runCommand(['move', '--to', url, '--data', folder]);
    assert.equal(again.code, 1);
    assert.match(again.err, /^The database is not empty: it has /);

    receiver.status = 200;
    const keys = { TRACKWAY_DATA: folder, TRACKWAY_SECRET: SECRET };
    const first = await startServer('postgres', url, { ...SETTINGS, ...keys });
    t.after(() => first.stop());
    const there = apiOf(first.address);
    t.after(async () => there.close());
    const moved2 = voiceOf(there, owner);
    assert.deepEqual(await positionsOf(moved2, device.id), before.positions);
    assert.deepEqual(await secretsOf(moved2), before.secrets, 'what was sealed is read');
    await receiver.has(2);
    const resumed = new EventSource(first.address, `?lastEventId=${place}`, { authorization: owner.token });
    t.after(async () => resumed.close());
    await resumed.until((now) => now.of('message').length === 1, 'what came after the place at the old server');
    await report(there, { messages: [{ message: 'three' }] });
    await receiver.has(3);
    await resumed.until((now) => now.of('message').length === 2, 'what comes now');
    const fresh = await moved2.client.createDevice({ body: { name: 'fresh' } });
    assert.equal(fresh.id, gone.id + 1, 'ids go on');

    const second = await startServer('postgres', url, { ...SETTINGS, TRACKWAY_SECRET: SECRET });
    t.after(() => second.stop());
    const elsewhere = apiOf(second.address);
    t.after(async () => elsewhere.close());
    assert.deepEqual(await secretsOf(voiceOf(elsewhere, owner)), before.secrets, 'without the file of the key');
  });

  test('copies anew what changed between two tries, and refuses what is not its own', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'test-move-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const file = join(folder, 'trackway.db');
    const url = await open.emptyPlace();
    await (await startServer('sqlite', folder)).stop();
    await killedAt(file, url, 'compare', 'users', 1);

    const other = await mkdtemp(join(tmpdir(), 'test-move-'));
    t.after(() => rm(other, { recursive: true, force: true }));
    await (await startServer('sqlite', other)).stop();
    const stranger = await runCommand(['move', '--to', url, '--data', other]);
    assert.equal(stranger.code, 1);
    assert.match(stranger.err, /unfinished move of another database/);

    const meanwhile = await startServer('sqlite', folder);
    const api = apiOf(meanwhile.address);
    const { device, owner } = await makeStation(api);
    api.close();
    await meanwhile.stop();
    const moved = await runCommand(['move', '--to', url, '--data', folder]);
    assert.equal(moved.code, 0, moved.err);
    const server = await startServer('postgres', url, { TRACKWAY_DATA: folder });
    t.after(() => server.stop());
    const there = apiOf(server.address);
    t.after(async () => there.close());
    assert.equal((await voiceOf(there, owner).client.getDevice({ id: device })).name, 'gateway');

    const taken = await open.migratedPlace(MIGRATIONS);
    const refused = await runCommand(['move', '--to', taken, '--data', other]);
    assert.equal(refused.code, 1);
    assert.match(refused.err, /^The database is not empty/);
    const password = new URL(url).password;
    for (const { out, err } of [moved, stranger, refused]) assert.ok(!password || !`${out}${err}`.includes(password));
  });
});

async function secretsOf({ client, id }: Voice): Promise<string[]> {
  const destinations = await client.listDestinations({ id });
  return Promise.all(destinations.map(async (one) => (await client.getWebhookSecret({ id, fk: one.id })).secret));
}
