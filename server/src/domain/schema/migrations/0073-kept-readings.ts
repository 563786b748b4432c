import type { Migration } from '../../../platform/storage/migrations.ts';
import { PLACEMENTS, SLOT_VIEWS } from '../placement.ts';
import { SLOTS } from '../slot.ts';
import { SPANNING } from '../spanning.ts';

/**
 * A reading says by whom it is kept: the device that told it, with whose rows it lies where PostgreSQL is spread over
 * servers. Those of a report are then written where its positions are. What is packed says it too.
 * Notifications that wait to be acknowledged, which say their device anyway, go with them.
 */
export const keptReadings: Migration = {
  name: '0073-kept-readings',
  placements: PLACEMENTS,
  slots: SLOTS,
  slotViews: SLOT_VIEWS,
  spanning: SPANNING,
  up: (storeKind) => (storeKind === 'sqlite' ? SQLITE : POSTGRES),
};

const KEEPER = 'COALESCE("gatewayId", "deviceId", 0)';

const SQLITE = `
ALTER TABLE "gatewayReadings" ADD COLUMN "keptBy" {integer};
UPDATE "gatewayReadings" SET "keptBy" = ${KEEPER};
ALTER TABLE "readingSegments" ADD COLUMN "keptBy" {integer};
UPDATE "readingSegments" SET "keptBy" = ${KEEPER};
`;

const CELLS = `"id", "timestamp", "created", "type", "value", "rssi", "meta", "relatedId", "correlationId", "gatewayId",
  "deviceId", "sensorDeviceId", "datapointId", "hash"`;

/**
 * Rows are written into a new table, which is quicker than an update and leaves no dead ones; and a table that Citus has
 * at one server can be changed less than a new one. Small numbers come last: they need no padding there.
 */
const POSTGRES = `
CREATE SEQUENCE "gatewayReadings_ids";
CREATE TABLE "keptReadings" (
  "id" BIGINT NOT NULL DEFAULT nextval('"gatewayReadings_ids"'),
  "timestamp" {time} NOT NULL,
  "created" {time} NOT NULL,
  "type" {text} NOT NULL,
  "value" {json} NOT NULL,
  "rssi" {number},
  "meta" {json},
  "relatedId" {integer},
  "correlationId" {text},
  "gatewayId" {integer},
  "deviceId" {integer},
  "sensorDeviceId" {text},
  "datapointId" {integer},
  "hash" {text},
  "keptBy" {integer} NOT NULL,
  "slot" SMALLINT NOT NULL
);
INSERT INTO "keptReadings" (${CELLS}, "keptBy", "slot")
  SELECT ${CELLS}, ${KEEPER}, CAST(${KEEPER} % ${SLOTS} AS SMALLINT) FROM "gatewayReadings";
DO $$
BEGIN
  PERFORM setval('"gatewayReadings_ids"', last_value, is_called) FROM "gatewayReadings_id_seq";
END $$;
DROP TABLE "gatewayReadings";
ALTER TABLE "keptReadings" RENAME TO "gatewayReadings";
ALTER SEQUENCE "gatewayReadings_ids" OWNED BY "gatewayReadings"."id";
ALTER TABLE "gatewayReadings" ADD PRIMARY KEY ("slot", "id");
CREATE INDEX "gatewayReadings_id" ON "gatewayReadings" ("id");
CREATE INDEX "gatewayReadings_gatewayId" ON "gatewayReadings" ("gatewayId", "id", "timestamp");
CREATE INDEX "gatewayReadings_gateway_timestamp" ON "gatewayReadings" ("gatewayId", "timestamp", "id");
CREATE INDEX "gatewayReadings_gateway_type" ON "gatewayReadings" ("gatewayId", "type", "id", "timestamp");
CREATE INDEX "gatewayReadings_gateway_device" ON "gatewayReadings" ("gatewayId", "deviceId", "id", "timestamp");
CREATE INDEX "gatewayReadings_deviceId" ON "gatewayReadings" ("deviceId", "id", "timestamp");
CREATE INDEX "gatewayReadings_device_timestamp" ON "gatewayReadings" ("deviceId", "timestamp", "id");
CREATE INDEX "gatewayReadings_gateway_correlation" ON "gatewayReadings" ("gatewayId", "correlationId", "timestamp")
  WHERE "correlationId" IS NOT NULL;
CREATE INDEX "gatewayReadings_drivers" ON "gatewayReadings" ("deviceId", "timestamp", "id")
  WHERE "type" IN ('driver_id', 'driverUniqueId');

ALTER TABLE "readingSegments" ADD COLUMN "keptBy" {integer};
UPDATE "readingSegments" SET "keptBy" = ${KEEPER}, "slot" = CAST(${KEEPER} % ${SLOTS} AS SMALLINT);
ALTER TABLE "readingSegments" ALTER COLUMN "keptBy" SET NOT NULL;
`;
