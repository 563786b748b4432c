import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oneSlotNamer } from './one-slot.ts';

/** Statements come as they are, with their slots named. */
const KEYS = { slots: 64, columns: {}, bySlot: 'slots', unspread: ['queue'] };
const namer = oneSlotNamer((sql, cells) => ({ sql, cells }), KEYS);
/** Even slots are at one place, odd ones at another. */
const paired = oneSlotNamer((sql, cells) => ({ sql, cells }), {
  ...KEYS,
  groups: Array.from({ length: 64 }, (_, slot) => (slot % 2 === 0 ? 7 : 3)),
});
const sent = (sql: string, cells: readonly unknown[], by = namer) => {
  const { more = [], ...first } = by(sql, cells);
  return [first, ...more].map(({ sql: text, cells: values }) => ({ sql: text, cells: [...values] }));
};

test('a list of one slot, and all that is joined by slot with it, is a number', () => {
  const sql = `SELECT 1 FROM "trips" t JOIN "devices" d ON (d."slot" = t."slot" AND d."id" = t."deviceId")
    WHERE (t."slot" = ANY($2) AND t."deviceId" = ANY($1)) AND EXISTS (SELECT 1 FROM "stops" s WHERE (s."slot" = d."slot"))`;
  assert.deepEqual(sent(sql, ['{3,67}', '{3}']), [
    {
      sql: `SELECT 1 FROM "trips" t JOIN "devices" d ON (d."slot" = $2 AND t."slot" = $2 AND d."id" = t."deviceId")
    WHERE (t."slot" = $2 AND t."deviceId" = ANY($1)) AND EXISTS (SELECT 1 FROM "stops" s WHERE (s."slot" = $2 AND d."slot" = $2))`,
      cells: ['{3,67}', 3],
    },
  ]);
});

test('a subquery that gives rows as they are gives those of the slot', () => {
  const sql = `SELECT 1 FROM (SELECT d.* FROM "devices" d WHERE (d."slot" = ANY($2) AND d."id" = ANY($1))) v
    LEFT JOIN LATERAL (SELECT 1 FROM "trips" t WHERE (t."slot" = v."slot" AND t."deviceId" = v."id") LIMIT 1) n ON true`;
  assert.deepEqual(sent(sql, ['{3}', '{3}']), [
    {
      sql: sql.replace('= ANY($2)', '= $2').replace('t."slot" = v."slot"', 't."slot" = $2 AND v."slot" = $2'),
      cells: ['{3}', 3],
    },
  ]);
});

test('what is read of several slots stays one statement', () => {
  const sql = 'SELECT 1 FROM "trips" WHERE ("slot" = ANY($2) AND "deviceId" = ANY($1))';
  assert.deepEqual(sent(sql, ['{3,4}', '{3,4}']), [{ sql, cells: ['{3,4}', '{3,4}'] }]);
});

test('what is not joined with rows of the slot stays as it is', () => {
  const sql = `SELECT 1 FROM "trips" t WHERE (t."slot" = $2 AND t."deviceId" = $1)
    AND EXISTS (SELECT 1 FROM "stops" s JOIN "devices" d ON (d."slot" = s."slot" AND d."id" = s."deviceId"))`;
  assert.deepEqual(sent(sql, [3, 3]), [{ sql, cells: [3, 3] }]);
  const twice = `SELECT 1 FROM "trips" t WHERE (t."slot" = $2 AND t."deviceId" = $1)
    AND EXISTS (SELECT 1 FROM "stops" t JOIN "devices" d ON (d."slot" = t."slot"))`;
  assert.deepEqual(sent(twice, [3, 3]), [{ sql: twice, cells: [3, 3] }]);
});

test('rows of several slots are locked and changed slot by slot, in the order of slots', () => {
  const lock = 'SELECT 1 FROM "trips" WHERE ("slot" = ANY($2) AND "deviceId" = ANY($1)) FOR UPDATE';
  const locked = 'SELECT 1 FROM "trips" WHERE ("slot" = $2 AND "deviceId" = ANY($1)) FOR UPDATE';
  assert.deepEqual(sent(lock, ['{9,4,68}', '{9,4}']), [
    { sql: locked, cells: ['{9,4,68}', 4] },
    { sql: locked, cells: ['{9,4,68}', 9] },
  ]);
  const change = `WITH given ("name", "deviceId") AS (SELECT * FROM unnest($1::TEXT[], $2::BIGINT[])) UPDATE "devices"
    SET "name" = given."name" FROM given WHERE ("devices"."slot" = CAST(given."deviceId" % 64 AS SMALLINT) AND "devices"."id" = given."deviceId")`;
  const changed = change.replace('CAST(given."deviceId" % 64 AS SMALLINT)', '$3');
  assert.deepEqual(sent(change, ['{"a","b"}', '{65,66}']), [
    { sql: changed, cells: ['{"a","b"}', '{65,66}', 1] },
    { sql: changed, cells: ['{"a","b"}', '{65,66}', 2] },
  ]);
});

