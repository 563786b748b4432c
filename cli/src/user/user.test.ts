import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ADMIN, asAdmin, serve, signedIn, tempFolder, trackway } from '../testing/trackway.ts';

test('a user is added, gets another password and is removed while a server runs', async (t) => {
  const { address, data } = await serve(t, asAdmin);
  const user = (words: string[], input = '') => trackway(['user', ...words, '--data', data], { input });

  const flags = ['--name', 'Ann Lee', '--username', 'ann', '--password-stdin'];
  const added = await user(['add', 'Ann@Example.com', ...flags], 'first password\n');
  assert.equal(added.code, 0, added.err);
  assert.ok(added.out.startsWith('Added user ann@example.com (id 2) in '));
  const first = await signedIn(address, { email: 'ann@example.com', password: 'first password' });
  const { id: personal } = await first.client.createPersonalAccessToken({ body: { description: 'script' } });
  assert.ok(personal > 0);
  const listed = await user(['list']);
  assert.match(listed.out, /^1 +boss@example\.com +admin$/m);
  assert.match(listed.out, /^2 +ann@example\.com +ann +Ann Lee$/m);

  const changed = await user(['password', 'ann@example.com', '--generate']);
  assert.equal(changed.code, 0, changed.err);
  const [, password] = changed.out.match(/shown only once\): (\w{20})\n/)!;
  await assert.rejects(first.client.getUser({ id: 'me' }), { status: 401 }, 'the old token is dead at once');
  await assert.rejects(signedIn(address, { email: 'ann@example.com', password: 'first password' }), { status: 401 });
  const second = await signedIn(address, { email: 'ann@example.com', password: password! });

  const { client: admin } = await signedIn(address);
  const device = await second.client.createDevice({ body: { name: 'van' } });
  const owner = await user(['remove', 'ann@example.com']);
  assert.equal(owner.code, 1);
  assert.equal(owner.err, 'The user owns 1 device: delete it first.\n');
  await admin.deleteDevice({ id: device.id });
  const removed = await user(['remove', 'ann@example.com']);
  assert.deepEqual(removed, { code: 0, out: 'Removed ann@example.com.\n', err: '' });
  await assert.rejects(second.client.getUser({ id: 'me' }), { status: 401 });
});

test('the rules of the API apply, and each violation is one sentence', async () => {
  const data = join(await tempFolder(), 'data');
  const user = (words: string[], input = '') => trackway(['user', ...words, '--data', data], { input });
  const added = await user(['add', ADMIN.email, '--admin', '--username', 'boss', '--generate']);
  assert.match(added.out, /^Added admin boss@example\.com \(id 1\)/);

  const refused: [words: string[], input: string, sentence: string][] = [
    [['add', ADMIN.email, '--generate'], '', 'The email is taken.'],
    [['add', 'b@example.com', '--username', 'boss', '--generate'], '', 'The username is taken.'],
    [['add', 'nobody', '--generate'], '', 'The email is not an e-mail address.'],
    [['add', 'b@example.com', '--password-stdin'], 'short', 'The password must have at least 8 characters.'],
    [['password', ADMIN.email, '--password-stdin'], '', "The password can't be blank."],
    [['remove', ADMIN.email], '', 'The user is the last admin and cannot be deleted.'],
    [['remove', 'b@example.com'], '', 'User b@example.com not found. To list users, run "trackway user list".'],
  ];
  for (const [words, input, sentence] of refused) {
    assert.deepEqual(await user(words, input), { code: 1, out: '', err: `${sentence}\n` }, words.join(' '));
  }
});

test('without a terminal, a flag must say where the password comes from', async () => {
  const data = join(await tempFolder(), 'data');
  const { code, err } = await trackway(['user', 'add', 'a@example.com', '--data', data]);
  assert.equal(code, 2);
  assert.match(err, /Use --password-stdin or --generate/);
});

test('a folder without a database is not created', async () => {
  const data = join(await tempFolder(), 'mistyped');
  const { code, err } = await trackway(['user', 'list', '--data', data]);
  assert.equal(code, 1);
  assert.match(err, /^No database found in /);
  assert.ok(!existsSync(data));
});
