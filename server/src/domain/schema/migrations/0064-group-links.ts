import type { Migration } from '../../../platform/storage/migrations.ts';

/** Public pages of groups of devices for a time. Of a secret, only its hash is stored. */
export const groupLinks: Migration = {
  name: '0064-group-links',
  suitsOlderNodes: true,
  up: `
CREATE TABLE "groupLinks" (
  "id" {id},
  "groupId" {integer} NOT NULL REFERENCES "deviceGroups" ("id") ON DELETE CASCADE,
  "userId" {integer} NOT NULL REFERENCES "users" ("id") ON DELETE CASCADE,
  "handle" {text} NOT NULL,
  "secret" {text} NOT NULL,
  "name" {text},
  "expiresAt" {time} NOT NULL,
  "trail" {flag} NOT NULL,
  "destinationLat" {number},
  "destinationLng" {number},
  "destinationName" {text},
  "origins" {json},
  "views" {integer} NOT NULL DEFAULT 0,
  "lastViewedAt" {time},
  "created" {time} NOT NULL
);
CREATE UNIQUE INDEX "groupLinks_handle" ON "groupLinks" ("handle");
CREATE INDEX "groupLinks_groupId" ON "groupLinks" ("groupId", "id");
CREATE INDEX "groupLinks_userId" ON "groupLinks" ("userId", "id");
CREATE INDEX "groupLinks_expiresAt" ON "groupLinks" ("expiresAt");
`,
};