test('an insert of given rows reads the slot from the table of slots, and takes its ids first', () => {
  const insert = `WITH given ("at", "deviceId") AS (SELECT * FROM unnest($1::BIGINT[], $2::BIGINT[])) INSERT INTO "stops" ("at", "deviceId", "slot") SELECT given."at", given."deviceId", CAST(COALESCE(given."deviceId", 0) % 64 AS SMALLINT) FROM given RETURNING "id"`;
  const { newIds } = namer(insert, ['{1,2,3}', '{65,66,65}']);
  assert.deepEqual(newIds, { table: 'stops', count: 3, cell: 2 });
  const [first, second, ...more] = sent(insert, ['{1,2,3}', '{65,66,65}']);
  assert.equal(
    first!.sql,
    `WITH given ("at", "deviceId", "newId") AS (SELECT * FROM unnest($1::BIGINT[], $2::BIGINT[], $3::BIGINT[]))
 INSERT INTO "stops" ("at", "deviceId", "slot", "id") SELECT given."at", given."deviceId", home."slot", given."newId"
 FROM given JOIN (SELECT "slot" FROM "slots" WHERE "slot" = $4) AS home ON home."slot" = CAST(COALESCE(given."deviceId", 0) % 64 AS SMALLINT) RETURNING "id"`,
  );
  assert.deepEqual(first!.cells, ['{1,2,3}', '{65,66,65}', undefined, 1]);
  assert.deepEqual(second!.cells, ['{1,2,3}', '{65,66,65}', undefined, 2]);
  assert.deepEqual(more, []);

  const again = `WITH given ("at", "deviceId") AS (SELECT * FROM unnest($1::BIGINT[], $2::BIGINT[])) INSERT INTO "stops" ("at", "deviceId", "slot") SELECT "at", "deviceId", CAST(COALESCE("deviceId", 0) % 64 AS SMALLINT) FROM given ON CONFLICT ("slot", "deviceId") DO NOTHING`;
  assert.equal(namer(again, ['{1}', '{65}']).newIds, undefined);
  assert.match(sent(again, ['{1}', '{65}'])[0]!.sql, / home."slot"\n FROM given JOIN .+ ON CONFLICT .+ DO NOTHING$/s);

  const atOnePlace = again.replace('"stops"', '"queue"');
  assert.deepEqual(sent(atOnePlace, ['{1}', '{65}']), [{ sql: atOnePlace, cells: ['{1}', '{65}'] }]);
});

test('slots that are at one place share a statement', () => {
  const read =
    'SELECT 1 FROM "trips" t JOIN "stops" s ON (s."slot" = t."slot") WHERE (t."slot" = ANY($2) AND t."deviceId" = ANY($1))';
  const atOnce = read.replace(
    's."slot" = t."slot"',
    's."slot" = ANY($2) AND t."slot" = ANY($2) AND s."slot" = t."slot"',
  );
  assert.deepEqual(sent(read, ['{4,6}', '{4,6}'], paired), [{ sql: atOnce, cells: ['{4,6}', '{4,6}'] }]);
  assert.deepEqual(sent(read, ['{4,5}', '{4,5}'], paired), [{ sql: read, cells: ['{4,5}', '{4,5}'] }]);

  const lock = 'SELECT 1 FROM "trips" WHERE ("slot" = ANY($2) AND "deviceId" = ANY($1)) FOR UPDATE';
  assert.deepEqual(sent(lock, ['{4,5,6}', '{4,5,6}'], paired), [
    { sql: lock.replace('ANY($2)', '$2'), cells: ['{4,5,6}', 5] },
    { sql: lock, cells: ['{4,5,6}', '{4,6}'] },
  ]);

  const change = `WITH given ("name", "deviceId") AS (SELECT * FROM unnest($1::TEXT[], $2::BIGINT[])) UPDATE "devices"
    SET "name" = given."name" FROM given WHERE ("devices"."slot" = CAST(given."deviceId" % 64 AS SMALLINT) AND "devices"."id" = given."deviceId")`;
  assert.deepEqual(sent(change, ['{"a","b"}', '{66,68}'], paired), [
    {
      sql: change.replace('CAST(given."deviceId" % 64 AS SMALLINT)', 'ANY($3)'),
      cells: ['{"a","b"}', '{66,68}', '{2,4}'],
    },
  ]);

  const insert = `WITH given ("at", "deviceId") AS (SELECT * FROM unnest($1::BIGINT[], $2::BIGINT[])) INSERT INTO "stops" ("at", "deviceId", "slot") SELECT given."at", given."deviceId", CAST(COALESCE(given."deviceId", 0) % 64 AS SMALLINT) FROM given RETURNING "id"`;
  const [first, ...more] = sent(insert, ['{1,2}', '{66,68}'], paired);
  assert.match(
    first!.sql,
    /FROM given JOIN \(SELECT "slot" FROM "slots" WHERE "slot" = ANY\(\$4\)\) AS home ON home\."slot" = CAST/,
  );
  assert.deepEqual([first!.cells, more], [['{1,2}', '{66,68}', undefined, '{2,4}'], []]);
});
