import type { Migration } from '../../../platform/storage/migrations.ts';

/**
 * What was received before, where the item's own row does not say so; answers that were given to creates; and what the
 * release of quarantined items needs.
 */
export const keptOnce: Migration = {
  name: '0014-kept-once',
  up: `
CREATE TABLE "receivedItems" (
  "deviceId" {integer} NOT NULL REFERENCES "devices" ("id") ON DELETE CASCADE,
  "hash" {text} NOT NULL,
  "until" {time} NOT NULL,
  PRIMARY KEY ("deviceId", "hash")
);
CREATE INDEX "receivedItems_until" ON "receivedItems" ("until");

CREATE TABLE "idempotencyKeys" (
  "id" {id},
  "userId" {integer} NOT NULL REFERENCES "users" ("id") ON DELETE CASCADE,
  "request" {text} NOT NULL,
  "body" {text} NOT NULL,
  "status" {integer} NOT NULL,
  "answer" {text},
  "created" {time} NOT NULL
);
CREATE UNIQUE INDEX "idempotencyKeys_request" ON "idempotencyKeys" ("userId", "request");
CREATE INDEX "idempotencyKeys_user" ON "idempotencyKeys" ("userId", "id");
CREATE INDEX "idempotencyKeys_created" ON "idempotencyKeys" ("created");

ALTER TABLE "quarantine" ADD COLUMN "timestamp" {time};
CREATE INDEX "quarantine_reason" ON "quarantine" ("reason", "id");
CREATE INDEX "quarantine_created" ON "quarantine" ("created");
`,
};
