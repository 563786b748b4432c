import type { Migration } from '../../../platform/storage/migrations.ts';

export const foundation: Migration = {
  name: '0001-foundation',
  up: `
CREATE TABLE "settings" ("name" {text} PRIMARY KEY, "value" {text} NOT NULL);

CREATE TABLE "users" (
  "id" {id},
  "username" {text},
  "email" {text} NOT NULL,
  "name" {text},
  "admin" {flag} NOT NULL DEFAULT 0,
  "meta" {json},
  "passwordHash" {text} NOT NULL,
  "created" {time} NOT NULL
);
CREATE UNIQUE INDEX "users_email" ON "users" ("email");
CREATE UNIQUE INDEX "users_username" ON "users" ("username");

CREATE TABLE "tokens" (
  "id" {id},
  "userId" {integer} NOT NULL REFERENCES "users" ("id") ON DELETE CASCADE,
  "hash" {text} NOT NULL,
  "kind" {text} NOT NULL,
  "description" {text},
  "ttl" {integer} NOT NULL,
  "created" {time} NOT NULL,
  "expiresAt" {time} NOT NULL,
  "refreshHash" {text},
  "refreshUntil" {time}
);
CREATE UNIQUE INDEX "tokens_hash" ON "tokens" ("hash");
CREATE INDEX "tokens_userId" ON "tokens" ("userId");

CREATE TABLE "devices" (
  "id" {id},
  "name" {text},
  "imei" {text},
  "serial" {text},
  "iccid" {text},
  "btMac" {integer},
  "btMacAddress" {text},
  "loraId" {json},
  "type" {text},
  "ownerId" {integer} NOT NULL REFERENCES "users" ("id"),
  "firstSeen" {time} NOT NULL,
  "lastConnection" {time},
  "batteryPct" {number},
  "batteryVoltage" {number},
  "currentMode" {integer},
  "tags" {json},
  "color" {text},
  "active" {flag} NOT NULL DEFAULT 1,
  "expires" {time},
  "meta" {json},
  "keyHash" {text},
  "deletedAt" {time}
);
CREATE INDEX "devices_ownerId" ON "devices" ("ownerId", "id");
CREATE UNIQUE INDEX "devices_keyHash" ON "devices" ("keyHash");
CREATE UNIQUE INDEX "devices_imei" ON "devices" ("imei") WHERE "deletedAt" IS NULL;
CREATE UNIQUE INDEX "devices_serial" ON "devices" ("serial") WHERE "deletedAt" IS NULL;
CREATE INDEX "devices_deletedAt" ON "devices" ("deletedAt") WHERE "deletedAt" IS NOT NULL;

CREATE TABLE "shares" (
  "id" {id},
  "deviceId" {integer} NOT NULL REFERENCES "devices" ("id") ON DELETE CASCADE,
  "userId" {integer} NOT NULL REFERENCES "users" ("id") ON DELETE CASCADE,
  "email" {text},
  "rights" {text} NOT NULL,
  "created" {time} NOT NULL
);
CREATE UNIQUE INDEX "shares_deviceId" ON "shares" ("deviceId", "userId");
CREATE INDEX "shares_userId" ON "shares" ("userId", "deviceId");

CREATE TABLE "deviceConfigs" (
  "id" {id},
  "deviceId" {integer} NOT NULL REFERENCES "devices" ("id") ON DELETE CASCADE,
  "safeZoneId" {integer},
  "currentFW" {text},
  "otaFW" {text},
  "interval" {integer} NOT NULL,
  "sleepInterval" {integer} NOT NULL,
  "packing" {integer} NOT NULL,
  "movementSensitivity" {integer},
  "movementSensitivity2" {integer},
  "debounce" {integer},
  "behavior" {integer},
  "modeControl" {integer},
  "modeControl2" {integer},
  "gpsTimeout" {integer},
  "transmitTimeout" {integer},
  "gpsStabilize" {integer},
  "gpsCheckInterval" {integer},
  "stopTimeout" {integer},
  "tolerancePercentage" {integer},
  "reasonsToWake" {json},
  "timed" {json},
  "modified" {time},
  "receivedAt" {time},
  "forceFw" {flag},
  "updateAvailibility" {integer},
  "reset" {integer},
  "flashTryCount" {integer},
  "homeWifiNetwork" {text},
  "wakeAction" {text} NOT NULL,
  "alertAction" {text} NOT NULL,
  "command" {integer},
  "checkInInterval" {integer} NOT NULL DEFAULT 0,
  "onDemandTime" {integer} NOT NULL DEFAULT 30
);
CREATE UNIQUE INDEX "deviceConfigs_deviceId" ON "deviceConfigs" ("deviceId");

CREATE TABLE "geofences" (
  "id" {id},
  "outline" {json},
  "centerLat" {number},
  "centerLng" {number},
  "radius" {number},
  "type" {text},
  "name" {text},
  "wasInside" {flag} NOT NULL DEFAULT 0,
  "lastChecked" {time},
  "modified" {flag} NOT NULL DEFAULT 0,
  "meta" {json},
  "foreignId" {text},
  "deviceId" {integer},
  "configId" {integer},
  "userId" {integer} NOT NULL REFERENCES "users" ("id") ON DELETE CASCADE
);
CREATE INDEX "geofences_userId" ON "geofences" ("userId", "id");
CREATE INDEX "geofences_deviceId" ON "geofences" ("deviceId");

CREATE TABLE "gatewayReadings" (
  "id" {id},
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
  "datapointId" {integer}
);
CREATE INDEX "gatewayReadings_gatewayId" ON "gatewayReadings" ("gatewayId", "id", "timestamp");
CREATE INDEX "gatewayReadings_gateway_timestamp" ON "gatewayReadings" ("gatewayId", "timestamp", "id");
CREATE INDEX "gatewayReadings_gateway_type" ON "gatewayReadings" ("gatewayId", "type", "id", "timestamp");
CREATE INDEX "gatewayReadings_gateway_device" ON "gatewayReadings" ("gatewayId", "deviceId", "id", "timestamp");
CREATE INDEX "gatewayReadings_deviceId" ON "gatewayReadings" ("deviceId", "id", "timestamp");
CREATE INDEX "gatewayReadings_device_timestamp" ON "gatewayReadings" ("deviceId", "timestamp", "id");

CREATE TABLE "points" (
  "id" {id},
  "deviceId" {integer} NOT NULL,
  "timestamp" {time} NOT NULL,
  "locationLat" {number},
  "locationLng" {number},
  "speed" {number},
  "altitude" {number},
  "course" {number},
  "accuracy" {number},
  "locationType" {text} NOT NULL,
  "sats" {integer},
  "hdop" {number},
  "batteryPct" {number},
  "batteryVoltage" {number},
  "averageCharge" {integer},
  "sendReason" {integer},
  "alertType" {integer},
  "mode" {integer},
  "gsmSignal" {number},
  "address" {text},
  "correlationId" {text},
  "created" {time} NOT NULL
);
CREATE INDEX "points_deviceId" ON "points" ("deviceId", "id", "timestamp");
CREATE INDEX "points_device_timestamp" ON "points" ("deviceId", "timestamp", "id");

CREATE TABLE "notificationTriggers" (
  "id" {id},
  "name" {text} NOT NULL,
  "type" {text} NOT NULL,
  "parameters" {json},
  "muteFor" {number} NOT NULL,
  "lastTriggered" {time},
  "delivery" {json} NOT NULL,
  "deviceId" {integer} NOT NULL REFERENCES "devices" ("id") ON DELETE CASCADE,
  "userId" {integer} NOT NULL REFERENCES "users" ("id") ON DELETE CASCADE
);
CREATE INDEX "notificationTriggers_deviceId" ON "notificationTriggers" ("deviceId", "userId", "id");
CREATE INDEX "notificationTriggers_userId" ON "notificationTriggers" ("userId");

CREATE TABLE "messages" (
  "id" {id},
  "config" {text},
  "message" {text},
  "mobileTerminated" {flag} NOT NULL,
  "created" {time} NOT NULL,
  "sent" {time},
  "deviceId" {integer} NOT NULL REFERENCES "devices" ("id") ON DELETE CASCADE,
  "userId" {integer}
);
CREATE INDEX "messages_deviceId" ON "messages" ("deviceId", "id");

CREATE TABLE "forwarders" (
  "id" {id},
  "deviceId" {integer} NOT NULL REFERENCES "devices" ("id") ON DELETE CASCADE,
  "userId" {integer} NOT NULL REFERENCES "users" ("id") ON DELETE CASCADE,
  "kind" {text} NOT NULL,
  "target" {text} NOT NULL,
  "types" {json} NOT NULL,
  "status" {text} NOT NULL,
  "origin" {text} NOT NULL,
  "created" {time} NOT NULL
);
CREATE INDEX "forwarders_deviceId" ON "forwarders" ("deviceId", "id");
CREATE UNIQUE INDEX "forwarders_setup" ON "forwarders" ("deviceId") WHERE "origin" = 'setup';
CREATE INDEX "forwarders_userId" ON "forwarders" ("userId");

CREATE TABLE "plans" (
  "id" {id},
  "name" {text} NOT NULL,
  "displayName" {text},
  "description" {text},
  "features" {text},
  "sku" {text},
  "onoWhitelistId" {integer},
  "sleepLimit" {integer},
  "wakeLimit" {integer},
  "prices" {json},
  "days" {integer} NOT NULL
);
CREATE UNIQUE INDEX "plans_name" ON "plans" ("name");

CREATE TABLE "planCredits" (
  "id" {id},
  "userId" {integer} NOT NULL REFERENCES "users" ("id") ON DELETE CASCADE,
  "planId" {integer} NOT NULL REFERENCES "plans" ("id"),
  "count" {integer} NOT NULL,
  "origin" {text} NOT NULL,
  "created" {time} NOT NULL
);
CREATE INDEX "planCredits_userId" ON "planCredits" ("userId", "id");
CREATE INDEX "planCredits_planId" ON "planCredits" ("planId");

CREATE TABLE "subscriptions" (
  "id" {id},
  "deviceId" {integer} NOT NULL,
  "userId" {integer} NOT NULL REFERENCES "users" ("id") ON DELETE CASCADE,
  "planId" {integer} NOT NULL REFERENCES "plans" ("id"),
  "start" {time} NOT NULL,
  "end" {time} NOT NULL
);
CREATE INDEX "subscriptions_deviceId" ON "subscriptions" ("deviceId", "end");
CREATE INDEX "subscriptions_userId" ON "subscriptions" ("userId", "planId");
`,
};
