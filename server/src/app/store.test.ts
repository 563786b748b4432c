import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test from 'node:test';
import { trackway } from '../../../cli/src/testing/trackway.ts';
import { createLog } from '../platform/log.ts';
import { readSettings } from '../platform/settings.ts';
import type { Migration } from '../platform/storage/migrations.ts';
import { upgradeBackups } from '../platform/storage/sqlite/migrate.ts';
import { MIGRATIONS } from '../testing/place.ts';
import { SETTINGS } from './settings.ts';
import { openStore } from './store.ts';

test('the database is backed up before it is migrated, and downgrade restores the latest backup', async (t) => {
  const data = mkdtempSync(join(tmpdir(), 'trackway-upgrade-'));
  t.after(() => rmSync(data, { recursive: true }));
  let output = '';
  const log = createLog('info', {
    write(text) {
      output += text;
    },
  });
  const settings = { ...readSettings(SETTINGS, {}).values, data, upgradeBackups: 2 };
  const open = async (added: readonly Migration[], use = settings) => {
    const { store, release } = await openStore(use, { log, migrations: [...MIGRATIONS, ...added] });
    const copies = await store.query.selectFrom('dataCopies').select('place').orderBy('place').execute();
    await store.close();
    await release();
    return copies.map(({ place }) => place);
  };
  const added = (number: number): Migration => ({
    name: `900${number} test`,
    up: `CREATE TABLE "test${number}" ("id" {id});\n`,
  });
  const has = (file: string, table: string) => {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      return database.prepare('SELECT 1 FROM "sqlite_master" WHERE "name" = ?').get(table) !== undefined;
    } finally {
      database.close();
    }
  };
  assert.deepEqual(await open([]), []);
  await open([]);
  assert.deepEqual(upgradeBackups(data), [], 'a new database and one without migrations need none');
  assert.match((await trackway(['downgrade', '--data', data])).err, /There is no backup from before an upgrade/);

  assert.deepEqual(await open([added(1)]), upgradeBackups(data), 'an erasure names it');
  const [first] = upgradeBackups(data);
  assert.ok(has(first!, 'users') && !has(first!, 'test1'));
  assert.match(output, /backed up before it is migrated/);
  await open([added(1), added(2)]);
  assert.deepEqual(await open([added(1), added(2), added(3)]), upgradeBackups(data));
  assert.deepEqual([upgradeBackups(data).length, existsSync(first!)], [2, false], 'two are kept');
  await open([added(1), added(2), added(3), added(4)], { ...settings, upgradeBackups: 0 });
  assert.equal(upgradeBackups(data).length, 2);

  const asked = await trackway(['downgrade', '--data', data]);
  assert.equal(asked.code, 1);
  assert.match(asked.err, /What was stored since then will be missing\. To restore it, add --yes/);
  assert.ok(has(join(data, 'trackway.db'), 'test4'));
  const done = await trackway(['downgrade', '--data', data, '--yes']);
  assert.equal(done.code, 0, done.err);
  assert.deepEqual(
    ['test2', 'test3'].map((table) => has(join(data, 'trackway.db'), table)),
    [true, false],
  );
  await open([added(1), added(2)]);
});
