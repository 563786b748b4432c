import type { Migration } from '../../../platform/storage/migrations.ts';

/** Who drives. Sign-ons by tag are readings of the device; those by hand have a table of their own. */
export const drivers: Migration = {
  name: '0053-drivers',
  suitsOlderNodes: true,
  up: `
CREATE TABLE "drivers" (
  "id" {id},
  "userId" {integer} NOT NULL REFERENCES "users" ("id") ON DELETE CASCADE,
  "name" {text} NOT NULL,
  "phone" {text},
  "note" {text},
  "tags" {json},
  "created" {time} NOT NULL
);
CREATE INDEX "drivers_userId" ON "drivers" ("userId", "id");
CREATE TABLE "driverSignOns" (
  "id" {id},
  "deviceId" {integer} NOT NULL REFERENCES "devices" ("id") ON DELETE CASCADE,
  "driverId" {integer} REFERENCES "drivers" ("id") ON DELETE CASCADE,
  "at" {time} NOT NULL,
  "userId" {integer} REFERENCES "users" ("id") ON DELETE SET NULL,
  "created" {time} NOT NULL
);
CREATE INDEX "driverSignOns_deviceId" ON "driverSignOns" ("deviceId", "at");
CREATE INDEX "driverSignOns_driverId" ON "driverSignOns" ("driverId");
CREATE INDEX "driverSignOns_userId" ON "driverSignOns" ("userId");
CREATE INDEX "gatewayReadings_drivers" ON "gatewayReadings" ("deviceId", "timestamp", "id")
  WHERE "type" IN ('driver_id', 'driverUniqueId');
`,
};
