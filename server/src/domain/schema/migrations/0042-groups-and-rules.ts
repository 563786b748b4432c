import type { Migration } from '../../../platform/storage/migrations.ts';

/**
 * Groups of devices as a tree, whom they are shared with, and rules for many devices. `ruleDue` names the devices that are
 * to be compared with the rules: whoever changes what decides about that adds a row in the same transaction.
 */
export const groupsAndRules: Migration = {
  name: '0042-groups-and-rules',
  suitsOlderNodes: true,
  up: `
CREATE TABLE "deviceGroups" (
  "id" {id},
  "name" {text} NOT NULL,
  "parentId" {integer} REFERENCES "deviceGroups" ("id") ON DELETE CASCADE,
  "ownerId" {integer} NOT NULL REFERENCES "users" ("id") ON DELETE CASCADE,
  "created" {time} NOT NULL,
  "deletedAt" {time}
);
CREATE INDEX "deviceGroups_ownerId" ON "deviceGroups" ("ownerId", "id");
CREATE INDEX "deviceGroups_parentId" ON "deviceGroups" ("parentId");
CREATE INDEX "deviceGroups_deletedAt" ON "deviceGroups" ("deletedAt") WHERE "deletedAt" IS NOT NULL;

CREATE TABLE "deviceGroupMembers" (
  "deviceId" {integer} NOT NULL REFERENCES "devices" ("id") ON DELETE CASCADE,
  "groupId" {integer} NOT NULL REFERENCES "deviceGroups" ("id") ON DELETE CASCADE,
  "created" {time} NOT NULL,
  PRIMARY KEY ("deviceId", "groupId")
);
CREATE INDEX "deviceGroupMembers_groupId" ON "deviceGroupMembers" ("groupId", "deviceId");

CREATE TABLE "deviceGroupGrants" (
  "id" {id},
  "groupId" {integer} NOT NULL REFERENCES "deviceGroups" ("id") ON DELETE CASCADE,
  "userId" {integer} REFERENCES "users" ("id") ON DELETE CASCADE,
  "email" {text},
  "holderId" {integer} REFERENCES "users" ("id") ON DELETE SET NULL,
  "rights" {text} NOT NULL,
  "created" {time} NOT NULL
);
CREATE INDEX "deviceGroupGrants_groupId" ON "deviceGroupGrants" ("groupId", "id");
CREATE INDEX "deviceGroupGrants_holderId" ON "deviceGroupGrants" ("holderId", "groupId");
CREATE UNIQUE INDEX "deviceGroupGrants_userId" ON "deviceGroupGrants" ("groupId", "userId") WHERE "userId" IS NOT NULL;
CREATE UNIQUE INDEX "deviceGroupGrants_email" ON "deviceGroupGrants" ("groupId", "email") WHERE "userId" IS NULL;
CREATE INDEX "deviceGroupGrants_waiting" ON "deviceGroupGrants" ("email") WHERE "holderId" IS NULL;

CREATE TABLE "rules" (
  "id" {id},
  "userId" {integer} NOT NULL REFERENCES "users" ("id") ON DELETE CASCADE,
  "name" {text} NOT NULL,
  "appliesTo" {text} NOT NULL,
  "groupId" {integer} REFERENCES "deviceGroups" ("id") ON DELETE SET NULL,
  "tag" {text},
  "type" {text} NOT NULL,
  "parameters" {json},
  "muteFor" {number} NOT NULL DEFAULT 0,
  "delivery" {json},
  "severity" {text} NOT NULL DEFAULT 'info',
  "paused" {flag} NOT NULL DEFAULT 0,
  "snoozedUntil" {time},
  "escalateAfter" {integer} NOT NULL DEFAULT 0,
  "escalation" {json},
  "created" {time} NOT NULL,
  "version" {integer} NOT NULL DEFAULT 1,
  "dueFrom" {integer},
  "deletedAt" {time}
);
CREATE INDEX "rules_userId" ON "rules" ("userId", "id");
CREATE INDEX "rules_groupId" ON "rules" ("groupId") WHERE "groupId" IS NOT NULL;
CREATE INDEX "rules_dueFrom" ON "rules" ("id") WHERE "dueFrom" IS NOT NULL;

CREATE TABLE "ruleDue" (
  "deviceId" {integer} PRIMARY KEY REFERENCES "devices" ("id") ON DELETE CASCADE,
  "since" {time} NOT NULL
);
`,
};
