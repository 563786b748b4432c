import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { SETTINGS } from '@trackway/server/app/settings.ts';
import { environmentName } from '@trackway/server/platform/settings.ts';
import { asAdmin, serve, tempFolder, trackway } from '../testing/trackway.ts';

const lineOf = (out: string, words: string) => out.split('\n').find((line) => line.includes(words)) ?? '';

test('it shows every setting with its source and description, and no secret', async () => {
  const data = join(await tempFolder(), 'data');
  const { code, out } = await trackway(['doctor', '--data', data, '--port', '0'], {
    env: { ...asAdmin, TRACKWAY_LOG_LEVEL: 'warn' },
  });
  assert.equal(code, 0, out);
  for (const [name, { about }] of Object.entries(SETTINGS)) {
    assert.ok(out.includes(`${environmentName(name)} `), name);
    assert.ok(out.includes(about), about);
  }
  assert.match(out, /TRACKWAY_LOG_LEVEL +warn {2}\(environment\)/);
  assert.match(out, /TRACKWAY_PORT +0 {2}\(flag\)/);
  assert.match(out, /TRACKWAY_HOST +127\.0\.0\.1 {2}\(default\)/);
  assert.match(out, /TRACKWAY_ADMIN_PASSWORD +\*\*\* {2}\(environment\)/);
  assert.ok(!out.includes(asAdmin.TRACKWAY_ADMIN_PASSWORD));
  assert.match(out, /ok {4}Node 24\./);
  assert.match(out, /ok {4}The next start will create the admin boss@example\.com/);
  assert.ok(!existsSync(data), 'looking made nothing');
});

test('it detects whether a server is using the data', async (t) => {
  const { data, address, child, ended } = await serve(t, asAdmin);
  const { port } = new URL(address);
  const running = await trackway(['doctor', '--data', data, '--port', port]);
  assert.equal(running.code, 0, running.out);
  assert.match(running.out, /ok {4}A server is using the data folder/);
  assert.match(running.out, new RegExp(`ok {4}Trackway is running on port ${port} of 127.0.0.1 and responds`));
  assert.match(running.out, /ok {4}The database is accessible and up to date/);
  assert.match(running.out, /ok {4}There is 1 admin/);
  assert.equal((await fetch(`${address}/healthz`)).status, 200);

  const elsewhere = await trackway(['doctor', '--data', join(data, 'other'), '--port', port]);
  assert.equal(elsewhere.code, 1);
  assert.match(elsewhere.out, /FAIL {2}Another Trackway server with other data is running on port/);

  child.kill('SIGTERM');
  await ended;
  const after = await trackway(['doctor', '--data', data, '--port', port]);
  assert.equal(after.code, 0, after.out);
  assert.match(after.out, /ok {4}No server is using the data folder/);
  assert.match(after.out, /ok {4}Port \d+ of 127\.0\.0\.1 is free/);
});

test('it fails for a foreign program on the port, a bad setting and a newer database', async (t) => {
  const { data, child, ended } = await serve(t);
  child.kill('SIGTERM');
  await ended;
  const database = new DatabaseSync(join(data, 'trackway.db'));
  database.exec(`INSERT INTO migrations VALUES ('9999-future', 0, 'x')`);
  database.close();
  const other = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1');
  t.after(() => other.close());
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const { code, out } = await trackway(['doctor', '--data', data, '--port', String(port)], {
    env: { TRACKWAY_BODY_LIMIT: 'much', TRACKWAY_HOTS: 'x' },
  });
  assert.equal(code, 1);
  assert.match(lineOf(out, 'TRACKWAY_BODY_LIMIT must'), /^ {2}FAIL/);
  assert.match(lineOf(out, 'TRACKWAY_HOTS'), /^ {2}warn {2}TRACKWAY_HOTS is not a setting\./);
  assert.match(lineOf(out, 'newer version'), /^ {2}FAIL/);
  assert.match(lineOf(out, `Port ${port}`), /^ {2}FAIL/);
  assert.match(out, /failed: 3\n$/);
});

