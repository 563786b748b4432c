import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MIGRATIONS } from '../../../server/src/domain/schema/migrations.ts';
import { onPostgres } from '../../../server/src/testing/databases.ts';
import { eventually } from '../../../server/src/testing/eventually.ts';
import { apiOf } from '../harness/api.ts';
import { EventSource } from '../harness/event-source.ts';
import { startNodes } from '../harness/nodes.ts';
import { makeStation } from '../harness/station.ts';
import { runCommand } from './command.ts';

onPostgres('trackway cluster', { migrations: [] }, (open) => {
  test('lists the nodes; one that is drained is not ready, ends its streams and stops, and another goes on', async (t) => {
    const place = await open.migratedPlace(MIGRATIONS);
    const env = { TRACKWAY_DATABASE_URL: place };
    const names = ['one', 'two'].map((name) => ({ TRACKWAY_NODE_NAME: name }));
    const [one, two] = await startNodes(t, place, names);
    const [api, other] = [apiOf(one!.address), apiOf(two!.address)];
    t.after(async () => {
      api.close();
      other.close();
    });
    const { owner } = await makeStation(api);
    const device = await owner.client.createDevice({ body: { name: 'van' } });
    const stream = new EventSource(one!.address, '', { authorization: owner.token });
    t.after(async () => stream.close());
    await stream.ready();

    const status = await runCommand(['cluster'], env);
    assert.equal(status.code, 0, status.err);
    assert.match(status.out, /^one +up +\d+\.\d+\.\d+ +\d+ s ago +\d+ ms .+ http:\/\/127\.0\.0\.1:\d+$/m);
    assert.match(status.out, /^two +up /m);
    assert.match(status.out, /^Slots: 64, /m);

    const unknown = await runCommand(['cluster', 'drain', 'three'], env);
    assert.equal(unknown.code, 1);
    assert.equal(unknown.err, 'Node three is not running. Running nodes: one, two.\n');

    // However long this machine takes for what comes before it stops.
    const draining = runCommand(['cluster', 'drain', 'one', '--after', '8'], env);
    await eventually(
      'it is not ready',
      async () => (await fetch(`${one!.address}/readyz`).catch(() => undefined))?.status ?? 'gone',
      (answer) => answer === 503 || answer === 'gone',
    );
    const drained = await draining;
    assert.equal(drained.code, 0, drained.err);
    assert.match(drained.out, /Node one has stopped\.\n$/);
    await stream.until((now) => now.isEnded, 'the end of its stream');
    await eventually('its process ends', () => !one!.isRunning());
    assert.equal(await one!.stop(), 0, one!.output());

    const report = await other('POST', '/ingest/reports', {
      token: device.deviceKey!,
      body: { points: [{ lat: 50, lng: 8 }] },
    });
    assert.equal(report.status, 200, report.text);
    const resumed = new EventSource(two!.address, `?lastEventId=${stream.lastId}`, { authorization: owner.token });
    t.after(async () => resumed.close());
    await resumed.until((now) => now.of('position').length === 1, 'what was reported to the other');
    assert.match((await runCommand(['cluster', 'status'], env)).out, /^one +gone /m);
    const again = await runCommand(['cluster', 'drain', 'one'], env);
    assert.match(again.err, /^Node one is not running\./);
  });

  test('needs PostgreSQL with a list of nodes', async () => {
    const embedded = await runCommand(['cluster', 'status', '--data', '/nowhere']);
    assert.equal(embedded.code, 1);
    assert.match(embedded.err, /^The embedded database has one server\./);
    const empty = await runCommand(['cluster', 'status'], { TRACKWAY_DATABASE_URL: await open.emptyPlace() });
    assert.equal(empty.code, 1);
    assert.match(empty.err, /^The database has no nodes yet/);
  });
});
