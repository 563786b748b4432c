import type { Migration } from '../../../platform/storage/migrations.ts';

/** What must be sent: where to, what, and the result. */
export const outbox: Migration = {
  name: '0004-outbox',
  up: `
CREATE TABLE "destinations" (
  "id" {id},
  "kind" {text} NOT NULL,
  "target" {text} NOT NULL,
  "userId" {integer} REFERENCES "users" ("id") ON DELETE CASCADE,
  "state" {text} NOT NULL DEFAULT 'up',
  "failures" {integer} NOT NULL DEFAULT 0,
  "nextTryAt" {time},
  "downSince" {time},
  "lastSuccess" {time},
  "lastError" {text},
  "lastErrorAt" {time},
  "secrets" {json},
  "leaseOwner" {text},
  "leaseUntil" {time},
  "created" {time} NOT NULL
);
CREATE UNIQUE INDEX "destinations_target" ON "destinations" ("kind", "target", COALESCE("userId", 0));
CREATE INDEX "destinations_userId" ON "destinations" ("userId", "id");

CREATE TABLE "outbox" (
  "id" {id},
  "messageId" {text} NOT NULL,
  "destinationId" {integer},
  "userId" {integer} NOT NULL REFERENCES "users" ("id") ON DELETE CASCADE,
  "deviceId" {integer},
  "channel" {text} NOT NULL,
  "address" {text},
  "what" {text} NOT NULL,
  "notificationId" {integer},
  "forwarderId" {integer},
  "digestId" {integer},
  "content" {text} NOT NULL,
  "state" {text} NOT NULL,
  "reason" {text},
  "attempts" {integer} NOT NULL DEFAULT 0,
  "attemptLog" {json},
  "created" {time} NOT NULL,
  "nextAt" {time} NOT NULL,
  "expires" {time} NOT NULL,
  "ended" {time}
);
CREATE INDEX "outbox_queued" ON "outbox" ("destinationId", "id") WHERE "state" = 'queued';
CREATE INDEX "outbox_sending" ON "outbox" ("destinationId", "id") WHERE "state" = 'sending';
CREATE INDEX "outbox_held" ON "outbox" ("nextAt") WHERE "state" = 'held';
CREATE INDEX "outbox_held_of" ON "outbox" ("userId", "nextAt") WHERE "state" = 'held';
CREATE INDEX "outbox_tried" ON "outbox" ("destinationId", "nextAt") WHERE "state" = 'queued' AND "attempts" > 0;
CREATE INDEX "outbox_dead" ON "outbox" ("destinationId", "id") WHERE "state" = 'dead';
CREATE INDEX "outbox_userId" ON "outbox" ("userId", "id");
CREATE INDEX "outbox_notificationId" ON "outbox" ("notificationId") WHERE "notificationId" IS NOT NULL;
CREATE INDEX "outbox_people" ON "outbox" ("userId", "channel", "created") WHERE "channel" IN ('push', 'email');
CREATE INDEX "outbox_ended" ON "outbox" ("ended") WHERE "ended" IS NOT NULL;

CREATE VIEW "deliveries" AS
SELECT o."id", o."messageId", o."userId", o."deviceId", o."channel", d."target", o."destinationId",
  CASE WHEN o."channel" = 'push' THEN NULL ELSE o."address" END AS "address",
  o."what", o."notificationId", o."forwarderId", o."digestId",
  CASE WHEN o."state" = 'held' THEN 'queued' ELSE o."state" END AS "status",
  o."reason", o."attempts", o."attemptLog", o."created", o."nextAt", o."ended"
FROM "outbox" o LEFT JOIN "destinations" d ON d."id" = o."destinationId";

CREATE VIEW "destinationStates" AS
SELECT d."id", d."kind", d."target", d."userId", d."state",
  (SELECT COUNT(*) FROM "outbox" o WHERE o."destinationId" = d."id" AND o."state" = 'queued')
    + (SELECT COUNT(*) FROM "outbox" o WHERE o."destinationId" = d."id" AND o."state" = 'sending') AS "waiting",
  (SELECT ({now} - o."created") / 1000 FROM "outbox" o WHERE o."destinationId" = d."id" AND o."state" = 'queued'
    ORDER BY o."id" LIMIT 1) AS "lag",
  (SELECT COUNT(*) FROM "outbox" o WHERE o."destinationId" = d."id" AND o."state" = 'dead') AS "dead",
  d."lastSuccess", d."lastError", d."lastErrorAt", d."downSince", d."nextTryAt", d."created"
FROM "destinations" d;

CREATE TABLE "pushSubscriptions" (
  "id" {id},
  "userId" {integer} NOT NULL REFERENCES "users" ("id") ON DELETE CASCADE,
  "endpoint" {text} NOT NULL,
  "keys" {json} NOT NULL,
  "agent" {text},
  "created" {time} NOT NULL
);
CREATE UNIQUE INDEX "pushSubscriptions_endpoint" ON "pushSubscriptions" ("endpoint");
CREATE INDEX "pushSubscriptions_userId" ON "pushSubscriptions" ("userId", "id");

CREATE TABLE "queueHolders" (
  "id" {id},
  "arn" {text} NOT NULL,
  "userId" {integer} NOT NULL REFERENCES "users" ("id") ON DELETE CASCADE,
  "allowed" {json},
  "created" {time} NOT NULL
);
CREATE UNIQUE INDEX "queueHolders_arn" ON "queueHolders" ("arn");

ALTER TABLE "users" ADD COLUMN "timeZone" {text};
ALTER TABLE "users" ADD COLUMN "quietHours" {json};

ALTER TABLE "forwarders" ADD COLUMN "raw" {flag} NOT NULL DEFAULT 0;
ALTER TABLE "forwarders" ADD COLUMN "corrections" {flag} NOT NULL DEFAULT 0;
ALTER TABLE "forwarders" ADD COLUMN "active" {flag} NOT NULL DEFAULT 1;
ALTER TABLE "forwarders" ADD COLUMN "destinationId" {integer};

CREATE VIEW "forwarderStates" AS
SELECT f."id", f."deviceId", f."userId", f."kind", f."target", f."types", f."raw", f."corrections", f."active",
  CASE
    WHEN f."active" = 0 THEN 'Switched off.'
    WHEN d."state" = 'off' THEN 'Stopped: the destination says that it is gone. Switch it on again to go on.'
    WHEN d."state" = 'down' THEN 'Waiting, and trying again by itself: ' || COALESCE(d."lastError", 'the destination can not be reached')
    WHEN d."lastErrorAt" > COALESCE(d."lastSuccess", 0) THEN 'Failing: ' || COALESCE(d."lastError", 'for an unknown reason')
    WHEN d."lastSuccess" IS NULL THEN 'Ready: nothing was sent yet.'
    ELSE 'Working.'
  END AS "status",
  (SELECT COUNT(*) FROM "outbox" o WHERE o."destinationId" = f."destinationId" AND o."state" = 'queued'
    AND o."forwarderId" = f."id") AS "waiting",
  (SELECT ({now} - o."created") / 1000 FROM "outbox" o WHERE o."destinationId" = f."destinationId"
    AND o."state" = 'queued' ORDER BY o."id" LIMIT 1) AS "lag",
  d."lastSuccess", d."lastError", f."created"
FROM "forwarders" f LEFT JOIN "destinations" d ON d."id" = f."destinationId";
`,
};
