import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireDevice } from './require-device.ts';

const COLUMNS = { devices: 'id', trips: 'deviceId', readings: 'reporterId' };
const SPANNING = [{ why: 'Lists of an account.', tables: ['devices'], form: '"ownerId" = ' }];

const PASS = [
  'SELECT 1 FROM "trips" WHERE "deviceId" = $1',
  'select "t"."end" from "trips" as "t" where "t"."deviceId" in ($1, $2)',
  'DELETE FROM "trips" WHERE "deviceId" = ANY($1)',
  'SELECT 1 FROM "devices" WHERE "ownerId" = $1',
  'SELECT 1 FROM "users" WHERE "id" = $1',
  'SELECT d."id" FROM "devices" d JOIN "trips" t ON t."deviceId" = d."id" WHERE d."ownerId" = $1',
  'insert into "trips" ("end", "deviceId") values ($1, $2) returning "id"',
  'UPDATE "trips" SET "end" = given."end" FROM given WHERE "trips"."deviceId" = given."deviceId"',
];
const REFUSED = [
  'SELECT 1 FROM "trips" WHERE "id" = $1',
  'SELECT "deviceId" FROM "trips" WHERE "end" = $1',
  'SELECT 1 FROM "readings" WHERE "deviceId" = $1',
  'UPDATE "trips" SET "deviceId" = $1 WHERE "id" = $2',
  'DELETE FROM "trips"',
  'SELECT (SELECT MAX(t."end") FROM "trips" t) FROM "devices" WHERE "id" = $1',
];

test('a statement that does not name the device is refused, unless it is known to be about many', () => {
  for (const sql of PASS) requireDevice(sql, COLUMNS, SPANNING);
  for (const sql of REFUSED)
    assert.throws(() => requireDevice(sql, COLUMNS, SPANNING), { message: /does not name the device/ }, sql);
});
