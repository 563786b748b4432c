import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitStatements } from './migrate.ts';

test('a text is split at the semicolons that end its statements', () => {
  assert.deepEqual(splitStatements('CREATE TABLE "a" ("b" TEXT);\n\nDROP TABLE "c"'), [
    'CREATE TABLE "a" ("b" TEXT)',
    'DROP TABLE "c"',
  ]);
  assert.deepEqual(splitStatements('\n-- Says where tables are; no more.\n;;'), []);
});

test('a semicolon within a text, a name, a comment or a block ends nothing', () => {
  for (const statement of [
    `SELECT 'a;''b;' AS "c;""d;"`,
    `SELECT E'it\\'s; so', 1`,
    'SELECT 1 -- one; two\n, 2',
    'SELECT 1 /* one; two */ - 2 / 3',
    `DO $$ BEGIN PERFORM 'x;'; END $$`,
    'DO $do$ BEGIN EXECUTE $$SELECT 1;$$; END $do$',
    'SELECT "e" FROM "e" WHERE "e" = $1',
  ])
    assert.deepEqual(splitStatements(`${statement}; ${statement};`), [statement, statement]);
});
