import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startPostgres } from '@trackway/server/testing/postgres-server.ts';
import { ADMIN, asAdmin, serve, signedIn, trackway } from './testing/trackway.ts';

/** The same commands on the other engine. */

const skip = process.env.TRACKWAY_SKIP_POSTGRES === '1';
let postgres: Awaited<ReturnType<typeof startPostgres>>;
before(async () => {
  if (!skip) postgres = await startPostgres();
});
after(() => postgres?.stop());

test('migrate, serve, doctor, user and backup work with PostgreSQL and never show its password', {
  skip,
}, async (t) => {
  const env = { TRACKWAY_DATABASE_URL: postgres.url, TRACKWAY_SECRET: 'a secret for tests that is long enough' };
  const { password, host } = new URL(postgres.url);
  const fresh = await trackway(['doctor', '--port', '0'], { env });
  assert.equal(fresh.code, 0, fresh.out);
  assert.match(fresh.out, /ok {4}The database will be created at the first start: PostgreSQL at /);

  const migrated = await trackway(['migrate'], { env });
  assert.equal(migrated.code, 0, migrated.err);
  const ready = await trackway(['doctor', '--port', '0'], { env });
  assert.match(ready.out, /ok {4}The database is accessible and up to date: PostgreSQL at /);

  const { address, said } = await serve(t, { ...env, ...asAdmin });
  assert.ok(said.out.includes(`Data       PostgreSQL at ${host}, database `), said.out);
  const { client } = await signedIn(address);
  const looked = await trackway(['doctor', '--port', new URL(address).port], { env });
  assert.equal(looked.code, 0, looked.out);
  assert.match(looked.out, /ok {4}The database is accessible and up to date: PostgreSQL at /);
  assert.match(looked.out, /ok {4}There is 1 admin/);

  const changed = await trackway(['user', 'password', ADMIN.email, '--password-stdin'], {
    env,
    input: 'walk the dog at noon\n',
  });
  assert.equal(changed.code, 0, changed.err);
  await assert.rejects(client.getUser({ id: 'me' }), { status: 401 });
  await signedIn(address, { email: ADMIN.email, password: 'walk the dog at noon' });
  const backup = await trackway(['backup', '/nowhere/copy'], { env });
  assert.match(backup.err, /pg_dump/);
  for (const { out, err } of [fresh, looked, changed, backup, said]) {
    if (password) assert.ok(!`${out}${err}`.includes(password));
    assert.ok(!`${out}${err}`.includes(postgres.url));
  }
});

test('an unknown database or user is reported in one sentence', { skip }, async () => {
  const nameless = new URL(postgres.url);
  nameless.pathname = '/nothing';
  const noDatabase = await trackway(['serve', '--port', '0'], { env: { TRACKWAY_DATABASE_URL: nameless.href } });
  assert.equal(noDatabase.code, 1);
  assert.match(noDatabase.err, /^Cannot use PostgreSQL at .+, database nothing: the database does not exist\..+\n$/);
  const stranger = new URL(postgres.url);
  stranger.username = 'stranger';
  stranger.password = 's3cret';
  const noUser = await trackway(['serve', '--port', '0'], { env: { TRACKWAY_DATABASE_URL: stranger.href } });
  assert.equal(noUser.code, 1);
  assert.match(
    noUser.err,
    /^Cannot use PostgreSQL at .+: (wrong user or password|this user is not allowed to connect)\..+\n$/,
  );
  assert.doesNotMatch(noUser.err, /s3cret/);
});
