import type { Migration } from '../../../platform/storage/migrations.ts';

/**
 * Trackers that speak a protocol of their own: who knocked without being known, what could not be read, and what became
 * of a message to a device.
 */
export const trackers: Migration = {
  name: '0029-trackers',
  up: `
CREATE TABLE "knocks" (
  "id" {id},
  "protocol" {text} NOT NULL,
  "identity" {text} NOT NULL,
  "otherNames" {json} NOT NULL,
  "address" {text} NOT NULL,
  "firstAt" {time} NOT NULL,
  "lastAt" {time} NOT NULL,
  "count" {integer} NOT NULL
);
CREATE UNIQUE INDEX "knocks_identity" ON "knocks" ("protocol", "identity");
CREATE INDEX "knocks_lastAt" ON "knocks" ("lastAt");

CREATE TABLE "undecodedFrames" (
  "id" {id},
  "protocol" {text} NOT NULL,
  "sender" {text} NOT NULL,
  "problem" {text} NOT NULL,
  "deviceId" {integer} REFERENCES "devices" ("id") ON DELETE CASCADE,
  "address" {text} NOT NULL,
  "firstAt" {time} NOT NULL,
  "lastAt" {time} NOT NULL,
  "count" {integer} NOT NULL,
  "bytes" {text} NOT NULL
);
CREATE UNIQUE INDEX "undecodedFrames_sender" ON "undecodedFrames" ("protocol", "sender", "problem");
CREATE INDEX "undecodedFrames_lastAt" ON "undecodedFrames" ("lastAt");
CREATE INDEX "undecodedFrames_deviceId" ON "undecodedFrames" ("deviceId");

ALTER TABLE "devices" ADD COLUMN "supportedCommands" {json};

ALTER TABLE "messages" ADD COLUMN "state" {text} DEFAULT 'queued';
ALTER TABLE "messages" ADD COLUMN "expires" {time};
ALTER TABLE "messages" ADD COLUMN "failure" {text};
ALTER TABLE "messages" ADD COLUMN "replyId" {integer};
ALTER TABLE "messages" ADD COLUMN "command" {json};
UPDATE "messages" SET "state" = CASE WHEN "mobileTerminated" = 1 THEN 'confirmed' END
  WHERE "mobileTerminated" = 0 OR "sent" IS NOT NULL;
DROP INDEX "messages_waiting";
CREATE INDEX "messages_waiting" ON "messages" ("deviceId", "id")
  WHERE "mobileTerminated" = 1 AND "sent" IS NULL AND "state" = 'queued';
CREATE INDEX "messages_expires" ON "messages" ("expires") WHERE "expires" IS NOT NULL AND "state" = 'queued';
`,
};
