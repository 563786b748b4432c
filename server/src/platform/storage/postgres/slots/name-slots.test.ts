import assert from 'node:assert/strict';
import test from 'node:test';
import { nameSlots, requireSlots, slotNamer } from './name-slots.ts';

const KEYS = { slots: 64, columns: { devices: 'id', trips: 'deviceId', states: 'deviceId', outbox: 'deviceId' } };
const named = (sql: string) => nameSlots(sql, KEYS).sql;
const HEARD = { ...KEYS, columns: { heard: 'reporterId' }, also: { heard: 'gatewayId' } };

/** What is written, and what is sent. */
const FORMS: readonly (readonly [string, string])[] = [
  ['SELECT 1 FROM "users" WHERE "id" = $1', 'SELECT 1 FROM "users" WHERE "id" = $1'],
  [
    'SELECT * FROM "trips" WHERE "deviceId" = $1 AND "start" > $2',
    'SELECT * FROM "trips" WHERE ("slot" = $3 AND "deviceId" = $1) AND "start" > $2',
  ],
  [
    'select "d"."id" from "devices" as "d" left join "trips" as "t" on "t"."deviceId" = "d"."id" where "d"."id" = $1',
    'select "d"."id" from "devices" as "d" left join "trips" as "t" on ("t"."slot" = "d"."slot" AND "t"."deviceId" = "d"."id") where ("d"."slot" = $2 AND "d"."id" = $1)',
  ],
  [
    'SELECT (SELECT MAX(t."end") FROM "trips" t WHERE t."deviceId" = d."id") FROM "devices" d JOIN "users" u ON u."id" = d."ownerId"',
    'SELECT (SELECT MAX(t."end") FROM "trips" t WHERE (t."slot" = d."slot" AND t."deviceId" = d."id")) FROM "devices" d JOIN "users" u ON u."id" = d."ownerId"',
  ],
  [
    'UPDATE "trips" SET "deviceId" = $1, "end" = $2 WHERE "id" = $3 AND ("deviceId" = $4 OR 1 = 0)',
    'UPDATE "trips" SET "deviceId" = $1, "end" = $2 WHERE "id" = $3 AND (("slot" = $5 AND "deviceId" = $4) OR 1 = 0)',
  ],
  [
    'DELETE FROM "devices" WHERE "id" IN ($1, $2)',
    'DELETE FROM "devices" WHERE ("slot" = ANY($3) AND "id" IN ($1, $2))',
  ],
  [
    'SELECT 1 FROM "states" WHERE "deviceId" = ANY($1::BIGINT[])',
    'SELECT 1 FROM "states" WHERE ("slot" = ANY($2) AND "deviceId" = ANY($1::BIGINT[]))',
  ],
  [
    'SELECT 1 FROM "states" s WHERE s."deviceId" IN (SELECT CAST("value" AS BIGINT) AS "id" FROM json_array_elements_text(CAST($1 AS JSON)))',
    'SELECT 1 FROM "states" s WHERE (s."slot" = ANY($2) AND s."deviceId" IN (SELECT CAST("value" AS BIGINT) AS "id" FROM json_array_elements_text(CAST($1 AS JSON))))',
  ],
  [
    'WITH given ("a", "deviceId") AS (SELECT * FROM unnest($1::BIGINT[], $2::BIGINT[])) UPDATE "states" SET "a" = given."a" FROM given WHERE "states"."deviceId" = given."deviceId"',
    'WITH given ("a", "deviceId") AS (SELECT * FROM unnest($1::BIGINT[], $2::BIGINT[])) UPDATE "states" SET "a" = given."a" FROM given WHERE ("states"."slot" = CAST(given."deviceId" % 64 AS SMALLINT) AND "states"."deviceId" = given."deviceId")',
  ],
  [
    'insert into "trips" ("deviceId", "start") values ($1, $2), ($3, $4) returning *',
    'insert into "trips" ("deviceId", "start", "slot") values ($1, $2, $5), ($3, $4, $6) returning *',
  ],
  [
    'INSERT INTO "states" ("a", "deviceId") SELECT given."a", given."deviceId" FROM given ON CONFLICT ("deviceId") DO UPDATE SET "a" = excluded."a"',
    'INSERT INTO "states" ("a", "deviceId", "slot") SELECT given."a", given."deviceId", CAST(COALESCE(given."deviceId", 0) % 64 AS SMALLINT) FROM given ON CONFLICT ("slot", "deviceId") DO UPDATE SET "a" = excluded."a"',
  ],
  [
    'insert into "outbox" ("state") values ($1) returning "id"',
    'insert into "outbox" ("state", "slot") values ($1, 0) returning "id"',
  ],
  [
    'SELECT 1 FROM (SELECT d.* FROM "devices" d WHERE d."name" = $1) v JOIN "trips" t ON t."deviceId" = v."id"',
    'SELECT 1 FROM (SELECT d.* FROM "devices" d WHERE d."name" = $1) v JOIN "trips" t ON (t."slot" = v."slot" AND t."deviceId" = v."id")',
  ],
  [
    'SELECT 1 FROM (SELECT d."id" FROM "devices" d) v JOIN "trips" t ON t."deviceId" = v."id"',
    'SELECT 1 FROM (SELECT d."id" FROM "devices" d) v JOIN "trips" t ON (t."slot" = CAST(v."id" % 64 AS SMALLINT) AND t."deviceId" = v."id")',
  ],
  // Not the device of a row alone.
  ['SELECT 1 FROM "trips" WHERE "deviceId" = $1 % 7', 'SELECT 1 FROM "trips" WHERE "deviceId" = $1 % 7'],
  ['SELECT 1 FROM "trips" WHERE "deviceId" <> $1', 'SELECT 1 FROM "trips" WHERE "deviceId" <> $1'],
  [
    `SELECT '"deviceId" = $1' FROM "trips" WHERE "slot" = $1`,
    `SELECT '"deviceId" = $1' FROM "trips" WHERE "slot" = $1`,
  ],
];

