import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPostgres } from '../../platform/storage/postgres/postgres.ts';
import { openSqlite } from '../../platform/storage/sqlite/sqlite.ts';
import { StoreTrouble } from '../../platform/storage/trouble.ts';
import { onEitherEngine } from '../../testing/databases.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { readiness } from './health.ts';

const lastCheck = (store: Store) =>
  store.query.selectFrom('settings').select('value').where('name', '=', 'last readiness check').executeTakeFirst();

onEitherEngine<Tables>('readiness', { migrations: MIGRATIONS }, (open) => {
  test('it is reported after a real write, which is done once for several requests', async () => {
    const store = await open();
    store.condition.committedAt = undefined;
    // However slow the machine is, all of it is within the time that one check is valid.
    const ready = readiness(store, Number.MAX_SAFE_INTEGER);
    const answers = await Promise.all(Array.from({ length: 50 }, () => ready()));
    assert.ok(answers.every(({ isReady }) => isReady));
    const stored = await lastCheck(store);
    assert.ok(stored !== undefined);
    for (let count = 0; count < 50; count++) await ready();
    assert.deepEqual(await lastCheck(store), stored);
  });

  test('a store that can be read only is not ready, and says so', async () => {
    const place = await open.emptyPlace();
    await (await open.at(place)).close();
    const readOnly = { sqlite: openReadOnly, postgres: openReadOnlyPostgres }[open.storeKind];
    const store = await readOnly(place);
    try {
      assert.deepEqual(await readiness(store)(), { isReady: false, reasons: ['The database cannot be written.'] });
      assert.equal(store.condition.errors.get('readOnly'), 1);
      const write = store.query.insertInto('settings').values({ name: 'x', value: 'y' }).execute();
      await assert.rejects(write, (error) => error instanceof StoreTrouble && error.kind === 'readOnly');
    } finally {
      await store.close();
    }
  });

  test('a problem makes it not ready, a warning does not, and writes are refused once that is enforced', async () => {
    const store = await open();
    const ready = readiness(store);
    store.condition.set('low', { kind: 'full', isWarning: true, sentence: 'Nearly full.' });
    assert.equal((await ready()).isReady, true);
    store.condition.set('found', { kind: 'damaged', refuses: true, sentence: 'A page is bad.' });
    assert.deepEqual(await ready(), { isReady: false, reasons: ['The database is damaged.'] });
    if (open.storeKind === 'postgres') return;
    const write = () => store.query.insertInto('settings').values({ name: 'x', value: 'y' }).execute();
    await write();
    store.condition.enforce();
    await assert.rejects(
      store.transaction(async () => {}),
      /A page is bad/,
    );
    await assert.rejects(write(), /A page is bad/);
    assert.equal((await store.query.selectFrom('settings').selectAll().where('name', '=', 'x').execute()).length, 1);
    store.condition.set('found', undefined);
    assert.equal((await ready()).isReady, true);
  });
});

const openReadOnly = (folder: string): Promise<Store> => openSqlite({ folder, migrations: MIGRATIONS, readOnly: true });

function openReadOnlyPostgres(address: string): Promise<Store> {
  const url = new URL(address);
  url.searchParams.set('options', '-c default_transaction_read_only=on');
  return openPostgres({ url: url.href, migrations: MIGRATIONS });
}
