import type { Migration } from '../../../platform/storage/migrations.ts';

/** Reports that are kept and mailed, and which devices a mail tells of. An older node would mail them without their file. */
export const savedReports: Migration = {
  name: '0050-saved-reports',
  up: `
CREATE TABLE "savedReports" (
  "id" {id},
  "userId" {integer} NOT NULL REFERENCES "users" ("id") ON DELETE CASCADE,
  "name" {text} NOT NULL,
  "kind" {text} NOT NULL,
  "deviceIds" {json},
  "groupId" {integer},
  "tag" {text},
  "fenceIds" {json},
  "limit" {number},
  "period" {text} NOT NULL,
  "columns" {texts},
  "format" {text} NOT NULL,
  "every" {text} NOT NULL,
  "time" {text} NOT NULL,
  "weekday" {integer} NOT NULL,
  "monthday" {integer} NOT NULL,
  "timeZone" {text},
  "nextAt" {time},
  "lastAt" {time},
  "lastResult" {text},
  "created" {time} NOT NULL
);
CREATE INDEX "savedReports_userId" ON "savedReports" ("userId", "id");
CREATE INDEX "savedReports_nextAt" ON "savedReports" ("nextAt") WHERE "nextAt" IS NOT NULL;
CREATE TABLE "reportDevices" (
  "outboxId" {integer} NOT NULL REFERENCES "outbox" ("id") ON DELETE CASCADE,
  "deviceId" {integer} NOT NULL,
  PRIMARY KEY ("outboxId", "deviceId")
);
CREATE INDEX "outbox_report" ON "outbox" ("id") WHERE "what" = 'report' AND "content" <> '{}';
CREATE INDEX "messages_device_created" ON "messages" ("deviceId", "created");
`,
};
