import type { Migration } from '../../../platform/storage/migrations.ts';

/** Fields that clients of the published API know, and what a gateway heard in one transmission. */
export const publishedFields: Migration = {
  name: '0021-published-fields',
  up: `
ALTER TABLE "devices" ADD COLUMN "imsi" {text};
ALTER TABLE "devices" ADD COLUMN "uwbId" {integer};
ALTER TABLE "devices" ADD COLUMN "mode" {text} NOT NULL DEFAULT 'default';
ALTER TABLE "devices" ADD COLUMN "batteryType" {text} NOT NULL DEFAULT 'LIO';
ALTER TABLE "devices" ADD COLUMN "simstate" {text} NOT NULL DEFAULT 'active';
ALTER TABLE "devices" ADD COLUMN "simType" {text};
ALTER TABLE "devices" ADD COLUMN "deepSleep" {flag} NOT NULL DEFAULT 0;
ALTER TABLE "devices" ADD COLUMN "saveToWeb" {flag} NOT NULL DEFAULT 0;
ALTER TABLE "devices" ADD COLUMN "btPasskey" {integer};
ALTER TABLE "devices" ADD COLUMN "claimable" {text} NOT NULL DEFAULT 'no';
ALTER TABLE "points" ADD COLUMN "stringValue" {text};
ALTER TABLE "points" ADD COLUMN "currentUsed" {number};
ALTER TABLE "points" ADD COLUMN "num_value" {text};
CREATE INDEX "gatewayReadings_gateway_correlation" ON "gatewayReadings" ("gatewayId", "correlationId", "timestamp")
  WHERE "correlationId" IS NOT NULL;
`,
};
