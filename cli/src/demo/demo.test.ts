import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createClient } from '@trackway/client/client.ts';
import { daytimeCity } from './daytime-city.ts';

const MAIN = join(import.meta.dirname, '../main.ts');
const PATIENCE_MS = 60_000;

test('a demo shows how to sign in, moves, notifies, and deletes its data', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'trackway-test-'));
  const demo = spawn(process.execPath, [MAIN, 'demo', '--devices', '12'], {
    // The demo must ignore the settings of a real server.
    env: { ...process.env, TMPDIR: folder, TRACKWAY_DATABASE_URL: 'postgres://127.0.0.1:1/none' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  try {
    let said = '';
    for (const stream of [demo.stdout, demo.stderr]) stream.on('data', (chunk) => (said += chunk));
    await until(
      async () => /Ctrl\+C\. This deletes/.test(said),
      () => said,
    );
    const url = /http:\S+/.exec(said)![0];
    const [email, password] = ['E-mail', 'Password'].map((name) => new RegExp(`${name}\\s+(\\S+)`).exec(said)![1]!);
    const { id: token } = await createClient({ url }).login({ body: { email: email!, password: password! } });
    const client = createClient({ url, token });
    assert.equal((await client.listDevices({})).length, 12);
    assert.ok((await client.listGeofences({ id: 'me' })).length > 5);
    const { mapOverlay } = await client.getServerInfo();
    const streets = (await (await fetch(url + mapOverlay)).json()) as { features: unknown[] };
    assert.ok(streets.features.length > 500);
    await until(
      async () => (await client.getHealth()).positionsPerMinute > 100,
      () => 'positions arrive',
    );
    await until(
      async () => (await client.listNotifications({ id: 'me', filter: { limit: 1 } })).length > 0,
      () => 'notifications arrive',
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

async function until(isTrue: () => Promise<boolean>, what: () => string): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await pause(100)) if (await isTrue()) return;
  throw new Error(`waited in vain: ${what()}`);
}
