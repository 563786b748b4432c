import type { Migration } from '../../../platform/storage/migrations.ts';

/**
 * What happened to a device beside its reports, and when its ignition went on and off. An event is listed by when it was
 * recorded, so that one that is recorded late is not missed by who reads on.
 */
export const deviceEvents: Migration = {
  name: '0024-device-events',
  up: `
CREATE TABLE "deviceEvents" (
  "id" {id},
  "deviceId" {integer} NOT NULL REFERENCES "devices" ("id") ON DELETE CASCADE,
  "recorded" {time} NOT NULL,
  "at" {time} NOT NULL,
  "type" {text} NOT NULL,
  "description" {text} NOT NULL,
  "meta" {json} NOT NULL
);
CREATE INDEX "deviceEvents_deviceId" ON "deviceEvents" ("deviceId", "recorded", "id");
CREATE INDEX "deviceEvents_recorded" ON "deviceEvents" ("recorded");

CREATE TABLE "ignitionChanges" (
  "id" {id},
  "deviceId" {integer} NOT NULL REFERENCES "devices" ("id") ON DELETE CASCADE,
  "at" {time} NOT NULL,
  "isOn" {flag} NOT NULL
);
CREATE INDEX "ignitionChanges_deviceId" ON "ignitionChanges" ("deviceId", "at", "id");
`,
};
