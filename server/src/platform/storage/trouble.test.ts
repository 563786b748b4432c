import assert from 'node:assert/strict';
import test from 'node:test';
import { sql } from 'kysely';
import { Client } from 'pg';
import { onBothEngines } from '../../testing/databases.ts';
import { postgresTrouble, StoreTrouble } from './trouble.ts';

test('a server whose socket file is gone is known as unavailable', async () => {
  const client = new Client({ host: '/nowhere/at/all' });
  const error = await client.connect().then(
    () => undefined,
    (failure: unknown) => failure,
  );
  assert.equal(postgresTrouble(error), 'unavailable');
});

onBothEngines<object>('trouble', { migrations: [] }, (open) => {
  if (open.storeKind === 'sqlite') return;

  test('a statement that takes too long is trouble of the store, not an error of ours', async () => {
    const db = await open();
    const tooLong = db.transaction(async (tx) => {
      await sql`SET LOCAL statement_timeout = 10`.execute(tx);
      await sql`SELECT pg_sleep(60)`.execute(tx);
    });
    await assert.rejects(tooLong, (error) => error instanceof StoreTrouble && error.kind === 'busy');
  });
});
