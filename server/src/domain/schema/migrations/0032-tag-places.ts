import type { Migration } from '../../../platform/storage/migrations.ts';

/** Positions of tags by the gateways that heard them: which minutes are to be looked at, and which gateways counted. */
export const tagPlaces: Migration = {
  name: '0032-tag-places',
  up: `
CREATE TABLE "placesDue" (
  "deviceId" {integer} NOT NULL REFERENCES "devices" ("id") ON DELETE CASCADE,
  "minute" {integer} NOT NULL,
  "since" {time} NOT NULL,
  "dueAt" {time} NOT NULL,
  PRIMARY KEY ("deviceId", "minute")
);
CREATE INDEX "placesDue_dueAt" ON "placesDue" ("dueAt", "deviceId");
ALTER TABLE "deviceStates" ADD COLUMN "placedUntil" {time};
ALTER TABLE "points" ADD COLUMN "heardBy" {json};
`,
};
