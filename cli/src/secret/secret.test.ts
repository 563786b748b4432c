import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import test from 'node:test';
import { openVault } from '@trackway/server/app/vault.ts';
import { MIGRATIONS } from '@trackway/server/domain/schema/migrations.ts';
import type { Tables } from '@trackway/server/domain/schema/tables.ts';
import { openSqlite } from '@trackway/server/platform/storage/sqlite/sqlite.ts';
import { keyFile, readKeys } from '@trackway/server/platform/vault.ts';
import { eventually } from '../../../server/src/testing/eventually.ts';
import { ENDS_WITH_PARENT, MAIN, trackway } from '../testing/trackway.ts';

const DEVICES = 10_000;
const quiet = { info() {} };

async function withDatabase<T>(folder: string, work: (store: Awaited<ReturnType<typeof openStore>>) => Promise<T>) {
  const store = await openStore(folder);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
const openStore = (folder: string) => openSqlite<Tables>({ folder, migrations: MIGRATIONS });

test('a rotation that is killed is finished by the next, and no secret is lost', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'trackway-secret-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const settings = { data: folder, secret: '' };
  await withDatabase(folder, async (store) => {
    await store.transaction(async (tx) => {
      const user = { email: 'a@example.com', passwordHash: 'x', created: 1 };
      await tx
        .insertInto('users')
        .values(user as never)
        .execute();
      for (let id = 1; id <= DEVICES; id++)
        await tx
          .insertInto('devices')
          .values({ ownerId: 1, firstSeen: 1, secret: `plain ${id}` } as never)
          .execute();
    });
    await openVault(store, settings, quiet);
  });
  const [before] = readKeys(keyFile(folder))!;

  const killed = spawn(process.execPath, [...ENDS_WITH_PARENT, MAIN, 'secret', 'rotate', '--data', folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  await eventually(
    'the rotation has begun',
    () => readFileSync(keyFile(folder), 'utf8').split('\n').length,
    (lines) => lines > 3,
  );
  killed.kill('SIGKILL');
  await once(killed, 'exit');
  assert.equal(readKeys(keyFile(folder))!.length, 2, 'the old key is there until all is done');

  const { code, out, err } = await trackway(['secret', 'rotate', '--data', folder]);
  assert.equal(code, 0, out + err);
  assert.match(out, /^Encrypted \d+ secrets with the key of the file .*trackway\.key\.\n$/);
  const keys = readKeys(keyFile(folder))!;
  assert.equal(keys.length, 1);
  assert.ok(!keys[0]!.equals(before!));
  await withDatabase(folder, async (store) => {
    const vault = await openVault(store, settings, quiet);
    const rows = await store.query.selectFrom('devices').select(['id', 'secret']).orderBy('id').execute();
    assert.equal(rows.length, DEVICES);
    for (const { id, secret } of rows) {
      assert.ok(vault.isCurrent(secret!));
      assert.equal(vault.open(secret!, `devices.secret:${id}`), `plain ${id}`);
    }
  });
});

test('a server without its key says so in a sentence', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'trackway-secret-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  await withDatabase(folder, (store) => openVault(store, { data: folder, secret: '' }, quiet));
  rmSync(keyFile(folder));
  const { code, err } = await trackway(['serve', '--data', folder, '--port', '0']);
  assert.equal(code, 1);
  assert.match(err, /encrypted with a key that is missing here\. Restore the file/);
  assert.doesNotMatch(err, /\n\s+at /, 'a sentence, and no stack');
  const refused = await trackway(['secret', 'discard', '--data', folder]);
  assert.match(refused.err, /Add --yes/);
  assert.equal((await trackway(['secret', 'discard', '--data', folder, '--yes'])).code, 0);
});

test('other users cannot read the database, its log and its key', { skip: process.platform === 'win32' }, async (t) => {
  const folder = resolve(mkdtempSync(join(tmpdir(), 'trackway-secret-')), 'data');
  t.after(() => rmSync(resolve(folder, '..'), { recursive: true, force: true }));
  const modeOf = (name: string) => statSync(join(folder, name)).mode & 0o777;
  const server = await openStore(folder);
  await openVault(server, { data: folder, secret: '' }, quiet);
  await server.query.insertInto('settings').values({ name: 'x', value: 'y' }).execute();
  try {
    for (const name of ['trackway.db', 'trackway.db-wal', 'trackway.db-shm', 'trackway.key'])
      assert.equal(modeOf(name), 0o600, name);
    assert.equal(modeOf('.'), 0o700);
  } finally {
    await server.close();
  }
});
