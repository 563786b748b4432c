import type { Migration } from '../../../platform/storage/migrations.ts';

/** The leases of replays, while new data may mark the device again; and which triggers' devices are near. */
export const inHand: Migration = {
  name: '0005-in-hand',
  up: `
ALTER TABLE "deviceStates" ADD COLUMN "inHandFrom" {time};
ALTER TABLE "deviceStates" ADD COLUMN "inHandBy" {text};
ALTER TABLE "deviceStates" ADD COLUMN "inHandUntil" {time};

CREATE TABLE "nearnesses" (
  "triggerId" {integer} PRIMARY KEY REFERENCES "notificationTriggers" ("id") ON DELETE CASCADE,
  "otherDeviceId" {integer} NOT NULL,
  "since" {time} NOT NULL
);
`,
};
