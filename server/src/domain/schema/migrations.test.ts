import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { onBothEngines } from '../../testing/databases.ts';
import { SCHEMA } from './migrations/0001-schema.ts';
import { MIGRATIONS } from './migrations.ts';
import { PLACEMENTS } from './placement.ts';
import { schemaMarkdown } from './schema-markdown.ts';
import type { Tables } from './tables.ts';

test('each table and view is defined once, with its purpose in one line', () => {
  const definitions = Object.values(SCHEMA).flat();
  assert.equal(new Set(definitions.map(({ name }) => name)).size, definitions.length);
  const views = definitions.filter(({ purpose }) => purpose.startsWith('View: '));
  assert.deepEqual(
    definitions.map(({ name }) => name).sort(),
    [...Object.keys(PLACEMENTS), ...views.map(({ name }) => name)].sort(),
  );
  for (const { name, purpose } of definitions) assert.match(purpose, /^[^\n]{5,}\.$/, name);
});

test('docs/develop/schema.md is up to date; `npm run docs` writes it', () => {
  const path = new URL('../../../../docs/develop/schema.md', import.meta.url);
  assert.equal(readFileSync(path, 'utf8'), schemaMarkdown());
});

onBothEngines<Tables>('the schema', { migrations: MIGRATIONS }, (open) => {
  test('replaces no database of a pre-release', async () => {
    const place = await open.emptyPlace();
    const foundation = { name: '0001-foundation', up: 'CREATE TABLE "users" ("id" {id});' };
    await (await open.at(place, { migrations: [foundation] })).close();
    await assert.rejects(open.at(place), /created by a pre-release.*Start with an empty/);
    const { query } = await open.at(place, { migrations: [foundation] });
    assert.deepEqual(await query.selectFrom('users').select('id').execute(), []);
  });
});
