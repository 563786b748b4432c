import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import type { Client } from 'pg';
import { MIGRATIONS } from '../../../domain/schema/migrations.ts';
import type { Tables } from '../../../domain/schema/tables.ts';
import { onPostgres } from '../../../testing/databases.ts';
import { eventually } from '../../../testing/eventually.ts';
import type { Migration } from '../migrations.ts';
import { migratePostgres } from './migrate.ts';
import { openPostgres } from './postgres.ts';

const suits: Migration = { name: '9998-suits', up: 'CREATE TABLE suits (id {id})', suitsOlderNodes: true };
const breaks: Migration = { name: '9999-breaks', up: 'CREATE TABLE breaks (id {id})' };

test('a version of PostgreSQL that is too old is rejected before anything is changed', async () => {
  const asked: string[] = [];
  const query = async (text: string) => {
    asked.push(text);
    return { rows: [{ server_version: '14.9 (Debian 14.9-1)' }] };
  };
  const migrating = migratePostgres({ query } as unknown as Client, MIGRATIONS, () => {});
  await assert.rejects(migrating, /PostgreSQL 15 or later is required; this server is 14\.9/);
  assert.deepEqual(asked, ['SHOW server_version']);
});

onPostgres<Tables>('a newer version beside older nodes', { migrations: MIGRATIONS }, (open) => {
  /** A node of the version before, which is heard of without end. */
  async function olderNode(place: string) {
    const { query } = await open.at(place);
    await query
      .insertInto('nodes')
      .values({
        id: 'a',
        name: 'berlin',
        version: '0.0.9',
        schema: MIGRATIONS.at(-1)!.name,
        address: '',
        startedAt: 1,
        seenAt: Number.MAX_SAFE_INTEGER,
        goneAt: null,
        lagMs: 0,
        clockAheadMs: 0,
        figures: '{}',
        owns: '{}',
      })
      .execute();
    return () => query.updateTable('nodes').set({ goneAt: 1 }).execute();
  }

  test('a change that they can live with is made at once, and they can start with it', async () => {
    const place = await open.migratedPlace(MIGRATIONS);
    await olderNode(place);
    await (await open.at(place, { migrations: [...MIGRATIONS, suits] })).close();
    const older = await open.at(place);
    await sql`SELECT id FROM suits`.execute(older.query);
  });

  test('one that they can’t live with waits until they are gone, and says for whom', async (t) => {
    const place = await open.migratedPlace(MIGRATIONS);
    const goes = await olderNode(place);
    const said: string[] = [];
    let isOpen = false;
    const opening = openPostgres<Tables>({
      url: place,
      migrations: [...MIGRATIONS, suits, breaks],
      say: (sentence) => said.push(sentence),
    }).then((db) => {
      isOpen = true;
      return db;
    });
    t.after(async () => (await opening).close());
    await eventually('it says so', () => said.length > 0);
    assert.match(said[0]!, /9999-breaks.*berlin \(version 0\.0\.9\)/);
    const meanwhile = await open.at(place);
    assert.equal(
      (await meanwhile.query.selectFrom('migrations').selectAll().where('name', '=', breaks.name).execute()).length,
      0,
    );
    assert.equal(isOpen, false);
    await goes();
    await sql`SELECT id FROM breaks`.execute((await opening).query);
    await assert.rejects(open.at(place), /newer version.*9999-breaks/);
  });
});