test('it warns about a server that other machines can reach', async () => {
  const data = join(await tempFolder(), 'data');
  // Port 0: nothing is opened to the outside while the test runs.
  const open = await trackway(['doctor', '--data', data, '--port', '0', '--host', '0.0.0.0', '--trust-proxy', '1']);
  assert.match(lineOf(open.out, 'TRACKWAY_PUBLIC_URL is not set'), /^ {2}warn/);
  assert.match(lineOf(open.out, 'TRACKWAY_TRUST_PROXY is a number'), /^ {2}warn/);
  const named = await trackway([
    'doctor',
    '--data',
    data,
    '--port',
    '0',
    '--host',
    '0.0.0.0',
    '--trust-proxy',
    '10.0.0.0/8',
  ]);
  assert.match(lineOf(named.out, 'which the proxy sets'), /^ {2}ok/);
  const behind = await trackway(['doctor', '--data', data, '--port', '0', '--public-url', 'https://t.example']);
  assert.match(lineOf(behind.out, 'share one login limit'), /^ {2}warn/);
});

test('it reports an unreachable PostgreSQL without its password', async () => {
  const { code, out } = await trackway(['doctor', '--port', '0'], {
    env: { TRACKWAY_DATABASE_URL: 'postgres://me:s3cret@127.0.0.1:1/things' },
  });
  assert.equal(code, 1);
  assert.match(out, /FAIL {2}Cannot use PostgreSQL at 127\.0\.0\.1:1, database things: connection refused/);
  assert.doesNotMatch(out, /s3cret/);
});

test('it shows which channels are configured, and warns about channels that reach too far', async () => {
  const data = join(await tempFolder(), 'data');
  const run = (env: Record<string, string>) => trackway(['doctor', '--data', data, '--port', '0'], { env });
  const nowhere = { AWS_SHARED_CREDENTIALS_FILE: join(data, 'none'), AWS_ACCESS_KEY_ID: '', AWS_PROFILE: '' };
  const { out, code } = await run(nowhere);
  assert.equal(code, 0, out);
  assert.match(lineOf(out, 'E-mail is not configured: set TRACKWAY_SMTP_URL'), /^ {2}ok/);
  assert.match(lineOf(out, 'the server has no AWS credentials'), /^ {2}ok/);
  assert.match(lineOf(out, 'MQTT is not configured'), /^ {2}ok/);
  assert.match(lineOf(out, 'Webhooks can reach public addresses only'), /^ {2}ok/);

  const keys = { ...nowhere, AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };
  const far = await run({
    ...keys,
    TRACKWAY_ALLOW_TARGETS: '10.0.0.0/8,169.254.0.0/16',
    TRACKWAY_SQS_ALLOW: '*',
    TRACKWAY_SMTP_URL: 'smtp://robot:s3cret@mail.example.com',
  });
  assert.match(lineOf(far.out, 'TRACKWAY_SQS_ALLOW.'), /^ {2}warn {2}Users can forward data to every queue/);
  assert.match(lineOf(far.out, 'make this server call 169.254.169.254'), /^ {2}warn/);
  assert.match(lineOf(far.out, 'set TRACKWAY_SMTP_FROM'), /^ {2}warn/);
  assert.doesNotMatch(far.out, /s3cret/);

  const none = await run(keys);
  assert.match(lineOf(none.out, 'to queues that they have verified'), /^ {2}ok/);

  const narrow = await run({ ...keys, TRACKWAY_SQS_ALLOW: 'arn:aws:sqs:*:123456789012:*' });
  assert.match(lineOf(narrow.out, 'to the queues arn:aws:sqs:'), /^ {2}ok/);

  const wrong = await run({
    TRACKWAY_ALLOW_TARGETS: '10.0.0.0/8,ten',
    TRACKWAY_SMTP_URL: 'http://robot:s3cret@mail',
    TRACKWAY_SMTP_FROM: 'nobody',
    TRACKWAY_MQTT_URL: 'broker:s3cret',
    TRACKWAY_SQS_ENDPOINT: 'localhost',
  });
  assert.equal(wrong.code, 1);
  for (const name of ['ALLOW_TARGETS', 'SMTP_URL', 'SMTP_FROM', 'MQTT_URL', 'SQS_ENDPOINT'])
    assert.match(lineOf(wrong.out, `TRACKWAY_${name} must`), /^ {2}FAIL/, name);
  assert.doesNotMatch(wrong.out, /s3cret/);
});
