import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { ApiError } from '@trackway/client/api-error.ts';
import { createClient } from '@trackway/client/client.ts';
import { eventually } from '@trackway/server/testing/eventually.ts';
import { SOURCE_MAIN } from '@trackway/server/testing/trackway-main.ts';
import { ADMIN, asAdmin, serve, signedIn, tempFolder, trackway } from './testing/trackway.ts';

const noStack = (text: string) => assert.doesNotMatch(text, /\n\s+at |node:internal/);

test('a start from source with an admin in the settings shows the URL and who can sign in', async (t) => {
  const { address, data, said } = await serve(t, asAdmin, SOURCE_MAIN);
  assert.match(address, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.match(said.out, new RegExp(`API docs +${address}/docs`));
  assert.match(said.out, /Trackers +port \d+, TCP and UDP/);
  assert.ok(said.out.includes(`Data       ${data}\n`));
  assert.match(said.out, /As the new admin boss@example\.com/);
  assert.match(said.out, /Ctrl\+C/);
  assert.ok(!said.out.includes(ADMIN.password));
  const { client } = await signedIn(address);
  assert.equal((await client.getUser({ id: 'me' })).admin, true);
  assert.equal((await client.getUser({ id: 'me' }, { version: 'v2' })).email, ADMIN.email);
});

test('a second start creates no second admin and mentions no password', async (t) => {
  const first = await serve(t, asAdmin);
  first.child.kill('SIGTERM');
  assert.deepEqual(await first.ended, [0, null]);
  const second = await serve(t, { ...asAdmin, TRACKWAY_DATA: first.data });
  assert.match(second.said.out, /Sign in {4}With your account/);
  await signedIn(second.address);
});

test('without users it prints a setup link that works once', async (t) => {
  const { address, said } = await serve(t, { TRACKWAY_PUBLIC_URL: 'https://track.example.com/' });
  const [, token] = said.out.match(/https:\/\/track\.example\.com\/setup#(\w+)\n/)!;
  const client = createClient({ url: address });
  const { id } = await client.setUp({ body: { token, ...ADMIN } });
  assert.equal((await createClient({ url: address, token: id }).getUser({ id: 'me' })).admin, true);
  await assert.rejects(
    client.setUp({ body: { token, email: 'second@example.com', password: 'walk the dog at noon' } }),
    {
      status: 403,
    },
  );
});

test('all invalid settings are reported together, and nothing is started', async () => {
  const data = join(await tempFolder(), 'data');
  const { code, err, out } = await trackway(['serve', '--port', '70000', '--data', data], {
    env: {
      TRACKWAY_TRUST_PROXY: 'true',
      TRACKWAY_ADMIN_EMAIL: 'nobody',
      TRACKWAY_ADMIN_PASSWORD: 'short',
      TRACKWAY_PUBLIC_URL: 'here',
      TRACKWAY_DATABASE_URL: 'mysql://me:s3cret@db/x',
    },
  });
  assert.equal(code, 2);
  assert.equal(out, '');
  const lines = err.trim().split('\n');
  assert.equal(lines.length, 7, err);
  for (const [index, words] of [
    '--port must be a whole number from 0 to 65535, not "70000".',
    'TRACKWAY_TRUST_PROXY must be the number of proxies',
    'TRACKWAY_ADMIN_EMAIL must be an e-mail address',
    'TRACKWAY_ADMIN_PASSWORD must have at least 8',
    'TRACKWAY_DATABASE_URL must be a URL like',
    'TRACKWAY_PUBLIC_URL must be a URL like',
    'Trackway was not started.',
  ].entries())
    assert.ok(lines[index]!.startsWith(words), lines[index]);
  assert.doesNotMatch(err, /s3cret|short/);
});

test('every command reports an invalid database URL without its password', async () => {
  for (const words of [['serve'], ['user', 'list'], ['backup', '/nowhere/copy'], ['doctor', '--port', '0']]) {
    const { code, out, err } = await trackway(words, {
      env: { TRACKWAY_DATABASE_URL: 'postgres://me:s3cret%zz@db/things' },
    });
    assert.equal(code, words[0] === 'doctor' ? 1 : 2, words.join(' '));
    assert.match(out + err, /TRACKWAY_DATABASE_URL must be a URL like/);
    assert.doesNotMatch(out + err, /s3cret|\n\s+at /);
  }
});

test('an admin requires both an e-mail address and a password', async () => {
  const half = await trackway(['serve', '--admin-email', 'a@example.com']);
  assert.equal(half.code, 2);
  assert.match(half.err, /TRACKWAY_ADMIN_EMAIL requires TRACKWAY_ADMIN_PASSWORD/);
  const other = await trackway(['serve'], { env: { TRACKWAY_ADMIN_PASSWORD: 'long enough' } });
  assert.match(other.err, /TRACKWAY_ADMIN_PASSWORD requires TRACKWAY_ADMIN_EMAIL/);
});

test('several processes require PostgreSQL', async () => {
  const { code, err } = await trackway(['serve', '--processes', '2']);
  assert.equal(code, 2);
  assert.match(err, /TRACKWAY_PROCESSES needs PostgreSQL/);
  assert.match((await trackway(['serve', '--processes', 'many'])).err, /--processes must be auto, or a number/);
});

test('an unknown variable causes a warning, variables of `trackway call` do not', async (t) => {
  const { said } = await serve(t, { TRACKWAY_PROT: '1', TRACKWAY_TOKEN: 'x', TRACKWAY_URL: 'http://x' });
  await eventually('it warns', () => said.err !== '');
  assert.equal(said.err, 'Warning: TRACKWAY_PROT is not a setting.\n');
});

test('a service of systemd is reported as ready once it is', async (t) => {
  const folder = await tempFolder();
  await writeFile(join(folder, 'systemd-notify'), `#!/bin/sh\necho "$NOTIFY_SOCKET $*" >> "$0.calls"\n`, {
    mode: 0o755,
  });
  const { address } = await serve(t, { NOTIFY_SOCKET: '/run/some', PATH: `${folder}:${process.env.PATH}` });
  const calls = () => readFile(join(folder, 'systemd-notify.calls'), 'utf8').catch(() => '');
  await eventually('it notifies', async () => (await calls()) === '/run/some --ready\n');
  assert.equal((await fetch(`${address}/readyz`)).status, 200);
});

test('a second server on the same folder stops with a message', async (t) => {
  const { data, address } = await serve(t);
  const { code, err } = await trackway(['serve', '--port', '0', '--data', data]);
  assert.equal(code, 1);
  assert.match(err, /^Another process is using the folder .+\n$/);
  assert.ok(err.includes(data));
  assert.equal((await fetch(`${address}/healthz`)).status, 200);
});

test('a port in use stops the start with a message, and leaves the folder unlocked', async (t) => {
  const other = createServer().listen(0, '127.0.0.1');
  t.after(() => other.close());
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const data = join(await tempFolder(), 'data');
  const { code, err } = await trackway(['serve', '--port', String(port), '--data', data]);
  assert.equal(code, 1);
  assert.match(err, new RegExp(`^Port ${port} of 127\\.0\\.0\\.1 is in use .+\\n$`));
  await serve(t, { TRACKWAY_DATA: data });
});

test('an address of another machine stops the start with a message', async () => {
  const data = join(await tempFolder(), 'data');
  const foreign = await trackway(['serve', '--host', '192.0.2.1', '--port', '0', '--data', data]);
  assert.equal(foreign.code, 1);
  assert.match(foreign.err, /^192\.0\.2\.1 is not an address of this machine\..+\n$/);
});

test('a folder that cannot be created stops the start with a message', async () => {
  const folder = await tempFolder();
  await writeFile(join(folder, 'file'), '');
  for (const data of [join(folder, 'file'), join(folder, 'file', 'below')]) {
    const { code, err } = await trackway(['serve', '--port', '0', '--data', data]);
    assert.equal(code, 1);
    assert.ok(err.includes(`${data}`) && err.trim().split('\n').length === 1, err);
    noStack(err);
  }
});

test('a file that is not a database stops the start with a message', async () => {
  const folder = await tempFolder();
  await writeFile(join(folder, 'trackway.db'), 'something else entirely '.repeat(100));
  const { code, err } = await trackway(['serve', '--port', '0', '--data', folder]);
  assert.equal(code, 1);
  assert.match(err, /^The file trackway\.db in .+ is not a database\..+\n$/);
});

test('a database of a newer version stops the start with a message', async (t) => {
  const { data, child, ended } = await serve(t);
  child.kill('SIGTERM');
  await ended;
  const database = new DatabaseSync(join(data, 'trackway.db'));
  database.exec(`INSERT INTO migrations VALUES ('9999-future', 0, 'x')`);
  database.close();
  const { code, err } = await trackway(['serve', '--port', '0', '--data', data]);
  assert.equal(code, 1);
  assert.match(err, /^The database was created by a newer version .+9999-future.+\n$/);
});

test('an unreachable PostgreSQL stops the start with a message that contains no password', async (t) => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  silent.close();
  await once(silent, 'close');
  const { code, err } = await trackway(['serve', '--port', '0'], {
    env: { TRACKWAY_DATABASE_URL: `postgres://me:s3cret@127.0.0.1:${port}/things` },
  });
  assert.equal(code, 1);
  assert.equal(
    err,
    `Cannot use PostgreSQL at 127.0.0.1:${port}, database things: connection refused. Check TRACKWAY_DATABASE_URL.\n`,
  );
  t.diagnostic(err.trim());
});

test('a rate-limited request learns when to retry', async (t) => {
  const { address } = await serve(t, { ...asAdmin, TRACKWAY_LOGIN_RATE_LIMIT: '1' });
  // Counting starts anew with each minute, so the second may be the first of the next one.
  let error: unknown;
  while (error === undefined) await signedIn(address).catch((refusal: unknown) => (error = refusal));
  assert.ok(error instanceof ApiError);
  assert.equal(error.status, 429);
  assert.ok(error.retryAfter! >= 1 && error.retryAfter! <= 60);
});
