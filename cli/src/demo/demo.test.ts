import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import type { Client } from '@trackway/client/client.ts';
import { createClient } from '@trackway/client/client.ts';
import { corridorIn } from '@trackway/contract/corridor.ts';
import { SEVERITIES } from '@trackway/contract/severities.ts';
import { eventually } from '@trackway/server/testing/eventually.ts';
import { ENDS_WITH_PARENT, MAIN, signedIn } from '../testing/trackway.ts';
import { daytimeCity } from './daytime-city.ts';

test('a demonstration invites, moves, sends notifications, and leaves nothing behind', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'trackway-test-'));
  const demo = spawn(process.execPath, [...ENDS_WITH_PARENT, MAIN, 'demo', '--devices', '12'], {
    // Settings of a real server are no business of a demonstration.
    env: { ...process.env, TMPDIR: folder, TRACKWAY_DATABASE_URL: 'postgres://127.0.0.1:1/none' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  try {
    let said = '';
    for (const stream of [demo.stdout, demo.stderr]) stream.on('data', (chunk) => (said += chunk));
    await eventually(
      'it invites',
      () => said,
      (text) => /Ctrl\+C\. This deletes/.test(text) || demo.exitCode !== null,
    );
    const url = /http:\S+/.exec(said)![0];
    const [email, password] = ['E-mail', 'Password'].map((name) => new RegExp(`${name}\\s+(.+)`).exec(said)![1]!);
    const { client } = await signedIn(url, { email: email!, password: password! });
    assert.equal((await client.listDevices({})).length, 12);
    assert.ok((await client.listGeofences({ id: 'me' })).length > 5);
    const { files } = await client.getMaps();
    assert.deepEqual(
      files.map(({ name, kind }) => [name, kind]),
      [['Westmere.pmtiles', 'vector']],
      'streets',
    );
    const { mapFile } = await createClient({ url }).getServerInfo({});
    assert.equal(mapFile?.name, 'Westmere.pmtiles', 'viewers of public links see the streets too');
    assert.equal((await client.listPlans({})).length, 2);
    const [first] = await client.listDevices({ filter: { order: 'id ASC', limit: 1 } });
    assert.ok((await client.listForwarders({ id: first!.id })).length > 0, 'a forwarder');
    await eventually(
      'positions come in',
      () => client.getHealth(),
      ({ positionsPerMinute }) => positionsPerMinute > 100,
    );
    const trackers = Number(/(\d+) of them report like trackers/.exec(said)![1]);
    assert.ok(trackers >= 3, said);
    const spoken = await eventually(
      'trackers have spoken, each its protocol',
      () => client.listDevices({}),
      (devices) => devices.filter(({ supportedCommands }) => supportedCommands).length === trackers,
    );
    for (const { id, supportedCommands } of spoken)
      if (supportedCommands) assert.ok((await client.countPoints({ id: id! })).count > 0);
    await eventually(
      'there are notifications of every severity',
      () => client.listNotifications({ id: 'me', filter: { limit: 500 } }),
      (reported) => SEVERITIES.every((one) => reported.some(({ severity }) => severity === one)),
    );
    await eventually(
      'a notification is delivered',
      () => client.listDeliveries({ id: 'me', filter: { where: { status: 'sent' }, limit: 1 } }),
      ({ length }) => length > 0,
    );
    await assertFurnished(client);
    const ended = once(demo, 'exit');
    demo.kill('SIGINT');
    assert.deepEqual(await ended, [0, null], said);
    const left = readdirSync(folder).filter((name) => name.startsWith('trackway'));
    assert.deepEqual(left, []);
  } finally {
    demo.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
});

/** There is something on every page. */
async function assertFurnished(client: Client): Promise<void> {
  const me = { id: 'me' } as const;
  const groups = await client.listDeviceGroups(me);
  assert.ok(groups.some(({ parentId }) => groups.some(({ id, parentId: above }) => id === parentId && above)));
  const rules = await client.listRules(me);
  assert.deepEqual(new Set(rules.map(({ appliesTo }) => appliesTo)), new Set(['all', 'group', 'tag']));
  assert.deepEqual(new Set(rules.map(({ severity }) => severity)), new Set(SEVERITIES));
  assert.ok(rules.some(({ escalateAfter }) => escalateAfter > 0));
  const [alarm] = await eventually(
    'an alarm waits to be acknowledged',
    async () =>
      (await client.listNotifications({ ...me, filter: { where: { severity: 'critical' } } })).filter(
        ({ params }) => (params as { type?: unknown }).type === 'alarm',
      ),
    ({ length }) => length > 0,
  );
  assert.ok(alarm!.dismissedOn === null && alarm!.unread);
  assert.ok((await client.countQuarantine({ id: alarm!.deviceId })).count > 0);
  const tasks = await client.listFleetMaintenance(me);
  for (const status of ['soon', 'due', 'ok'] as const) assert.ok(tasks.some((task) => task.status === status));
  for (const { status, name, since } of tasks)
    if (status === 'due') assert.ok(Date.parse(since) < Date.now() - 30 * 86_400_000, `${name} was done long ago`);
  const records = tasks.map(({ deviceId }) => client.listMaintenanceRecords({ id: deviceId }));
  assert.ok((await Promise.all(records)).flat().length > 0);
  assert.ok((await client.listDrivers(me)).length > 0);
  const devices = await client.listDevices({});
  const talks = await Promise.all(devices.map(({ id }) => client.listMessages({ id })));
  const sent = talks.flat().filter(({ mobileTerminated }) => mobileTerminated);
  assert.ok(sent.length > 0);
  for (const { state, message } of sent) assert.equal(state, 'confirmed', `${message} was received before the reply`);
  const triggers = await Promise.all(devices.map(({ id }) => client.listNotificationTriggers({ id })));
  for (const { severity, delivery, name } of triggers.flat())
    assert.equal(delivery!.http, severity === 'critical', `${name}: only what is urgent calls the webhook`);
  const fences = await client.listGeofences(me);
  assert.ok(fences.some(({ meta }) => corridorIn(meta)));
  const seen = (await client.listWhereabouts(me)).flatMap(({ location }) => (location ? [location] : []));
  assert.ok(seen.length > 0);
  for (const { lat, lng } of seen) {
    const { geofence } = await client.namePlace({ lat, lng });
    assert.ok(geofence, `a place of the city has a name: ${lat}, ${lng}`);
  }
  const { data: lists } = await client.listGeofenceLists({ userid: 0 });
  assert.deepEqual(
    lists.map(({ name }) => name),
    ['Depots'],
  );
  assert.ok((await client.listUserLinks(me)).length > 0);
  assert.ok((await client.listGroupLinks(me)).length > 0);
  const saved = await client.listSavedReports(me);
  assert.ok(saved.some(({ every, nextAt }) => every === 'week' && nextAt));
  await assertPast(client);
}

/** The days before the demo began are imported, and their trips have drivers. */
async function assertPast(client: Client): Promise<void> {
  const devices = await client.listDevices({});
  await eventually(
    'the days before are imported',
    () => Promise.all(devices.map(({ id }) => client.listHistoryImports({ id }))),
    (all) => all.every(([done]) => done?.status === 'done' && done.stored > 0),
  );
  const [from, to] = [Date.now() - 7 * 86_400_000, Date.now()].map((time) => new Date(time!).toISOString());
  const range = { from: from!, to: to! };
  const driven = await client.fleetReport({ body: { kind: 'trips', ...range } });
  assert.ok(driven.rows.some(({ driver }) => driver));
  const { rows } = await client.fleetReport({ body: { kind: 'days', ...range } });
  assert.ok(rows.filter(({ distance }) => Number(distance) > 5000).length > 10, `${rows.length} days`);
  const world = { west: -180, south: -85, east: 180, north: 85 };
  assert.ok((await client.heatMap({ id: 'me', ...range, ...world, zoom: 16 })).cells.length > 100);
}

test('at any time there is a city in daytime', () => {
  for (let hour = 0; hour < 24; hour++) {
    const now = Date.UTC(2026, 10, 15, hour);
    const { utcOffsetMs } = daytimeCity(1, now);
    const local = new Date(now + utcOffsetMs).getUTCHours();
    assert.ok(local >= 8 && local <= 18, `at ${hour} UTC it is ${local} there`);
  }
});