test('conditions on devices, joins and inserts name the slot', () => {
  for (const [written, sent] of FORMS) assert.equal(named(written), sent);
});

test('slots are worked out from the parameters', () => {
  const namer = slotNamer(KEYS);
  const cellsOf = (sql: string, ...cells: unknown[]) => namer(sql, cells).cells;
  assert.deepEqual(cellsOf('SELECT 1 FROM "trips" WHERE "deviceId" = $1', 130), [130, 2]);
  assert.deepEqual(cellsOf('SELECT 1 FROM "trips" WHERE "deviceId" = $1', null), [null, null]);
  assert.deepEqual(cellsOf('DELETE FROM "trips" WHERE "deviceId" IN ($1, $2, $3)', 1, 65, 3), [1, 65, 3, '{1,3}']);
  assert.deepEqual(cellsOf('SELECT 1 FROM "trips" WHERE "deviceId" = ANY($1)', '{1,66}'), ['{1,66}', '{1,2}']);
  assert.deepEqual(cellsOf('INSERT INTO "outbox" ("deviceId") VALUES ($1)', null), [null, 0]);
});

test('a second column that names the same device says the slot too, and is not what an insert goes by', () => {
  const of = (sql: string) => nameSlots(sql, HEARD);
  assert.equal(
    of('SELECT 1 FROM "heard" WHERE "gatewayId" = $1').sql,
    'SELECT 1 FROM "heard" WHERE ("slot" = $2 AND "gatewayId" = $1)',
  );
  assert.equal(
    of('SELECT 1 FROM "heard" WHERE "gatewayId" IS NULL AND "reporterId" = $1').sql,
    'SELECT 1 FROM "heard" WHERE "gatewayId" IS NULL AND ("slot" = $2 AND "reporterId" = $1)',
  );
  const insert = of('INSERT INTO "heard" ("gatewayId", "reporterId") VALUES ($1, $2)');
  assert.deepEqual(insert.more, [{ of: [2], form: 'oneOrFirst' }]);
});

test('a statement that leaves the slot open is refused where that is asked for', () => {
  const spanning = [{ why: 'Lists of an account.', tables: ['devices'], form: '"ownerId" = ' }];
  const require = (sql: string) => requireSlots(named(sql), { ...KEYS, spanning });
  require('SELECT 1 FROM "trips" WHERE "deviceId" = $1');
  require('SELECT 1 FROM "devices" WHERE "ownerId" = $1');
  require('SELECT 1 FROM "users" WHERE "id" = $1');
  require('SELECT d."id" FROM "devices" d JOIN "trips" t ON t."deviceId" = d."id" WHERE d."ownerId" = $1');
  const refused = { message: /does not name the slot/ };
  assert.throws(() => require('SELECT 1 FROM "trips" WHERE "id" = $1'), refused);
  assert.throws(() => require('SELECT 1 FROM "trips" WHERE "ownerId" = $1'), refused);
  assert.throws(() => require('DELETE FROM "trips"'), refused);
  assert.throws(
    () => require('SELECT (SELECT MAX(t."end") FROM "trips" t) FROM "devices" WHERE "id" = $1'),
    refused,
    'one of two tables',
  );
});
