import type { Migration } from '../../../platform/storage/migrations.ts';

/**
 * On PostgreSQL the live log has an order for each slot: its counter is a row, and the row is the lock. Entries that were
 * written in one order for all keep their ids, and each slot counts on from the last of them (`since`). So one number,
 * as streams were given until now, is a place in every slot.
 *
 * On SQLite one process writes, and the log keeps its one order.
 */
export const slots: Migration = {
  name: '0035-slots',
  up: (storeKind) => (storeKind === 'sqlite' ? '-- The log keeps its one order.' : POSTGRES),
};

/** Each row is written anew all the time: with room on its page that needs neither a new page nor the index. */
const POSTGRES = `
CREATE TABLE "slots" (
  "slot" {integer} PRIMARY KEY,
  "last" {integer} NOT NULL,
  "forgotten" {integer} NOT NULL,
  "since" {integer} NOT NULL
) WITH (fillfactor = 20);
LOCK TABLE "liveEvents" IN ACCESS EXCLUSIVE MODE;
WITH "gone" AS (SELECT COALESCE(MAX(CAST("value" AS BIGINT)), 0) AS "id" FROM "settings" WHERE "name" = 'liveForgotten'),
  "newest" AS (SELECT COALESCE(MAX("id"), 0) AS "id" FROM "liveEvents")
INSERT INTO "slots" ("slot", "last", "forgotten", "since")
SELECT "slot", GREATEST("newest"."id", "gone"."id"), "gone"."id", GREATEST("newest"."id", "gone"."id")
FROM generate_series(0, 63) AS "slot", "gone", "newest";
DELETE FROM "settings" WHERE "name" = 'liveForgotten';
ALTER TABLE "liveEvents" ADD COLUMN "slot" {integer};
UPDATE "liveEvents" SET "slot" = "deviceId" % 64;
ALTER TABLE "liveEvents" DROP CONSTRAINT "liveEvents_pkey";
ALTER TABLE "liveEvents" ALTER COLUMN "id" DROP IDENTITY;
ALTER TABLE "liveEvents" ADD PRIMARY KEY ("slot", "id");
`;
