import type { Migration } from '../../../platform/storage/migrations.ts';

/**
 * Each credit has a number that stays when it is used. A row of credits owns consecutive numbers; a subscription has the
 * number of its credit. What was there before gets its numbers in the order of ids.
 */
export const creditNumbers: Migration = {
  name: '0025-credit-numbers',
  up: `
ALTER TABLE "planCredits" ADD COLUMN "firstNumber" {integer} NOT NULL DEFAULT 0;
UPDATE "planCredits" SET "firstNumber" = n."first" FROM (
  SELECT "id", 1 + SUM("count") OVER (ORDER BY "id") - "count" AS "first" FROM "planCredits"
) n WHERE n."id" = "planCredits"."id";
CREATE UNIQUE INDEX "planCredits_firstNumber" ON "planCredits" ("firstNumber");

CREATE TABLE "creditNumbers" (
  "id" {integer} PRIMARY KEY,
  "next" {integer} NOT NULL
);
INSERT INTO "creditNumbers" ("id", "next") SELECT 1, 1 + COALESCE(SUM("count"), 0) FROM "planCredits";

ALTER TABLE "subscriptions" ADD COLUMN "creditNumber" {integer};
ALTER TABLE "subscriptions" ADD COLUMN "removedAt" {time};
ALTER TABLE "subscriptions" ADD COLUMN "renewUntil" {time};
ALTER TABLE "subscriptions" ADD COLUMN "renews" {flag} NOT NULL DEFAULT 0;
UPDATE "subscriptions" SET "creditNumber" = n."number" FROM (
  SELECT s."id", c."firstNumber" + s."place" - c."before" - 1 AS "number"
  FROM (SELECT "id", "userId", "planId", ROW_NUMBER() OVER (PARTITION BY "userId", "planId" ORDER BY "id") AS "place"
    FROM "subscriptions") s
  JOIN (SELECT "userId", "planId", "firstNumber", "count",
      SUM("count") OVER (PARTITION BY "userId", "planId" ORDER BY "id") - "count" AS "before" FROM "planCredits") c
    ON c."userId" = s."userId" AND c."planId" = s."planId"
    AND s."place" > c."before" AND s."place" <= c."before" + c."count"
) n WHERE n."id" = "subscriptions"."id";
CREATE UNIQUE INDEX "subscriptions_creditNumber" ON "subscriptions" ("creditNumber");
CREATE INDEX "subscriptions_renewing" ON "subscriptions" ("end") WHERE "renews" = 1;
CREATE INDEX "subscriptions_renewUntil" ON "subscriptions" ("renewUntil") WHERE "renews" = 1;
`,
};
