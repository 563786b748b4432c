import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { eventually } from '@trackway/server/testing/eventually.ts';
import { ENDS_WITH_PARENT, MAIN, signedIn } from '../testing/trackway.ts';
import { daytimeCity } from './daytime-city.ts';

test('a demonstration invites, moves, tells what happens, and leaves nothing behind', async () => {
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
    assert.equal((await client.listPlans({})).length, 2);
    const [first] = await client.listDevices({ filter: { order: 'id ASC', limit: 1 } });
    assert.ok((await client.listForwarders({ id: first!.id })).length > 0, 'a forwarder');
    await eventually(
      'positions come in',
      () => client.getHealth(),
      ({ positionsPerMinute }) => positionsPerMinute > 100,
    );
    const trackers = Number(/(\d+) of them report as trackers/.exec(said)![1]);
    assert.ok(trackers >= 3, said);
    const spoken = await eventually(
      'trackers have spoken, each its protocol',
      () => client.listDevices({}),
      (devices) => devices.filter(({ supportedCommands }) => supportedCommands).length === trackers,
    );
    for (const { id, supportedCommands } of spoken)
      if (supportedCommands) assert.ok((await client.countPoints({ id: id! })).count > 0);
    await eventually(
      'something is told',
      () => client.listNotifications({ id: 'me', filter: { limit: 1 } }),
      ({ length }) => length > 0,
    );
    await eventually(
      'somebody is told',
      () => client.listDeliveries({ id: 'me', filter: { where: { status: 'sent' }, limit: 1 } }),
      ({ length }) => length > 0,
    );
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

test('at any time there is a city in daytime', () => {
  for (let hour = 0; hour < 24; hour++) {
    const now = Date.UTC(2026, 10, 15, hour);
    const { utcOffsetMs } = daytimeCity(1, now);
    const local = new Date(now + utcOffsetMs).getUTCHours();
    assert.ok(local >= 8 && local <= 18, `at ${hour} UTC it is ${local} there`);
  }
});
