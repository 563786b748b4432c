import type { Migration } from '../../../platform/storage/migrations.ts';

/** What the path of a fix needs: identity of reports, state of devices, versions of rules, trips, notifications. */
export const pathOfAFix: Migration = {
  name: '0002-path-of-a-fix',
  up: `
ALTER TABLE "points" ADD COLUMN "hash" {text};
ALTER TABLE "points" ADD COLUMN "judged" {text};
ALTER TABLE "gatewayReadings" ADD COLUMN "hash" {text};
ALTER TABLE "devices" ADD COLUMN "allowKeyless" {flag} NOT NULL DEFAULT 0;

CREATE INDEX "messages_waiting" ON "messages" ("deviceId", "id") WHERE "mobileTerminated" = 1 AND "sent" IS NULL;

CREATE TABLE "quarantine" (
  "id" {id},
  "deviceId" {integer} NOT NULL,
  "list" {text} NOT NULL,
  "report" {json} NOT NULL,
  "reason" {text} NOT NULL,
  "created" {time} NOT NULL
);
CREATE INDEX "quarantine_deviceId" ON "quarantine" ("deviceId", "id");

CREATE TABLE "deviceStates" (
  "deviceId" {integer} PRIMARY KEY REFERENCES "devices" ("id") ON DELETE CASCADE,
  "form" {integer} NOT NULL,
  "state" {text} NOT NULL,
  "newest" {time},
  "checkpointAt" {time},
  "sinceCheckpoint" {integer} NOT NULL DEFAULT 0,
  "dirtyFrom" {time},
  "appends" {integer} NOT NULL DEFAULT 0,
  "dueAt" {time},
  "rules" {integer} NOT NULL DEFAULT 0,
  "heardAt" {time}
);
CREATE INDEX "deviceStates_dirtyFrom" ON "deviceStates" ("dirtyFrom") WHERE "dirtyFrom" IS NOT NULL;
CREATE INDEX "deviceStates_dueAt" ON "deviceStates" ("dueAt") WHERE "dueAt" IS NOT NULL;

CREATE TABLE "checkpoints" (
  "deviceId" {integer} NOT NULL REFERENCES "devices" ("id") ON DELETE CASCADE,
  "at" {time} NOT NULL,
  "form" {integer} NOT NULL,
  "state" {text} NOT NULL,
  PRIMARY KEY ("deviceId", "at")
);

CREATE TABLE "fenceVersions" (
  "id" {id},
  "fenceId" {integer} NOT NULL,
  "userId" {integer} NOT NULL REFERENCES "users" ("id") ON DELETE CASCADE,
  "deviceId" {integer},
  "validFrom" {time} NOT NULL,
  "validTo" {time},
  "shapedAt" {time} NOT NULL,
  "fence" {json} NOT NULL
);
CREATE INDEX "fenceVersions_userId" ON "fenceVersions" ("userId", "validTo");
CREATE INDEX "fenceVersions_fenceId" ON "fenceVersions" ("fenceId", "validFrom");
CREATE TABLE "fenceBooks" ("userId" {integer} PRIMARY KEY REFERENCES "users" ("id") ON DELETE CASCADE, "changes" {integer} NOT NULL);

CREATE TABLE "triggerVersions" (
  "id" {id},
  "triggerId" {integer} NOT NULL,
  "deviceId" {integer} NOT NULL REFERENCES "devices" ("id") ON DELETE CASCADE,
  "userId" {integer} NOT NULL REFERENCES "users" ("id") ON DELETE CASCADE,
  "validFrom" {time} NOT NULL,
  "validTo" {time},
  "trigger" {json} NOT NULL
);
CREATE INDEX "triggerVersions_deviceId" ON "triggerVersions" ("deviceId", "validTo");
CREATE INDEX "notificationTriggers_type" ON "notificationTriggers" ("type", "deviceId");
CREATE INDEX "triggerVersions_triggerId" ON "triggerVersions" ("triggerId", "validFrom");

CREATE TABLE "trips" (
  "id" {id},
  "deviceId" {integer} NOT NULL REFERENCES "devices" ("id") ON DELETE CASCADE,
  "start" {time} NOT NULL,
  "end" {time} NOT NULL,
  "distance" {number} NOT NULL,
  "duration" {number} NOT NULL,
  "idle" {number} NOT NULL,
  "maxSpeed" {number} NOT NULL,
  "averageSpeed" {number} NOT NULL,
  "startLocationLat" {number} NOT NULL,
  "startLocationLng" {number} NOT NULL,
  "endLocationLat" {number} NOT NULL,
  "endLocationLng" {number} NOT NULL,
  "startPointId" {integer} NOT NULL,
  "endPointId" {integer} NOT NULL,
  "decidedAt" {time} NOT NULL
);
CREATE INDEX "trips_deviceId" ON "trips" ("deviceId", "start");
CREATE INDEX "trips_decidedAt" ON "trips" ("deviceId", "decidedAt");

CREATE TABLE "stops" (
  "id" {id},
  "deviceId" {integer} NOT NULL REFERENCES "devices" ("id") ON DELETE CASCADE,
  "start" {time} NOT NULL,
  "end" {time} NOT NULL,
  "duration" {number} NOT NULL,
  "locationLat" {number} NOT NULL,
  "locationLng" {number} NOT NULL,
  "decidedAt" {time} NOT NULL
);
CREATE INDEX "stops_deviceId" ON "stops" ("deviceId", "start");
CREATE INDEX "stops_decidedAt" ON "stops" ("deviceId", "decidedAt");

CREATE TABLE "notifications" (
  "id" {id},
  "created" {time} NOT NULL,
  "timestamp" {time} NOT NULL,
  "decidedAt" {time} NOT NULL,
  "params" {json} NOT NULL,
  "explanation" {json} NOT NULL,
  "deviceId" {integer} NOT NULL REFERENCES "devices" ("id") ON DELETE CASCADE,
  "userId" {integer} NOT NULL REFERENCES "users" ("id") ON DELETE CASCADE,
  "triggerId" {integer} NOT NULL,
  "triggerVersion" {integer} NOT NULL,
  "zoneId" {integer},
  "kind" {text} NOT NULL,
  "pointId" {integer},
  "readingId" {integer},
  "messageId" {integer},
  "status" {text} NOT NULL,
  "reason" {text},
  "late" {flag} NOT NULL DEFAULT 0,
  "people" {flag} NOT NULL DEFAULT 1,
  "ordered" {flag} NOT NULL DEFAULT 1
);
CREATE INDEX "notifications_deviceId" ON "notifications" ("deviceId", "id", "timestamp");
CREATE INDEX "notifications_device_timestamp" ON "notifications" ("deviceId", "timestamp", "id");
CREATE INDEX "notifications_userId" ON "notifications" ("userId", "id", "timestamp");
CREATE INDEX "notifications_user_timestamp" ON "notifications" ("userId", "timestamp", "id");
CREATE INDEX "notifications_decidedAt" ON "notifications" ("deviceId", "decidedAt");
CREATE INDEX "notifications_triggerId" ON "notifications" ("triggerId", "timestamp");

INSERT INTO "deviceStates" ("deviceId", "form", "state") SELECT "id", 0, '{}' FROM "devices";
`,
};
